package org.keyline.ycsb;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import site.ycsb.generator.ScrambledZipfianGenerator;

/**
 * Compares one gateway with several gateways in front of one MariaDB. The gateways are independent,
 * exchange writes, or share lines. Measures how many reads need the store, and how long reads lag
 * behind writes through another gateway. Confined to one thread.
 */
final class GatewaysExperiment {
    static final String OPTIONS = """
              --gateways LIST       how many [1,2,3]
              --tiers LIST          [none,links,lines]
                                    links: gateways report writes to each other;
                                    lines: they also share lines through a Redis
              --threads N           reading clients of all gateways together [6]
              --rate N              reads a second of all clients together [1500]
              --writes N            writes a second of rows among those [10]
              --seconds N           each run [10]
              --records N           rows of 100 bytes [5000]
              --counters N          rows that one client writes and the others read, to measure staleness [20]
              --ttl TIME            of lines without a tier [1s]
              --tier-ttl TIME       of lines with a tier [1m]
              --tier PROGRAM        redis-server, valkey-server or a file [redis-server]
              --tier-option O       one argument of it, repeatable
            """ + Options.common("installed", "-Xmx256m");

    private static final String DATABASE = "gateways";
    private static final NumberRows ROWS = new NumberRows("numbers", 100);
    private static final int COUNTER_WRITES = 50;
    private static final int COUNTER_READS = 200;

    private static final String NONE = "none";
    private static final String LINES = "lines";

    private final Harness harness;
    private final Options options;
    private final Figures figures = new Figures(
            "gateways",
            "tier",
            "reads/s",
            "hit rate %",
            "load share %",
            "loads answered by the tier %",
            "store queries/s",
            "rows looked up/s",
            "stale reads %",
            "staleness p50 ms",
            "p99 ms",
            "p99.9 ms",
            "max ms");

    GatewaysExperiment(Harness harness) {
        this.harness = harness;
        this.options = harness.options();
    }

    void run() throws IOException, SQLException {
        List<String> tiers = options.choices("tiers", NONE, "links", LINES);
        List<Integer> counts = options.counts("gateways");
        try (MariaDbServer server = harness.mariaDb()) {
            for (int count : counts) {
                for (String tier : tiers) {
                    if (count > 1 || tier.equals(NONE)) {
                        harness.out().println("# " + count + " gateways, " + tier);
                        measure(server, count, tier);
                    }
                }
            }
        }
        harness.write(
                figures,
                "gateways",
                "{rate} reads and {writes} writes a second by {threads} clients for {seconds} s, {records} rows by a Zipfian distribution; beside them {counters} counters, written %d times a second through one gateway; rows live {ttl} without a tier and {tier-ttl} with one"
                        .formatted(COUNTER_WRITES));
        figures.plotLines(
                harness.file("gateways.png"),
                "What the store is asked by several gateways",
                "gateways",
                "rows looked up/s",
                "tier");
    }

    private void measure(MariaDbServer server, int count, String tier) throws IOException, SQLException {
        Target straight = server.straight(DATABASE);
        StaleReads staleness = new StaleReads(options.count("counters"));
        ROWS.load(
                straight,
                options.count("records"),
                "DROP TABLE IF EXISTS counters",
                StaleReads.TABLE,
                staleness.fill());
        List<GatewayProcess> gateways = new ArrayList<>();
        String[] ofTier = options.all("tier-option").toArray(String[]::new);
        List<Integer> ports = new ArrayList<>();
        while (ports.size() < count) {
            ports.add(ServerProcess.freePort());
        }
        try (TierServer between = tier.equals(LINES) ? TierServer.start(options.text("tier"), ofTier) : null;
                Connection store = straight.open()) {
            for (int i = 0; i < count; i++) {
                List<String> serve = tier.equals(NONE)
                        ? Harness.settings(List.of("cache.ttl=" + options.text("ttl"), Harness.NO_SIGNAL))
                        : tierOptions(between, ports, i);
                gateways.add(harness.gateway(ports.get(i), server, serve));
            }
            List<Target> targets = gateways.stream()
                    .map(gateway -> server.through(gateway, DATABASE))
                    .toList();
            if (!tier.equals(NONE)) {
                for (GatewayProcess gateway : gateways) {
                    gateway.awaitFreshness();
                }
            }
            // Fills the gateways' caches of plans, templates and lines.
            long warm = reads(targets, Math.max(1, options.count("seconds") / 2), staleness);
            harness.out().println(warm + " reads to be warm");
            staleness.reset();
            double statements = status(store, "COM_SELECT");
            double rows = status(store, "HANDLER_READ_KEY");
            Counters before = sum(gateways);
            double seconds = options.count("seconds");
            long reads = reads(targets, options.count("seconds"), staleness);
            Counters grown = sum(gateways).since(before);
            double fromTier = 100 * grown.get("keyline_tier_lines_hit_total") / grown.get("keyline_table_loads_total");
            figures.row(
                    count,
                    tier,
                    reads / seconds,
                    grown.percentOfQueries("hits"),
                    grown.percentOfQueries("loads"),
                    tier.equals(LINES) ? fromTier : Double.NaN,
                    (status(store, "COM_SELECT") - statements) / seconds,
                    (status(store, "HANDLER_READ_KEY") - rows) / seconds,
                    staleness.stalePercent(),
                    staleness.millis(50),
                    staleness.millis(99),
                    staleness.millis(99.9),
                    staleness.millis(100));
        } finally {
            gateways.forEach(GatewayProcess::close);
        }
    }

    /** @param between the Redis for shared lines; null if the gateways share no lines */
    private List<String> tierOptions(@Nullable TierServer between, List<Integer> ports, int number) {
        String members = IntStream.range(0, ports.size())
                .mapToObj(i -> "g" + i + "=127.0.0.1:" + ports.get(i))
                .collect(Collectors.joining(","));
        List<String> settings = new ArrayList<>(List.of(
                Harness.NO_SIGNAL,
                "cache.ttl=" + options.text("tier-ttl"),
                "tier.members=" + members,
                "tier.name=g" + number));
        if (between != null) {
            settings.add("tier.url=" + between.url());
            settings.add("tier.values=true");
        }
        return Harness.settings(settings);
    }

    private static Counters sum(List<GatewayProcess> gateways) throws IOException {
        Counters sum = Counters.NONE;
        for (GatewayProcess gateway : gateways) {
            sum = sum.plus(gateway.counters());
        }
        return sum;
    }

    private static double status(Connection store, String name) throws SQLException {
        try (PreparedStatement statement = store.prepareStatement(
                "SELECT CAST(variable_value AS DOUBLE) FROM information_schema.global_status WHERE variable_name = ?")) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new SQLException("the store does not count " + name);
                }
                return row.getDouble(1);
            }
        }
    }

    /** Runs all clients, and returns the number of rows read, without reads of the counters. */
    private long reads(List<Target> targets, int seconds, StaleReads staleness) throws IOException {
        int threads = options.count("threads");
        AtomicLong reads = new AtomicLong();
        List<ParallelClients.Work> works = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Target target = targets.get(i % targets.size());
            works.add(end -> paced(target, ROWS.read(), (double) options.count("rate") / threads, end, (read, key) -> {
                ROWS.read(read, key);
                reads.incrementAndGet();
            }));
        }
        works.add(end -> paced(targets.get(0), ROWS.write(), options.count("writes"), end, (write, key) -> {
            write.setLong(1, key);
            write.executeUpdate();
        }));
        works.add(end -> staleness.write(targets.get(0), COUNTER_WRITES, end));
        // If there are several gateways, the counters are read through gateways without writers.
        for (Target reader : targets.size() == 1 ? targets : targets.subList(1, targets.size())) {
            works.add(end -> staleness.read(reader, COUNTER_READS, end));
        }
        ParallelClients.run(works, seconds);
        return reads.get();
    }

    private interface OnRow {
        void run(PreparedStatement statement, long key) throws SQLException;
    }

    /** Executes a statement {@code rate} times a second, with Zipfian keys, until {@code end}. */
    private void paced(Target target, String sql, double rate, LongSupplier end, OnRow execution) throws SQLException {
        ScrambledZipfianGenerator keys = new ScrambledZipfianGenerator(options.count("records"));
        try (Connection connection = target.open();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            long until = end.getAsLong();
            Pace pace = new Pace(rate);
            while (pace.next(until)) {
                execution.run(statement, keys.nextValue());
            }
        }
    }
}
