package org.keyline.ycsb;

import java.io.IOException;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import site.ycsb.generator.ScrambledZipfianGenerator;

/**
 * Measures the hit rate of reads while clients write single rows of the same table. In one case the
 * gateway knows each write's key and closes only the fence of its line. In the other case an
 * expression hides the key, so that every write closes the fence of the table.
 */
final class WriteShareExperiment {
    static final String OPTIONS = """
            the hit rate beside point writes that close the fences of lines or of the table

              --shares LIST         writes in per cent of the operations [0,1,10]
              --threads N           [8]
              --seconds N           each run [10]
              --records N           rows of 1 KB [10000]
            """ + Options.common("installed", "-Xmx1g");

    private static final NumberRows ROWS = new NumberRows("written", 1_000);

    private WriteShareExperiment() {}

    static void run(Harness harness) throws IOException {
        Options options = harness.options();
        int seconds = options.count("seconds");
        Figures figures = new Figures("writes %", "fence closed by a write", "operations/s", "hit rate %");
        try (Backend store = harness.mariaDb();
                GatewayProcess gateway = harness.gateway(store, "cache.ttl=10m", Harness.NO_SIGNAL)) {
            Way way = new Way("", gateway, "ycsb", store);
            ROWS.load(way.target(), options.count("records"));
            for (double share : options.shares("shares")) {
                for (String fence : List.of("of its line", "of the table")) {
                    String key = fence.equals("of its line") ? "k = ?" : "k = ? + 0";
                    ClientGroups.Session session = session(share, key, options.count("records"));
                    ClientGroups clients = new ClientGroups().add(way.target(), options.count("threads"), 0, session);
                    clients.run(Math.max(1, seconds / 2)); // fills the cache
                    figures.row(way.measured(() -> clients.run(seconds)), share, fence);
                }
            }
        }
        harness.write(
                figures,
                "writes",
                "{records} rows of 1 KB, keys by a Zipfian distribution, {threads} clients, {seconds} s a run, rows live 10 minutes in the cache");
        figures.plotBars(
                harness.file("writes.png"), "Hit rate beside point writes", "writes %", "hit rate %", "hit rate %");
    }

    private static ClientGroups.Session session(double percent, String key, int records) {
        return connection -> {
            ScrambledZipfianGenerator keys = new ScrambledZipfianGenerator(records);
            PreparedStatement read = connection.prepareStatement(ROWS.read());
            PreparedStatement write = connection.prepareStatement("UPDATE written SET v = v, n = n + 1 WHERE " + key);
            return () -> {
                if (ThreadLocalRandom.current().nextDouble() * 100 < percent) {
                    write.setLong(1, keys.nextValue());
                    write.executeUpdate();
                } else {
                    ROWS.read(read, keys.nextValue());
                }
            };
        };
    }
}
