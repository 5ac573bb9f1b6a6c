package org.keyline.ycsb;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The environment of one experiment: its options, the servers that it starts, and the files that it
 * writes. Confined to one thread.
 *
 * @param out receives the tables, and a line for each step
 */
record Harness(Options options, PrintStream out) {
    /** A setting with which the gateway does not follow the binary log of the store. */
    static final String NO_SIGNAL = "store.signal=none";

    interface Measurement {
        void run(String store, Backend backend) throws IOException, SQLException;
    }

    MariaDbServer mariaDb() throws IOException {
        return MariaDbServer.of(options);
    }

    /** Returns the MariaDB of the option {@code mariadb}, or an embedded store if it is empty. */
    Backend backend(String embedded) throws IOException {
        return options.text("mariadb").isEmpty() ? Backend.embedded(embedded) : mariaDb();
    }

    /** Measures with each store of the option {@code stores}. */
    void eachStore(Measurement measurement) throws IOException, SQLException {
        for (String store : stores()) {
            try (Backend backend = store.equals("embedded") ? Backend.embedded("duckdb:memory") : mariaDb()) {
                measurement.run(store, backend);
            }
        }
    }

    List<String> stores() {
        return options.choices("stores", "embedded", "mariadb");
    }

    /** Starts a gateway with the options {@code gateway} and {@code java}. */
    GatewayProcess gateway(Backend store, List<String> serve) throws IOException {
        return gateway(ServerProcess.freePort(), store, serve);
    }

    GatewayProcess gateway(int port, Backend store, List<String> serve) throws IOException {
        List<String> all = new ArrayList<>(store.serveOptions());
        all.addAll(serve);
        return GatewayProcess.start(port, options.path("gateway"), options.all("java"), all);
    }

    /** Returns the arguments of a gateway for settings of the form {@code PATH=VALUE}. */
    static List<String> settings(List<String> settings) {
        return settings.stream()
                .flatMap(setting -> List.of("--set", setting).stream())
                .toList();
    }

    /** Returns a file in the output directory. */
    Path file(String name) {
        return options.path("output").resolve(name);
    }

    /**
     * Writes and prints a table.
     *
     * @param name the name of the table's files
     * @param conditions the conditions of the measurement, with options in braces; a description of
     * the machine is added
     */
    void write(Figures figures, String name, String conditions) throws IOException {
        figures.write(options.path("output"), name, options.filled(conditions) + "; " + machine());
        out.print(figures.markdown());
    }

    void plotByStore(Figures figures, String name, String title, String x, String y, String series) throws IOException {
        for (String store : stores()) {
            figures.where("store", store)
                    .plotLines(file(name + "-" + store + ".png"), title + ", " + store, x, y, series);
        }
    }

    static String machine() throws IOException {
        String processor = "unknown processor";
        Path cpuinfo = Path.of("/proc/cpuinfo");
        if (Files.isReadable(cpuinfo)) {
            processor = Files.readAllLines(cpuinfo).stream()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 2))
                    .findFirst()
                    .orElse(processor);
        }
        return "%d cores (%s), Java %s"
                .formatted(Runtime.getRuntime().availableProcessors(), processor, System.getProperty("java.version"));
    }
}
