package org.keyline.ycsb;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The environment of one experiment: its options, the servers that it starts, and the files that it
 * writes. Confined to one thread.
 *
 * @param out receives the tables, and a line for each step
 */
record Harness(Options options, PrintStream out) {
    /** A setting that keeps the gateway from following the binary log of the store. */
    static final String NO_SIGNAL = "store.signal=none";

    interface Measurement {
        void run(String store, Backend backend) throws IOException, SQLException;
    }

    interface Measured<C> {
        Results run(C contender) throws IOException;
    }

    Backend mariaDb() throws IOException {
        return Backend.mariaDb(options.text("mariadb"));
    }

    /** Runs the measurement with each store of the option {@code stores}. */
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

    /** Starts a gateway with settings of the form {@code PATH=VALUE}. */
    GatewayProcess gateway(Backend store, String... settings) throws IOException {
        return gateway(ServerProcess.freePort(), store, List.of(settings));
    }

    /** Starts a gateway with settings and those of the options {@code set} and {@code option}. */
    GatewayProcess gateway(int port, Backend store, List<String> settings) throws IOException {
        List<String> all = new ArrayList<>(store.serveOptions());
        Stream.concat(settings.stream(), options.allOrNone("set").stream())
                .forEach(setting -> all.addAll(List.of("--set", setting)));
        all.addAll(options.allOrNone("option"));
        return GatewayProcess.start(port, options.path("gateway"), options.all("java"), all);
    }

    /** Returns the settings of one of several gateways that report writes to each other. */
    static List<String> member(List<Integer> ports, int number) {
        List<String> members =
                ports.stream().map(port -> "g" + port + "=127.0.0.1:" + port).toList();
        return List.of(NO_SIGNAL, "tier.members=" + String.join(",", members), "tier.name=g" + ports.get(number));
    }

    /** Starts a Redis or Valkey that writes no files. */
    static ServerProcess redis(int port) throws IOException {
        String program = ServerProcess.installed("redis-server", "valkey-server");
        return new ServerProcess(
                List.of(program, "--port", "" + port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"),
                "Ready to accept connections");
    }

    /**
     * Runs all contenders alternately, so that a change of the machine's speed affects all of them.
     * Returns the medians of {@code rounds} runs each; {@code warm} earlier runs do not count.
     */
    static <C> Map<C, Results> turns(Collection<C> contenders, int warm, int rounds, Measured<C> measured)
            throws IOException {
        Map<C, List<Results>> runs = new LinkedHashMap<>();
        for (int round = -warm; round < rounds; round++) {
            for (C contender : contenders) {
                Results run = measured.run(contender);
                if (round >= 0) {
                    runs.computeIfAbsent(contender, first -> new ArrayList<>()).add(run);
                }
            }
        }
        Map<C, Results> medians = new LinkedHashMap<>();
        runs.forEach((contender, all) -> medians.put(contender, Results.medians(all)));
        return medians;
    }

    Path file(String name) {
        return options.path("output").resolve(name);
    }

    /** Writes and prints a table and its conditions, after filling in options in braces. */
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

    static String machine() {
        return Runtime.getRuntime().availableProcessors() + " cores, Java " + System.getProperty("java.version");
    }
}
