package org.keyline.ycsb;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import site.ycsb.generator.ScrambledZipfianGenerator;

/**
 * The hit rate of reads while clients write single rows of the same table. In one case the gateway
 * knows each write's key and closes only the fence of its line. In the other case an expression
 * hides the key, so that every write closes the fence of the table. Confined to one thread.
 */
final class WriteShareExperiment {
    static final String OPTIONS = """
              --shares LIST         writes in per cent of the operations [0,1,10]
              --threads N           [8]
              --seconds N           each run [10]
              --records N           rows of 1 KB [10000]
              --ttl TIME            [10m]
            """ + Options.common("installed", "-Xmx1g");

    private static final NumberRows ROWS = new NumberRows("written", 1_000);

    private final Harness harness;
    private final Options options;
    private final Figures figures = new Figures("writes %", "fence closed by a write", "operations/s", "hit rate %");

    WriteShareExperiment(Harness harness) {
        this.harness = harness;
        this.options = harness.options();
    }

    void run() throws IOException {
        List<String> settings = List.of("cache.ttl=" + options.text("ttl"), Harness.NO_SIGNAL);
        try (MariaDbServer server = harness.mariaDb();
                GatewayProcess gateway = harness.gateway(server, Harness.settings(settings))) {
            Target target = server.through(gateway, "ycsb");
            ROWS.load(target, options.count("records"));
            for (String share : options.text("shares").split(",", -1)) {
                measure(gateway, target, percent(share), "of its line", "k = ?");
                measure(gateway, target, percent(share), "of the table", "k = ? + 0");
            }
        }
        harness.write(
                figures,
                "writes",
                "{records} rows of 1 KB, keys by a Zipfian distribution, {threads} clients, {seconds} s a run, rows live {ttl} in the cache");
        figures.plotBars(
                harness.file("writes.png"), "Hit rate beside point writes", "writes %", "hit rate %", "hit rate %");
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

    private void measure(GatewayProcess gateway, Target target, double percent, String fence, String key)
            throws IOException {
        int seconds = options.count("seconds");
        operations(target, percent, key, Math.max(1, seconds / 2)); // fills the cache
        Counters before = gateway.counters();
        long operations = operations(target, percent, key, seconds);
        double hits = gateway.counters().since(before).percentOfQueries("hits");
        figures.row(percent, fence, (double) operations / seconds, hits);
    }

    private long operations(Target target, double percent, String key, int seconds) throws IOException {
        AtomicLong operations = new AtomicLong();
        ParallelClients.Work client = end -> client(target, percent, key, end, operations);
        ParallelClients.run(Collections.nCopies(options.count("threads"), client), seconds);
        return operations.get();
    }

    private void client(Target target, double percent, String key, LongSupplier end, AtomicLong operations)
            throws SQLException {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        ScrambledZipfianGenerator keys = new ScrambledZipfianGenerator(options.count("records"));
        try (Connection connection = target.open();
                PreparedStatement read = connection.prepareStatement(ROWS.read());
                PreparedStatement write =
                        connection.prepareStatement("UPDATE written SET v = v, n = n + 1 WHERE " + key)) {
            for (long until = end.getAsLong(); System.nanoTime() - until < 0; operations.incrementAndGet()) {
                if (random.nextDouble() * 100 < percent) {
                    write.setLong(1, keys.nextValue());
                    write.executeUpdate();
                } else {
                    ROWS.read(read, keys.nextValue());
                }
            }
        }
    }
}
