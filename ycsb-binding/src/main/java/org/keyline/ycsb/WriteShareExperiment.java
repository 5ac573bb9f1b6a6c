package org.keyline.ycsb;

import java.io.IOException;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import site.ycsb.generator.ScrambledZipfianGenerator;

/**
 * The hit rate of reads beside point writes to the same table. In one case the gateway sees each
 * write's key and closes only the fence of its line. In the other an expression hides the key, so
 * that every write closes the table.
 */
final class WriteShareExperiment {
    private static final String USAGE = """
            usage: java -jar keyline-ycsb.jar experiment writes [options]

              --shares LIST      writes in per cent of the operations, default 0,1,10
              --threads N        default 8
              --seconds N        each run, default 10
              --records N        rows of 1 KB, default 10000
              --ttl TIME         default 10m
              --mariadb ADDRESS  HOST:PORT, or installed (default) to start the one installed here
              --mariadb-user, --mariadb-password
              --gateway JAR      default gateway/target/keyline.jar
              --java OPTION      one argument of the gateway's JVM, repeatable, default -Xmx1g
              --output DIR       default docs/experiments
            """;

    private static final Map<String, String> DEFAULTS = Map.ofEntries(
            Map.entry("shares", "0,1,10"),
            Map.entry("threads", "8"),
            Map.entry("seconds", "10"),
            Map.entry("records", "10000"),
            Map.entry("ttl", "10m"),
            Map.entry("mariadb", "installed"),
            Map.entry("mariadb-user", "root"),
            Map.entry("mariadb-password", ""),
            Map.entry("gateway", "gateway/target/keyline.jar"),
            Map.entry("java", "-Xmx1g"),
            Map.entry("output", Experiments.OUTPUT));

    private static final String READ = "SELECT v FROM written WHERE k = ?";
    private static final int ROW_BYTES = 1000;

    private final Options options;
    private final Figures figures = new Figures("writes %", "fence closed by a write", "operations/s", "hit rate %");

    private WriteShareExperiment(Options options) {
        this.options = options;
    }

    static void run(List<String> arguments, PrintStream out) throws IOException {
        if (arguments.contains("--help")) {
            out.print(USAGE);
            return;
        }
        new WriteShareExperiment(new Options(USAGE, DEFAULTS, arguments)).run(out);
    }

    private void run(PrintStream out) throws IOException {
        try (MariaDbServer server = MariaDbServer.of(options)) {
            List<String> serve = new ArrayList<>(server.serveOptions());
            serve.addAll(List.of("--ttl", options.text("ttl")));
            try (GatewayProcess gateway = GatewayProcess.start(options.path("gateway"), options.all("java"), serve)) {
                Target target = server.through(gateway.address(), "ycsb");
                load(target);
                for (String share : options.text("shares").split(",", -1)) {
                    measure(gateway, target, percent(share), "of its line", "UPDATE written SET v = ? WHERE k = ?");
                    measure(
                            gateway,
                            target,
                            percent(share),
                            "of the table",
                            "UPDATE written SET v = ? WHERE k = ? + 0");
                }
            }
        }
        figures.write(
                options.path("output"),
                "writes",
                "%s rows of 1 KB, keys by a Zipfian distribution, %s clients, %s s a run, rows live %s in the cache; %s"
                        .formatted(
                                options.text("records"),
                                options.text("threads"),
                                options.text("seconds"),
                                options.text("ttl"),
                                Experiments.machine()));
        figures.plotBars(
                options.path("output").resolve("writes.png"),
                "Hit rate beside point writes",
                "writes %",
                "hit rate %",
                "hit rate %");
        out.print(figures.markdown());
    }

    private static double percent(String share) {
        try {
            double percent = Double.parseDouble(share);
            if (percent >= 0 && percent <= 100) {
                return percent;
            }
        } catch (NumberFormatException notNumber) {
            throw new IllegalArgumentException("--shares " + share + " (expected: 0..100)", notNumber);
        }
        throw new IllegalArgumentException("--shares " + share + " (expected: 0..100)");
    }

    private void load(Target target) throws IOException {
        try (Connection connection = target.openCreatingDatabase();
                Statement sql = connection.createStatement()) {
            sql.execute("DROP TABLE IF EXISTS written");
            sql.execute("CREATE TABLE written (k BIGINT PRIMARY KEY, v VARCHAR(1024)) DEFAULT CHARSET = utf8mb4");
            int records = options.count("records");
            for (int from = 0; from < records; from += 1_000) {
                StringBuilder insert = new StringBuilder("INSERT INTO written VALUES ");
                for (int k = from; k < Math.min(records, from + 1_000); k++) {
                    insert.append(k == from ? "" : ",").append('(').append(k).append(", REPEAT('x', ");
                    insert.append(ROW_BYTES).append("))");
                }
                sql.execute(insert.toString());
            }
        } catch (SQLException e) {
            throw new IOException("the table cannot be filled: " + e.getMessage(), e);
        }
    }

    private void measure(GatewayProcess gateway, Target target, double percent, String fence, String update)
            throws IOException {
        int seconds = options.count("seconds");
        operations(target, percent, update, Math.max(1, seconds / 2)); // fills the cache
        Map<String, Double> before = gateway.figures();
        long operations = operations(target, percent, update, seconds);
        Map<String, Double> after = gateway.figures();
        double queries = grown(before, after, "keyline_table_queries_total");
        figures.row(
                percent,
                fence,
                (double) operations / seconds,
                100 * grown(before, after, "keyline_table_hits_total") / queries);
    }

    private static double grown(Map<String, Double> before, Map<String, Double> after, String name) {
        return after.getOrDefault(name, 0.0) - before.getOrDefault(name, 0.0);
    }

    private long operations(Target target, double percent, String update, int seconds) throws IOException {
        ExecutorService clients = Executors.newFixedThreadPool(options.count("threads"));
        try {
            List<Future<Long>> running = new ArrayList<>();
            long end = System.nanoTime() + Duration.ofSeconds(seconds).toNanos();
            for (int i = 0; i < options.count("threads"); i++) {
                running.add(clients.submit(() -> client(target, percent, update, end)));
            }
            long operations = 0;
            for (Future<Long> client : running) {
                operations += client.get();
            }
            return operations;
        } catch (ExecutionException e) {
            throw new IOException("a client failed: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            clients.shutdownNow();
        }
    }

    /**
     * Runs one client's operations until {@code end}; every row read must be one that was written.
     */
    private long client(Target target, double percent, String update, long end) throws SQLException {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        ScrambledZipfianGenerator keys = new ScrambledZipfianGenerator(options.count("records"));
        long operations = 0;
        try (Connection connection = target.open();
                PreparedStatement read = connection.prepareStatement(READ);
                PreparedStatement write = connection.prepareStatement(update)) {
            for (; System.nanoTime() < end; operations++) {
                long key = keys.nextValue();
                if (random.nextDouble() * 100 < percent) {
                    write.setString(
                            1, String.valueOf((char) ('a' + random.nextInt(26))).repeat(ROW_BYTES));
                    write.setLong(2, key);
                    write.executeUpdate();
                } else {
                    read.setLong(1, key);
                    try (ResultSet row = read.executeQuery()) {
                        if (!row.next() || row.getString(1).length() != ROW_BYTES) {
                            throw new SQLException("row " + key + " is not as written");
                        }
                    }
                }
            }
        }
        return operations;
    }
}
