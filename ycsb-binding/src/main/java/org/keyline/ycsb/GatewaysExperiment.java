package org.keyline.ycsb;

import java.io.IOException;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import site.ycsb.generator.ScrambledZipfianGenerator;

/**
 * One gateway and several in front of one MariaDB. The gateways are independent, exchange writes,
 * or share lines. Measures how many reads need the store, and by how much reads lag behind writes
 * through another gateway. Confined to one thread.
 */
final class GatewaysExperiment {
    private static final String USAGE = """
            usage: java -jar keyline-ycsb.jar experiment gateways [options]

              --gateways LIST    how many, default 1,2,3
              --tiers LIST       none, messages (of writes, by a tier), links (the same, directly), lines (messages, and each
                                 other's lines, by a tier), default all four
              --threads N        reading clients of all gateways together, default 6
              --rate N           reads a second of all clients together, default 1500
              --writes N         writes a second of rows among those, default 10
              --seconds N        each run, default 10
              --records N        rows of 100 bytes, default 5000
              --counters N       rows that one client writes and the others read, to measure staleness, default 20
              --ttl TIME         of lines without a tier, default 1s
              --tier-ttl TIME    of lines with a tier, default 1m
              --tier PROGRAM     redis-server (default), valkey-server or a file
              --tier-option O    one argument of it, repeatable
              --mariadb ADDRESS  HOST:PORT, or installed (default) to start the one installed here
              --mariadb-user, --mariadb-password
              --gateway JAR      default gateway/target/keyline.jar
              --java OPTION      one argument of the gateways' JVMs, repeatable, default -Xmx256m
              --output DIR       default docs/experiments
            """;

    private static final Map<String, String> DEFAULTS = Map.ofEntries(
            Map.entry("gateways", "1,2,3"),
            Map.entry("tiers", "none,messages,links,lines"),
            Map.entry("threads", "6"),
            Map.entry("rate", "1500"),
            Map.entry("writes", "10"),
            Map.entry("seconds", "10"),
            Map.entry("records", "5000"),
            Map.entry("counters", "20"),
            Map.entry("ttl", "1s"),
            Map.entry("tier-ttl", "1m"),
            Map.entry("tier", "redis-server"),
            Map.entry("tier-option", ""),
            Map.entry("mariadb", "installed"),
            Map.entry("mariadb-user", "root"),
            Map.entry("mariadb-password", ""),
            Map.entry("gateway", "gateway/target/keyline.jar"),
            Map.entry("java", "-Xmx256m"),
            Map.entry("output", Experiments.OUTPUT));

    private static final String DATABASE = "gateways";
    private static final int COUNTER_WRITES = 50;
    private static final int COUNTER_READS = 200;

    /** The information that gateways exchange. */
    private enum Tier {
        NONE,
        MESSAGES,
        LINKS,
        LINES;

        /** Returns whether the gateways need a server between them. */
        boolean between() {
            return this == MESSAGES || this == LINES;
        }

        static List<Tier> of(String list) {
            List<Tier> tiers = new ArrayList<>();
            for (String name : list.split(",", -1)) {
                try {
                    tiers.add(valueOf(name.toUpperCase(Locale.ROOT)));
                } catch (IllegalArgumentException unknown) {
                    throw new IllegalArgumentException(
                            "--tiers " + name + " (expected: none, messages, links or lines)", unknown);
                }
            }
            return tiers;
        }
    }

    /** The store's counters. */
    private record Asked(double statements, double rows) {}

    /** A client's work, which calls {@code end} for its end time once it is connected. */
    private interface Work {
        void run(LongSupplier end) throws SQLException;
    }

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

    private GatewaysExperiment(Options options) {
        this.options = options;
    }

    static void run(List<String> arguments, PrintStream out) throws IOException {
        if (arguments.contains("--help")) {
            out.print(USAGE);
            return;
        }
        new GatewaysExperiment(new Options(USAGE, DEFAULTS, arguments)).run(out);
    }

    private void run(PrintStream out) throws IOException {
        List<Tier> tiers = Tier.of(options.text("tiers"));
        List<Integer> counts = options.counts("gateways");
        try (MariaDbServer server = MariaDbServer.of(options)) {
            for (int count : counts) {
                for (Tier tier : tiers) {
                    if (count > 1 || tier == Tier.NONE) {
                        out.println("# " + count + " gateways, " + name(tier));
                        measure(server, count, tier, out);
                    }
                }
            }
        }
        figures.write(
                options.path("output"),
                "gateways",
                ("%s reads and %s writes a second by %s clients for %s s, %s rows by a Zipfian distribution; beside them %s counters,"
                                + " written %d times a second through one gateway; rows live %s without a tier and %s with one; %s")
                        .formatted(
                                options.text("rate"),
                                options.text("writes"),
                                options.text("threads"),
                                options.text("seconds"),
                                options.text("records"),
                                options.text("counters"),
                                COUNTER_WRITES,
                                options.text("ttl"),
                                options.text("tier-ttl"),
                                Experiments.machine()));
        figures.plotLines(
                options.path("output").resolve("gateways.png"),
                "What the store is asked by several gateways",
                "gateways",
                "rows looked up/s",
                "tier");
        out.print(figures.markdown());
    }

    private static String name(Tier tier) {
        return tier.name().toLowerCase(Locale.ROOT);
    }

    private void measure(MariaDbServer server, int count, Tier tier, PrintStream out) throws IOException {
        Target straight = server.straight(DATABASE);
        StaleReads staleness = new StaleReads(options.count("counters"));
        NumberRows.load(
                straight,
                options.count("records"),
                "DROP TABLE IF EXISTS counters",
                StaleReads.TABLE,
                staleness.fill());
        List<GatewayProcess> gateways = new ArrayList<>();
        String[] ofTier = options.all("tier-option").toArray(String[]::new);
        Set<Integer> free = new LinkedHashSet<>();
        while (free.size() < count) {
            free.add(GatewayProcess.freePort());
        }
        List<Integer> ports = List.copyOf(free);
        try (TierServer between = tier.between() ? TierServer.start(options.text("tier"), ofTier) : null) {
            for (int i = 0; i < count; i++) {
                List<String> serve = new ArrayList<>(server.serveOptions());
                serve.addAll(List.of("--ttl", options.text(tier == Tier.NONE ? "ttl" : "tier-ttl")));
                if (tier != Tier.NONE) {
                    serve.addAll(tierOptions(between, ports, i, tier));
                }
                gateways.add(GatewayProcess.start(ports.get(i), options.path("gateway"), options.all("java"), serve));
            }
            List<Target> targets = gateways.stream()
                    .map(gateway -> server.through(gateway.address(), DATABASE))
                    .toList();
            if (tier != Tier.NONE) {
                for (GatewayProcess gateway : gateways) {
                    gateway.awaitFreshness();
                }
            }
            // Fills plans, templates and lines.
            long warm = reads(targets, Math.max(1, options.count("seconds") / 2), staleness);
            out.println(warm + " reads to be warm");
            staleness.reset();
            Asked askedBefore = asked(straight);
            Map<String, Double> before = sum(gateways);
            long reads = reads(targets, options.count("seconds"), staleness);
            Map<String, Double> grown = sum(gateways);
            Asked askedAfter = asked(straight);
            before.forEach((name, value) -> grown.merge(name, -value, Double::sum));
            add(count, tier, reads, grown, askedBefore, askedAfter, staleness);
        } finally {
            gateways.forEach(GatewayProcess::close);
        }
    }

    /**
     * Returns the tier options of one of the gateways.
     *
     * @param between the tier server, or null for direct links
     */
    private static List<String> tierOptions(@Nullable TierServer between, List<Integer> ports, int number, Tier tier) {
        List<String> serve = new ArrayList<>();
        String members = IntStream.range(0, ports.size())
                .mapToObj(i -> "g" + i + (tier == Tier.LINKS ? "=127.0.0.1:" + ports.get(i) : ""))
                .collect(Collectors.joining(","));
        if (between != null) {
            serve.addAll(List.of("--set", "tier.url=" + between.url()));
        }
        for (String setting :
                List.of("tier.members=" + members, "tier.name=g" + number, "tier.values=" + (tier == Tier.LINES))) {
            serve.addAll(List.of("--set", setting));
        }
        return serve;
    }

    private void add(
            int count,
            Tier tier,
            long reads,
            Map<String, Double> grown,
            Asked before,
            Asked after,
            StaleReads staleness) {
        double queries = grown.getOrDefault("keyline_table_queries_total", 0.0);
        double loads = grown.getOrDefault("keyline_table_loads_total", 0.0);
        double seconds = options.count("seconds");
        figures.row(
                count,
                name(tier),
                reads / seconds,
                100 * grown.getOrDefault("keyline_table_hits_total", 0.0) / queries,
                100 * loads / queries,
                tier == Tier.LINES ? 100 * grown.getOrDefault("keyline_tier_lines_hit_total", 0.0) / loads : Double.NaN,
                (after.statements() - before.statements()) / seconds,
                (after.rows() - before.rows()) / seconds,
                staleness.stalePercent(),
                staleness.millis(50),
                staleness.millis(99),
                staleness.millis(99.9),
                staleness.millis(100));
    }

    private static Map<String, Double> sum(List<GatewayProcess> gateways) throws IOException {
        Map<String, Double> sum = new HashMap<>();
        for (GatewayProcess gateway : gateways) {
            gateway.figures().forEach((name, value) -> sum.merge(name, value, Double::sum));
        }
        return sum;
    }

    private static Asked asked(Target straight) throws IOException {
        try (Connection connection = straight.open()) {
            return new Asked(status(connection, "COM_SELECT"), status(connection, "HANDLER_READ_KEY"));
        } catch (SQLException e) {
            throw new IOException("the store's counters: " + e.getMessage(), e);
        }
    }

    private static double status(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
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

    /**
     * Reads and writes through all gateways for {@code seconds}; returns the number of rows read
     * from the large table.
     */
    private long reads(List<Target> targets, int seconds, StaleReads staleness) throws IOException {
        int threads = options.count("threads");
        AtomicLong reads = new AtomicLong();
        List<Work> works = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Target target = targets.get(i % targets.size());
            works.add(end -> read(target, (double) options.count("rate") / threads, end, reads));
        }
        works.add(end -> write(targets.get(0), options.count("writes"), end));
        works.add(end -> staleness.write(targets.get(0), COUNTER_WRITES, end));
        // If there are several gateways, reads use the others.
        for (Target reader : targets.size() == 1 ? targets : targets.subList(1, targets.size())) {
            works.add(end -> staleness.read(reader, COUNTER_READS, end));
        }
        CyclicBarrier connected = new CyclicBarrier(works.size());
        LongSupplier end = () -> {
            try {
                connected.await(1, TimeUnit.MINUTES);
                return System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                throw new IllegalStateException("not all clients are connected within a minute", e);
            }
        };
        ExecutorService clients = Executors.newFixedThreadPool(works.size());
        try {
            List<Future<?>> running = new ArrayList<>();
            for (Work work : works) {
                running.add(clients.submit(() -> {
                    work.run(end);
                    return null;
                }));
            }
            for (Future<?> client : running) {
                client.get();
            }
            return reads.get();
        } catch (ExecutionException e) {
            throw new IOException("a client failed: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            clients.shutdownNow();
        }
    }

    private void read(Target target, double rate, LongSupplier end, AtomicLong reads) throws SQLException {
        ScrambledZipfianGenerator keys = new ScrambledZipfianGenerator(options.count("records"));
        try (Connection connection = target.open();
                PreparedStatement read = connection.prepareStatement(NumberRows.READ)) {
            long until = end.getAsLong();
            Pace pace = new Pace(rate);
            while (pace.next(until)) {
                NumberRows.read(read, keys.nextValue());
                reads.incrementAndGet();
            }
        }
    }

    private void write(Target target, double rate, LongSupplier end) throws SQLException {
        ScrambledZipfianGenerator keys = new ScrambledZipfianGenerator(options.count("records"));
        try (Connection connection = target.open();
                PreparedStatement write = connection.prepareStatement(NumberRows.WRITE)) {
            long until = end.getAsLong();
            Pace pace = new Pace(rate);
            while (pace.next(until)) {
                write.setLong(1, keys.nextValue());
                write.executeUpdate();
            }
        }
    }
}
