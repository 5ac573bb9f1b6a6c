package org.keyline.ycsb;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import site.ycsb.generator.ScrambledZipfianGenerator;

/**
 * Compares one gateway with several gateways in front of one MariaDB. The gateways are independent,
 * exchange writes, or share lines. Measures how many reads need the store, and how long reads lag
 * behind writes through another gateway.
 */
final class GatewaysExperiment {
    static final String OPTIONS = """
            one gateway and several, with and without a tier between them

              --gateways LIST       how many [1,2,3]
              --tiers LIST          [none,links,lines]
                                    links: gateways report writes to each other;
                                    lines: they also share lines through a Redis
              --threads N           reading clients of all gateways together [6]
              --rate N              reads a second of all clients together [1500]
              --seconds N           each run [10]
              --records N           rows of 100 bytes [5000]
            """ + Options.common("installed", "-Xmx256m");

    private static final NumberRows ROWS = new NumberRows("numbers", 100);
    private static final int WRITES = 10;
    private static final int COUNTER_WRITES = 50;
    private static final int COUNTER_READS = 200;

    private GatewaysExperiment() {}

    static void run(Harness harness) throws IOException {
        Options options = harness.options();
        Figures figures = Figures.of("gateways | tier | operations/s | hit rate % | load share % | "
                + "loads answered by the tier % | store queries/s | rows looked up/s | stale reads % | "
                + "staleness p50 ms | p99 ms | p99.9 ms | max ms");
        List<String> tiers = options.choices("tiers", "none", "links", "lines");
        try (Backend store = harness.mariaDb()) {
            for (int count : options.counts("gateways")) {
                for (String tier : tiers) {
                    if (count > 1 || tier.equals("none")) {
                        harness.out().println("# " + count + " gateways, " + tier);
                        figures.row(measured(harness, store, count, tier), count, tier);
                    }
                }
            }
        }
        harness.write(
                figures,
                "gateways",
                "{rate} reads and %d writes a second by {threads} clients for {seconds} s, {records} rows by a Zipfian distribution; beside them counters, written %d times a second through one gateway; rows live 1 s without a tier and 1 minute with one"
                        .formatted(WRITES, COUNTER_WRITES));
        figures.plotLines(
                harness.file("gateways.png"),
                "Queries at the store with several gateways",
                "gateways",
                "rows looked up/s",
                "tier");
    }

    private static Results measured(Harness harness, Backend store, int count, String tier) throws IOException {
        Options options = harness.options();
        int seconds = options.count("seconds");
        int records = options.count("records");
        String drop = "DROP TABLE IF EXISTS counters";
        ROWS.load(store.straight("gateways"), records, drop, StaleReads.TABLE, StaleReads.fill());
        List<Integer> ports = new ArrayList<>();
        while (ports.size() < count) {
            ports.add(ServerProcess.freePort());
        }
        int redis = ServerProcess.freePort();
        List<GatewayProcess> gateways = new ArrayList<>();
        try (ServerProcess shared = tier.equals("lines") ? Harness.redis(redis) : null) {
            for (int i = 0; i < count; i++) {
                List<String> settings = new ArrayList<>(List.of(Harness.NO_SIGNAL, "cache.ttl=1s"));
                if (!tier.equals("none")) {
                    settings = new ArrayList<>(Harness.member(ports, i));
                    settings.add("cache.ttl=1m");
                }
                if (shared != null) {
                    settings.addAll(List.of("tier.url=redis://127.0.0.1:" + redis, "tier.values=true"));
                }
                gateways.add(harness.gateway(ports.get(i), store, settings));
            }
            for (GatewayProcess gateway : tier.equals("none") ? List.<GatewayProcess>of() : gateways) {
                gateway.awaitFreshness();
            }
            StaleReads staleness = new StaleReads();
            ClientGroups clients = clients(options, gateways, staleness);
            clients.run(Math.max(1, seconds / 2)); // fills the caches of plans, templates and lines
            staleness.reset();
            Way way = new Way("", gateways.get(0).target(), gateways, store);
            Results run = way.measured(() -> clients.run(seconds));
            double fromTier = 100 * run.count("keyline_tier_lines_hit_total") / run.get("keyline_table_loads_total");
            return staleness
                    .addTo(run)
                    .with("loads answered by the tier %", shared == null ? Double.NaN : fromTier)
                    .with("store queries/s", run.get("com_select") / seconds)
                    .with("rows looked up/s", run.get("handler_read_key") / seconds);
        } finally {
            gateways.forEach(GatewayProcess::close);
        }
    }

    private static ClientGroups clients(Options options, List<GatewayProcess> gateways, StaleReads staleness) {
        int threads = options.count("threads");
        int records = options.count("records");
        List<Target> targets = gateways.stream()
                .map(gateway -> gateway.target().withDatabase("gateways"))
                .toList();
        // If there are several gateways, the counters are read through gateways without writers.
        List<Target> readers = targets.size() == 1 ? targets : targets.subList(1, targets.size());
        ClientGroups clients = new ClientGroups();
        for (int i = 0; i < threads; i++) {
            clients.add(
                    targets.get(i % targets.size()), 1, (double) options.count("rate") / threads, ROWS.reads(records));
        }
        clients.beside()
                .add(targets.get(0), 1, WRITES, connection -> {
                    ScrambledZipfianGenerator keys = new ScrambledZipfianGenerator(records);
                    PreparedStatement write = connection.prepareStatement(ROWS.write());
                    return () -> {
                        write.setLong(1, keys.nextValue());
                        write.executeUpdate();
                    };
                })
                .add(targets.get(0), 1, COUNTER_WRITES, staleness::writer);
        readers.forEach(target -> clients.add(target, 1, COUNTER_READS, staleness::reader));
        return clients;
    }

    /**
     * Measures how long reads of some rows lag behind their writer. Each write increments the value
     * of a row. Each read is compared with the last value that was acknowledged before the read
     * began. Thread-safe, except for the one writer.
     */
    private static final class StaleReads {
        static final String TABLE =
                "CREATE TABLE counters (k BIGINT PRIMARY KEY, n BIGINT NOT NULL) DEFAULT CHARSET = utf8mb4";

        private static final int COUNTERS = 20;
        /** Number of a row's last writes whose times are stored. A longer lag is an error. */
        private static final int REMEMBERED = 1 << 12;

        private static final long MOST_MICROS = TimeUnit.MINUTES.toMicros(10);

        private final AtomicIntegerArray last = new AtomicIntegerArray(COUNTERS);
        /** The times at which the store acknowledged the last writes of each row. */
        private final AtomicLongArray acknowledged = new AtomicLongArray(COUNTERS * REMEMBERED);

        private final Histogram micros = new ConcurrentHistogram(MOST_MICROS, 3);

        static String fill() {
            return "INSERT INTO counters VALUES "
                    + IntStream.range(0, COUNTERS)
                            .mapToObj(row -> "(" + row + ", 0)")
                            .collect(Collectors.joining(","));
        }

        ClientGroups.Operation writer(Connection connection) throws SQLException {
            PreparedStatement write = connection.prepareStatement("UPDATE counters SET n = ? WHERE k = ?");
            return () -> {
                int row = ThreadLocalRandom.current().nextInt(COUNTERS);
                int value = last.get(row) + 1;
                write.setInt(1, value);
                write.setLong(2, row);
                write.executeUpdate();
                acknowledged.set(moment(row, value), System.nanoTime());
                last.set(row, value);
            };
        }

        ClientGroups.Operation reader(Connection connection) throws SQLException {
            PreparedStatement read = connection.prepareStatement("SELECT n FROM counters WHERE k = ?");
            return () -> {
                int row = ThreadLocalRandom.current().nextInt(COUNTERS);
                int least = last.get(row);
                long began = System.nanoTime();
                read.setLong(1, row);
                try (ResultSet answer = read.executeQuery()) {
                    int value = answer.next() ? answer.getInt(1) : Integer.MIN_VALUE;
                    if (value <= least - REMEMBERED) {
                        throw new SQLException("counter " + row + " is " + value + " after " + least);
                    }
                    long lag = value >= least ? 0 : began - acknowledged.get(moment(row, value + 1));
                    micros.recordValue(Math.min(MOST_MICROS, TimeUnit.NANOSECONDS.toMicros(Math.max(0, lag))));
                }
            };
        }

        private static int moment(int row, int value) {
            return row * REMEMBERED + value % REMEMBERED;
        }

        void reset() {
            micros.reset();
        }

        /**
         * Adds the percentage of reads that missed an acknowledged write, and percentiles of the
         * lag of all reads. The lag is the time from the acknowledgement of the first missed write
         * to the read; 0 if no write was missed.
         */
        Results addTo(Results figures) {
            double all = micros.getTotalCount();
            return figures.with("stale reads %", 100 * (all - micros.getCountBetweenValues(0, 0)) / all)
                    .with("staleness p50 ms", micros.getValueAtPercentile(50) / 1e3)
                    .with("p99 ms", micros.getValueAtPercentile(99) / 1e3)
                    .with("p99.9 ms", micros.getValueAtPercentile(99.9) / 1e3)
                    .with("max ms", micros.getMaxValue() / 1e3);
        }
    }
}
