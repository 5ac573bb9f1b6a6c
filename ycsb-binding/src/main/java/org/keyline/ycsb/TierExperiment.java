package org.keyline.ycsb;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;
import site.ycsb.generator.ScrambledZipfianGenerator;

/**
 * Compares the times of answers from tier, memory and store. Also measures whether a tier slows
 * down answers from memory, and how its failure affects clients. Confined to one thread.
 */
final class TierExperiment {
    static final String OPTIONS = """
              --records N           read once by each way, in each round, by one client, and as many by several [10000]
              --rounds N            in turns, the first half of which only warms up [16]
              --threads N           several clients [8]
              --seconds N           with the tier, without it, and with it again [5]
              --hot N               rows that these clients read [1000]
              --tier PROGRAM        redis-server, valkey-server or a file [redis-server]
            """ + Options.common("installed", "-Xmx512m");

    private static final String DATABASE = "tier";
    private static final NumberRows ROWS = new NumberRows("numbers", 100);
    private static final int HITS_PER_LOAD = 3;
    private static final int WARMING = 8;
    private static final String HITS = "keyline_table_hits_total";

    /** A source of answers, with its figures summed over the rounds. */
    private static final class Way {
        private final String name;
        private final String counter;

        private final Histogram nanos = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
        private double processorMicros;
        private long together;
        private long answered;

        Way(String name, String counter) {
            this.name = name;
            this.counter = counter;
        }
    }

    private final Harness harness;
    private final Options options;

    TierExperiment(Harness harness) {
        this.harness = harness;
        this.options = harness.options();
    }

    void run() throws IOException, SQLException {
        try (MariaDbServer server = harness.mariaDb();
                TierServer tier = TierServer.start(options.text("tier"))) {
            ROWS.load(
                    server.straight(DATABASE),
                    Math.max(options.count("hot"), 2 * options.count("records") * options.count("rounds")));
            answers(server, tier);
            lost(server, tier);
        }
    }

    private GatewayProcess start(MariaDbServer server, String... settings) throws IOException {
        return start(ServerProcess.freePort(), server, settings);
    }

    private GatewayProcess start(int port, MariaDbServer server, String... settings) throws IOException {
        List<String> all = new ArrayList<>(List.of(settings));
        all.add(Harness.NO_SIGNAL);
        return harness.gateway(port, server, Harness.settings(all));
    }

    // ---------------------------------------------------------------- what answers take

    private void answers(MariaDbServer server, TierServer tier) throws IOException, SQLException {
        String url = "tier.url=" + tier.url();
        String ttl = "cache.ttl=1h";
        String noAudits = "cache.auditOneIn=0";
        int atA = ServerProcess.freePort();
        int atB = ServerProcess.freePort();
        String members = "tier.members=a=127.0.0.1:" + atA + ",b=127.0.0.1:" + atB;
        Way fromStore = new Way("the store, by a gateway without a tier", "keyline_table_loads_total");
        Way filled = new Way("the store, and put into the tier", "keyline_tier_lines_put_total");
        Way fromTier = new Way("the tier", "keyline_tier_lines_hit_total");
        Way local = new Way("memory", HITS);
        Way localWithout = new Way("memory, without a tier", HITS);
        Way paying = new Way("memory, so that its loads pay", HITS);
        try (GatewayProcess alone = start(server, ttl, noAudits);
                GatewayProcess a = start(atA, server, ttl, url, members, "tier.name=a", "tier.values=true", noAudits);
                GatewayProcess b = start(atB, server, ttl, url, members, "tier.name=b", "tier.values=true", noAudits);
                Client toAlone = new Client(server, alone);
                Client toA = new Client(server, a);
                Client toB = new Client(server, b)) {
            for (int round = 0; round < options.count("rounds"); round++) {
                boolean counts = round >= options.count("rounds") / 2;
                read(toAlone, fromStore, round, 1, counts);
                read(toAlone, localWithout, round, HITS_PER_LOAD, counts);
                read(toA, filled, round, 1, counts);
                // The gateway would soon stop loading rows that are never read again, so each row
                // is read again.
                read(toA, paying, round, HITS_PER_LOAD, false);
                read(toB, fromTier, round, 1, counts);
                read(toB, local, round, HITS_PER_LOAD, counts);
            }
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
        harness.write(
                figures,
                "tier-answers",
                "One client reads {records} rows of 100 bytes one after the other, and these reads are timed; then {threads} clients read as many other rows, and the processor time of these reads is measured; {rounds} rounds, of which the first half does not count");
        figures.plotBars(
                harness.file("tier-answers.png"),
                "An answer from the tier",
                "answered from",
                "µs",
                "p50 µs",
                "gateway's processor µs");
    }

    private record Client(GatewayProcess gateway, Target target, Connection connection) implements AutoCloseable {
        Client(MariaDbServer server, GatewayProcess gateway) throws SQLException {
            this(
                    gateway,
                    server.through(gateway, DATABASE),
                    server.through(gateway, DATABASE).open());
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }

    private void read(Client client, Way way, int round, int times, boolean counts) throws IOException, SQLException {
        for (int time = 0; time < times; time++) {
            read(client, way, round, counts);
        }
    }

    /** Reads the rows of a round: half by one client, the other half by several clients at once. */
    private void read(Client client, Way way, int round, boolean counts) throws IOException, SQLException {
        GatewayProcess gateway = client.gateway;
        int records = options.count("records");
        long first = 2L * round * records;
        double before = gateway.counters().get(way.counter);
        try (PreparedStatement read = client.connection.prepareStatement(ROWS.read())) {
            for (long key = first; key < first + records; key++) {
                long began = System.nanoTime();
                ROWS.read(read, key);
                if (counts) {
                    way.nanos.recordValue(System.nanoTime() - began);
                }
            }
        }
        long processor = gateway.processorTime().toNanos();
        AtomicLong next = new AtomicLong(first + records);
        together(end -> {
            try (Connection connection = client.target.open();
                    PreparedStatement read = connection.prepareStatement(ROWS.read())) {
                for (long key = next.getAndIncrement(); key < first + 2L * records; key = next.getAndIncrement()) {
                    ROWS.read(read, key);
                }
            }
        });
        if (counts) {
            way.processorMicros += (gateway.processorTime().toNanos() - processor) / 1e3;
            way.together += records;
            way.answered += (long) (gateway.counters().get(way.counter) - before);
        }
    }

    private void together(ParallelClients.Work client) throws IOException {
        ParallelClients.run(Collections.nCopies(options.count("threads"), client), options.count("seconds"));
    }

    // ---------------------------------------------------------------- a tier that is lost

    private void lost(MariaDbServer server, TierServer tier) throws IOException {
        String url = "tier.url=" + tier.url();
        String ttl = "cache.ttl=1s";
        String values = "tier.values=true";
        int atA = ServerProcess.freePort();
        int atB = ServerProcess.freePort();
        String members = "tier.members=a=127.0.0.1:" + atA + ",b=127.0.0.1:" + atB;
        try (GatewayProcess alone = start(server, ttl);
                GatewayProcess a = start(atA, server, ttl, url, members, "tier.name=a", values);
                GatewayProcess b = start(atB, server, ttl, url, members, "tier.name=b", values)) {
            for (GatewayProcess each : List.of(a, b)) {
                each.awaitFreshness();
            }
            for (int warming = 0; warming < WARMING; warming++) {
                for (GatewayProcess each : List.of(alone, a)) {
                    Load unused = load(server, each);
                }
            }
            Loss loss = lose(server, tier, alone, a);
            List<Load> without = loss.without.stream()
                    .sorted(Comparator.comparingLong(Load::reads))
                    .toList();
            Load usual = without.get(without.size() / 2);
            Figures figures = new Figures(
                    "reads", "reads/s", "of those without a tier", "gateway's processor µs", "errors", "hit rate %");
            row(figures, "without a tier, median of " + without.size(), usual, usual);
            row(figures, "with one", loss.with, usual);
            row(figures, "from its kill on", loss.lost, usual);
            row(figures, "after its restart", loss.back, usual);
            harness.write(
                    figures,
                    "tier-lost",
                    "{threads} clients read {hot} rows by a Zipfian distribution for {seconds} s at a time; rows live 1 s");
            figures.plotBars(
                    harness.file("tier-lost.png"), "A tier that is lost under load", "reads", "reads/s", "reads/s");
        }
    }

    /**
     * The measurements of a gateway with its tier, without it, and with it again.
     *
     * @param without the measurements of a gateway that never has a tier, taken between the others
     */
    private record Loss(Load with, Load lost, Load back, List<Load> without) {}

    private Loss lose(MariaDbServer server, TierServer tier, GatewayProcess alone, GatewayProcess gateway)
            throws IOException {
        List<Load> without = new ArrayList<>(List.of(load(server, alone)));
        Load with = load(server, gateway);
        without.add(load(server, alone));
        tier.kill();
        Load lost = load(server, gateway);
        without.add(load(server, alone));
        tier.startAgain();
        return new Loss(with, lost, load(server, gateway), without);
    }

    private record Load(long reads, long errors, double processorMicros, double hitPercent) {}

    private void row(Figures figures, String name, Load load, Load usual) {
        figures.row(
                name,
                (double) load.reads / options.count("seconds"),
                (double) load.reads / usual.reads,
                load.processorMicros / load.reads,
                load.errors,
                load.hitPercent);
    }

    /** Measures reads of several clients. Each reads again as soon as it has the last reply. */
    private Load load(MariaDbServer server, GatewayProcess gateway) throws IOException {
        Target target = server.through(gateway, DATABASE);
        AtomicLong reads = new AtomicLong();
        AtomicLong errors = new AtomicLong();
        Counters before = gateway.counters();
        long processor = gateway.processorTime().toNanos();
        together(end -> read(target, end, reads, errors));
        double micros = (gateway.processorTime().toNanos() - processor) / 1e3;
        double hits = gateway.counters().since(before).percentOfQueries("hits");
        return new Load(reads.get(), errors.get(), micros, hits);
    }

    private void read(Target target, LongSupplier end, AtomicLong reads, AtomicLong errors) throws SQLException {
        ScrambledZipfianGenerator keys = new ScrambledZipfianGenerator(options.count("hot"));
        try (Connection connection = target.open();
                PreparedStatement read = connection.prepareStatement(ROWS.read())) {
            for (long until = end.getAsLong(); System.nanoTime() - until < 0; ) {
                try {
                    ROWS.read(read, keys.nextValue());
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
