package org.keyline.ycsb;

import java.io.IOException;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import site.ycsb.generator.ScrambledZipfianGenerator;

/**
 * Compares answers from the tier with answers from memory and from the store, measures whether a
 * tier slows down answers from memory, and what clients notice when the tier fails. Confined to one
 * thread.
 */
final class TierExperiment {
    private static final String USAGE = """
            usage: java -jar keyline-ycsb.jar experiment tier [options]

              --records N        read once by each way, in each round, by one client, and as many by several; default 10000
              --rounds N         in turns, the first half of which only warms up, default 16
              --threads N        several clients, default 8
              --seconds N        with the tier, without it, and with it again, default 5
              --hot N            rows that these clients read, default 1000
              --tier PROGRAM     redis-server (default), valkey-server or a file
              --mariadb ADDRESS  HOST:PORT, or installed (default) to start the one installed here
              --mariadb-user, --mariadb-password
              --gateway JAR      default gateway/target/keyline.jar
              --java OPTION      one argument of the gateways' JVMs, repeatable, default -Xmx512m
              --output DIR       default docs/experiments
            """;

    private static final Map<String, String> DEFAULTS = Map.ofEntries(
            Map.entry("records", "10000"),
            Map.entry("rounds", "16"),
            Map.entry("threads", "8"),
            Map.entry("seconds", "5"),
            Map.entry("hot", "1000"),
            Map.entry("tier", "redis-server"),
            Map.entry("mariadb", "installed"),
            Map.entry("mariadb-user", "root"),
            Map.entry("mariadb-password", ""),
            Map.entry("gateway", "gateway/target/keyline.jar"),
            Map.entry("java", "-Xmx512m"),
            Map.entry("output", Experiments.OUTPUT));

    private static final String DATABASE = "tier";
    private static final int HITS_PER_LOAD = 3;
    private static final int WARMING = 8;

    /** The measurements of one way to answer reads, accumulated over the rounds. */
    private static final class Way {
        private final String name;
        private final Histogram nanos = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
        private double processorMicros;
        private long together;
        private long answered;

        Way(String name) {
            this.name = name;
        }
    }

    private final Options options;

    private TierExperiment(Options options) {
        this.options = options;
    }

    static void run(List<String> arguments, PrintStream out) throws IOException {
        if (arguments.contains("--help")) {
            out.print(USAGE);
            return;
        }
        new TierExperiment(new Options(USAGE, DEFAULTS, arguments)).run(out);
    }

    private void run(PrintStream out) throws IOException {
        try (MariaDbServer server = MariaDbServer.of(options);
                TierServer tier = TierServer.start(options.text("tier"))) {
            NumberRows.load(
                    server.straight(DATABASE),
                    Math.max(options.count("hot"), 2 * options.count("records") * options.count("rounds")));
            answers(server, tier, out);
            lost(server, tier, out);
        }
    }

    private GatewayProcess start(MariaDbServer server, String ttl, String... settings) throws IOException {
        return start(GatewayProcess.freePort(), server, ttl, settings);
    }

    private GatewayProcess start(int port, MariaDbServer server, String ttl, String... settings) throws IOException {
        List<String> serve = new ArrayList<>(server.serveOptions());
        serve.addAll(List.of("--ttl", ttl));
        for (String setting : settings) {
            serve.addAll(List.of("--set", setting));
        }
        return GatewayProcess.start(port, options.path("gateway"), options.all("java"), serve);
    }

    // ---------------------------------------------------------------- what answers take

    private void answers(MariaDbServer server, TierServer tier, PrintStream out) throws IOException {
        String url = "tier.url=" + tier.url();
        String members = "tier.members=a,b";
        String noAudits = "cache.auditOneIn=0";
        Way fromStore = new Way("the store, by a gateway without a tier");
        Way filled = new Way("the store, and put into the tier");
        Way fromTier = new Way("the tier");
        Way local = new Way("memory");
        Way localWithout = new Way("memory, without a tier");
        Way paying = new Way("memory, so that its loads pay");
        try (GatewayProcess alone = start(server, "1h", noAudits);
                GatewayProcess a = start(server, "1h", url, members, "tier.name=a", "tier.values=true", noAudits);
                GatewayProcess b = start(server, "1h", url, members, "tier.name=b", "tier.values=true", noAudits);
                Connection toAlone = open(server, alone);
                Connection toA = open(server, a);
                Connection toB = open(server, b)) {
            for (int round = 0; round < options.count("rounds"); round++) {
                boolean counts = round >= options.count("rounds") / 2;
                read(server, alone, toAlone, "keyline_table_loads_total", fromStore, round, counts);
                for (int again = 0; again < HITS_PER_LOAD; again++) {
                    read(server, alone, toAlone, "keyline_table_hits_total", localWithout, round, counts);
                }
                read(server, a, toA, "keyline_tier_lines_put_total", filled, round, counts);
                // Rows that are never read again are soon no longer loaded, so read each of them
                // again.
                for (int again = 0; again < HITS_PER_LOAD; again++) {
                    read(server, a, toA, "keyline_table_hits_total", paying, round, false);
                }
                read(server, b, toB, "keyline_tier_lines_hit_total", fromTier, round, counts);
                for (int again = 0; again < HITS_PER_LOAD; again++) {
                    read(server, b, toB, "keyline_table_hits_total", local, round, counts);
                }
            }
        } catch (SQLException e) {
            throw new IOException("a client failed: " + e.getMessage(), e);
        }
        Figures figures =
                new Figures("answered from", "reads", "so answered %", "p50 µs", "p99 µs", "gateway's processor µs");
        for (Way way : List.of(fromStore, filled, fromTier, local, localWithout)) {
            long reads = way.nanos.getTotalCount() + way.together;
            figures.row(
                    way.name,
                    reads,
                    100.0 * way.answered / reads,
                    way.nanos.getValueAtPercentile(50) / 1e3,
                    way.nanos.getValueAtPercentile(99) / 1e3,
                    way.processorMicros / way.together);
        }
        figures.write(
                options.path("output"),
                "tier-answers",
                "One client reads %s rows of 100 bytes one after the other, which is timed; then %s clients read as many others, of which the processor time is; in each of %s rounds, the first half of which does not count; %s"
                        .formatted(
                                options.text("records"),
                                options.text("threads"),
                                options.text("rounds"),
                                Experiments.machine()));
        figures.plotBars(
                options.path("output").resolve("tier-answers.png"),
                "An answer from the tier",
                "answered from",
                "µs",
                "p50 µs",
                "gateway's processor µs");
        out.print(figures.markdown());
    }

    private static Connection open(MariaDbServer server, GatewayProcess gateway) throws SQLException {
        return server.through(gateway.address(), DATABASE).open();
    }

    /**
     * Reads each row of a round once: half of them by one client, the others by several at once.
     */
    private void read(
            MariaDbServer server,
            GatewayProcess gateway,
            Connection client,
            String counter,
            Way way,
            int round,
            boolean counts)
            throws IOException, SQLException {
        int records = options.count("records");
        long first = 2L * round * records;
        double before = gateway.figures().getOrDefault(counter, 0.0);
        try (PreparedStatement read = client.prepareStatement(NumberRows.READ)) {
            for (long key = first; key < first + records; key++) {
                long began = System.nanoTime();
                NumberRows.read(read, key);
                if (counts) {
                    way.nanos.recordValue(System.nanoTime() - began);
                }
            }
        }
        long processor = gateway.processorTime().toNanos();
        AtomicLong next = new AtomicLong(first + records);
        Target target = server.through(gateway.address(), DATABASE);
        together(() -> {
            try (Connection connection = target.open();
                    PreparedStatement read = connection.prepareStatement(NumberRows.READ)) {
                for (long key = next.getAndIncrement(); key < first + 2L * records; key = next.getAndIncrement()) {
                    NumberRows.read(read, key);
                }
            }
            return null;
        });
        if (counts) {
            way.processorMicros += (gateway.processorTime().toNanos() - processor) / 1e3;
            way.together += records;
            way.answered += (long) (gateway.figures().getOrDefault(counter, 0.0) - before);
        }
    }

    /** Runs clients concurrently and waits for all of them. */
    private void together(Callable<Void> client) throws IOException {
        ExecutorService clients = Executors.newFixedThreadPool(options.count("threads"));
        try {
            for (Future<Void> each : clients.invokeAll(Collections.nCopies(options.count("threads"), client))) {
                each.get();
            }
        } catch (ExecutionException e) {
            throw new IOException("a client failed: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            clients.shutdownNow();
        }
    }

    // ---------------------------------------------------------------- a tier that is lost

    private void lost(MariaDbServer server, TierServer tier, PrintStream out) throws IOException {
        String url = "tier.url=" + tier.url();
        String members = "tier.members=a,b";
        String values = "tier.values=true";
        String apart = "tier.namespace=linked";
        int atC = GatewayProcess.freePort();
        int atD = GatewayProcess.freePort();
        String linked = "tier.members=c=127.0.0.1:" + atC + ",d=127.0.0.1:" + atD;
        Figures figures = new Figures(
                "reads", "reads/s", "of those without a tier", "gateway's processor µs", "errors", "hit rate %");
        try (GatewayProcess alone = start(server, "1s");
                GatewayProcess a = start(server, "1s", url, members, "tier.name=a", values);
                GatewayProcess b = start(server, "1s", url, members, "tier.name=b", values);
                GatewayProcess c = start(atC, server, "1s", url, linked, "tier.name=c", values, apart);
                GatewayProcess d = start(atD, server, "1s", url, linked, "tier.name=d", values, apart)) {
            for (GatewayProcess each : List.of(a, b, c, d)) {
                each.awaitFreshness();
            }
            for (int warming = 0; warming < WARMING; warming++) {
                for (GatewayProcess each : List.of(alone, a, c)) {
                    Load unused = load(server, each);
                }
            }
            List<Load> without = new ArrayList<>();
            Loss throughTier = lose(server, tier, alone, without, a);
            Loss direct = lose(server, tier, alone, without, c);
            Load usual = median(without);
            row(figures, "without a tier, median of " + without.size(), usual, usual);
            row(figures, "with one", throughTier.with(), usual);
            row(figures, "from the moment it is killed on", throughTier.lost(), usual);
            row(figures, "when it is there again", throughTier.back(), usual);
            row(figures, "with one, gateways linked", direct.with(), usual);
            row(figures, "from the moment it is killed on, gateways linked", direct.lost(), usual);
            row(figures, "when it is there again, gateways linked", direct.back(), usual);
            figures.write(
                    options.path("output"),
                    "tier-lost",
                    "%s clients read %s rows by a Zipfian distribution for %s s at a time; rows live 1 s; lines were fresh again %.2f s after the tier had been started again; %s"
                            .formatted(
                                    options.text("threads"),
                                    options.text("hot"),
                                    options.text("seconds"),
                                    throughTier.backSeconds(),
                                    Experiments.machine()));
            figures.plotBars(
                    options.path("output").resolve("tier-lost.png"),
                    "A tier that is lost under load",
                    "reads",
                    "reads/s",
                    "reads/s");
            out.print(figures.markdown());
        }
    }

    /** The measurements of a gateway with its tier, without it, and with it again. */
    private record Loss(Load with, Load lost, Load back, double backSeconds) {}

    /** @param without receives the measurements of a gateway without a tier in between */
    private Loss lose(
            MariaDbServer server, TierServer tier, GatewayProcess alone, List<Load> without, GatewayProcess gateway)
            throws IOException {
        without.add(load(server, alone));
        Load with = load(server, gateway);
        without.add(load(server, alone));
        tier.kill();
        Load lost = load(server, gateway);
        without.add(load(server, alone));
        tier.startAgain();
        long began = System.nanoTime();
        gateway.awaitFreshness();
        double backSeconds = (System.nanoTime() - began) / 1e9;
        return new Loss(with, lost, load(server, gateway), backSeconds);
    }

    private static Load median(List<Load> loads) {
        return loads.stream()
                .sorted(Comparator.comparingLong(Load::reads))
                .toList()
                .get(loads.size() / 2);
    }

    private record Load(long reads, long errors, double processorMicros, double hitPercent) {}

    private void row(Figures figures, String name, Load load, Load usual) {
        figures.row(
                name,
                (double) load.reads() / options.count("seconds"),
                (double) load.reads() / usual.reads(),
                load.processorMicros() / load.reads(),
                load.errors(),
                load.hitPercent());
    }

    /** Runs clients that read as fast as they are answered. */
    private Load load(MariaDbServer server, GatewayProcess gateway) throws IOException {
        Target target = server.through(gateway.address(), DATABASE);
        AtomicLong reads = new AtomicLong();
        AtomicLong errors = new AtomicLong();
        Map<String, Double> before = gateway.figures();
        long processor = gateway.processorTime().toNanos();
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(options.count("seconds"));
        together(() -> {
            read(target, until, reads, errors);
            return null;
        });
        double micros = (gateway.processorTime().toNanos() - processor) / 1e3;
        Map<String, Double> after = gateway.figures();
        double queries = grown(before, after, "keyline_table_queries_total");
        return new Load(
                reads.get(), errors.get(), micros, 100 * grown(before, after, "keyline_table_hits_total") / queries);
    }

    private static double grown(Map<String, Double> before, Map<String, Double> after, String name) {
        return after.getOrDefault(name, 0.0) - before.getOrDefault(name, 0.0);
    }

    private void read(Target target, long until, AtomicLong reads, AtomicLong errors) throws SQLException {
        ScrambledZipfianGenerator keys = new ScrambledZipfianGenerator(options.count("hot"));
        try (Connection connection = target.open();
                PreparedStatement read = connection.prepareStatement(NumberRows.READ)) {
            while (System.nanoTime() - until < 0) {
                try {
                    NumberRows.read(read, keys.nextValue());
                    reads.incrementAndGet();
                } catch (SQLException failed) {
                    errors.incrementAndGet();
                    if (!connection.isValid(1)) {
                        throw failed;
                    }
                }
            }
        }
    }
}
