package org.keyline.ycsb;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import site.ycsb.generator.ScrambledZipfianGenerator;

/**
 * Compares how long answers from the tier, from memory and from the store take. Also measures
 * whether a tier slows down answers from memory, and how its failure affects clients.
 */
record TierExperiment(Harness harness, Options options, int records, int threads) {
    static final String OPTIONS = """
            latency of answers from the tier, and what clients notice when the tier fails

              --records N           read once by each way, in each round, by one client, and as many by several [10000]
              --rounds N            in turns, after as many that only warm up [8]
              --threads N           several clients [8]
              --seconds N           with the tier, without it, and with it again [5]
            """ + Options.common("installed", "-Xmx512m");

    private static final NumberRows ROWS = new NumberRows("numbers", 100);
    private static final int HOT = 1_000;
    private static final int HITS_PER_LOAD = 3;
    private static final int WARMING = 8;

    static void run(Harness harness) throws IOException {
        Options options = harness.options();
        TierExperiment experiment =
                new TierExperiment(harness, options, options.count("records"), options.count("threads"));
        int redis = ServerProcess.freePort();
        try (Backend store = harness.mariaDb();
                ServerProcess tier = Harness.redis(redis)) {
            int rounds = 2 * options.count("rounds");
            ROWS.load(store.straight("tier"), Math.max(HOT, 2 * experiment.records * rounds));
            List<Integer> ports = List.of(ServerProcess.freePort(), ServerProcess.freePort());
            List<String> tiered = List.of("tier.url=redis://127.0.0.1:" + redis, "tier.values=true");
            experiment.answers(store, ports, tiered);
            experiment.lost(store, tier, ports, tiered);
        }
    }

    private GatewayProcess member(Backend store, List<Integer> ports, int number, List<String> tiered, String... more)
            throws IOException {
        List<String> settings = new ArrayList<>(Harness.member(ports, number));
        settings.addAll(tiered);
        settings.addAll(List.of(more));
        return harness.gateway(ports.get(number), store, settings);
    }

    private static Way way(String name, GatewayProcess gateway, Backend store) {
        return new Way(name, gateway, "tier", store);
    }

    // ---------------------------------------------------------------- what answers take

    private void answers(Backend store, List<Integer> ports, List<String> tiered) throws IOException {
        Figures figures = Figures.of("answered from | so answered % | p50 µs | p99 µs | gateway's processor µs");
        String ttl = "cache.ttl=1h";
        String noAudits = "cache.auditOneIn=0";
        String hits = "keyline_table_hits_total";
        try (GatewayProcess alone = harness.gateway(store, ttl, noAudits, Harness.NO_SIGNAL);
                GatewayProcess a = member(store, ports, 0, tiered, ttl, noAudits);
                GatewayProcess b = member(store, ports, 1, tiered, ttl, noAudits)) {
            // The gateways would soon stop loading rows that are never read again, so each row is
            // read again.
            Map<Way, String> counters = new LinkedHashMap<>();
            counters.put(way("the store, by a gateway without a tier", alone, store), "keyline_table_loads_total");
            counters.put(way("memory, without a tier", alone, store), hits);
            counters.put(way("the store, and put into the tier", a, store), "keyline_tier_lines_put_total");
            counters.put(way("memory of the gateway that put", a, store), hits);
            counters.put(way("the tier", b, store), "keyline_tier_lines_hit_total");
            counters.put(way("memory", b, store), hits);
            Map<Way, Integer> rounds = new HashMap<>();
            Map<Way, Results> medians = Harness.turns(
                    counters.keySet(),
                    options.count("rounds"),
                    options.count("rounds"),
                    way -> read(way, counters.getOrDefault(way, hits), rounds.merge(way, 1, Integer::sum) - 1));
            medians.forEach((way, median) -> figures.row(median, way.name()));
        }
        harness.write(
                figures,
                "tier-answers",
                "One client reads {records} rows of 100 bytes one after the other, and these reads are timed; then {threads} clients read as many other rows, and the processor time of these reads is measured; medians of {rounds} rounds, after as many that do not count");
        figures.plotBars(
                harness.file("tier-answers.png"),
                "An answer from the tier",
                "answered from",
                "µs",
                "p50 µs",
                "gateway's processor µs");
    }

    /** Reads the rows of a round: half by one client, the other half by several clients at once. */
    private Results read(Way way, String counter, int round) throws IOException {
        int times = counter.equals("keyline_table_hits_total") ? HITS_PER_LOAD : 1;
        long operations = (long) times * records;
        long first = 2L * round * records;
        Results one = way.measured(() -> sequence(way, 1, first).execute(operations));
        Results several =
                way.measured(() -> sequence(way, threads, first + records).execute(operations));
        return one.with("so answered %", 50.0 * (one.count(counter) + several.count(counter)) / operations)
                .with("gateway's processor µs", several.get("gateway µs"));
    }

    private ClientGroups sequence(Way way, int clients, long first) {
        AtomicLong next = new AtomicLong();
        return new ClientGroups().add(way.target(), clients, 0, connection -> {
            PreparedStatement read = connection.prepareStatement(ROWS.read());
            return () -> ROWS.read(read, first + next.getAndIncrement() % records);
        });
    }

    // ---------------------------------------------------------------- a tier that is lost

    private void lost(Backend store, ServerProcess tier, List<Integer> ports, List<String> tiered) throws IOException {
        Figures figures =
                Figures.of("reads | operations/s | of those without a tier | gateway µs | errors | hit rate %");
        String ttl = "cache.ttl=1s";
        try (GatewayProcess alone = harness.gateway(store, ttl, Harness.NO_SIGNAL);
                GatewayProcess a = member(store, ports, 0, tiered, ttl);
                GatewayProcess b = member(store, ports, 1, tiered, ttl)) {
            a.awaitFreshness();
            b.awaitFreshness();
            Way without = way("without a tier", alone, store);
            Way with = way("with one", a, store);
            Harness.turns(List.of(without, with), WARMING, 0, this::load);
            List<Results> usual = new ArrayList<>(List.of(load(without)));
            Results before = load(with);
            usual.add(load(without));
            tier.kill();
            Results lost = load(with);
            usual.add(load(without));
            tier.startAgain();
            Results again = load(with);
            Results median = Results.medians(usual);
            row(figures, "without a tier, median of " + usual.size(), median, median);
            row(figures, "with one", before, median);
            row(figures, "from its kill on", lost, median);
            row(figures, "after its restart", again, median);
        }
        harness.write(
                figures,
                "tier-lost",
                "{threads} clients read %,d rows by a Zipfian distribution for {seconds} s at a time; rows live 1 s"
                        .formatted(HOT));
        figures.plotBars(
                harness.file("tier-lost.png"), "A tier that is lost under load", "reads", "reads/s", "operations/s");
    }

    private static void row(Figures figures, String name, Results run, Results usual) {
        figures.row(run.with("of those without a tier", run.get("operations/s") / usual.get("operations/s")), name);
    }

    /** Measures reads of several clients. Each reads again as soon as it has the last reply. */
    private Results load(Way way) throws IOException {
        LongAdder errors = new LongAdder();
        ClientGroups clients =
                new ClientGroups().add(way.target(), threads, 0, connection -> reader(connection, errors));
        return way.measured(() -> clients.run(options.count("seconds"))).with("errors", errors.doubleValue());
    }

    private static ClientGroups.Operation reader(Connection connection, LongAdder errors) throws SQLException {
        ScrambledZipfianGenerator keys = new ScrambledZipfianGenerator(HOT);
        PreparedStatement read = connection.prepareStatement(ROWS.read());
        return () -> {
            try {
                ROWS.read(read, keys.nextValue());
            } catch (SQLException failed) {
                errors.increment();
                if (!connection.isValid(1)) {
                    throw failed;
                }
            }
        };
    }
}
