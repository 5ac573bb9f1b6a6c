package org.keyline.ycsb;

import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/**
 * Measures transactions of clients with autocommit off. Each transaction reads by key, some also
 * read an aggregate, and all end with COMMIT. At the same time, one writer changes rows, some rows
 * far more often than others. The runs alternate between the store itself and a gateway.
 */
final class TransactionsExperiment {
    static final String OPTIONS = """
            transactions of a read and COMMIT, some with an aggregate, directly at the store and through a gateway

              --shares LIST         transactions with an aggregate, in per cent [0.1,1,10,100]
              --threads N           clients beside the writer [4]
              --seconds N           of each run [10]
              --rounds N            in turns; the figures are medians [7]
              --warm N              rounds before, which do not count [3]
              --records N           [1000]
            """ + Options.common("installed", "-Xmx1g");

    private static final NumberRows ROWS = new NumberRows("numbers", 100);
    private static final int WRITES_A_SECOND = 170;
    private static final int DEADLOCK = 1213;

    private TransactionsExperiment() {}

    static void run(Harness harness) throws IOException {
        Options options = harness.options();
        Figures figures = Figures.of("share % | way | transactions | error 1213 | continued after lines | conflicts | "
                + "operations/s | statements | client µs | store µs | gateway µs");
        try (Backend store = harness.mariaDb()) {
            for (double share : options.shares("shares")) {
                Target straight = store.straight("mix");
                ROWS.load(straight, options.count("records"));
                try (GatewayProcess gateway = harness.gateway(store)) {
                    List<Way> ways = List.of(
                            new Way("straight", straight, List.of(), store),
                            new Way("through Keyline", gateway, "mix", store));
                    Map<Way, Results> sums = new HashMap<>();
                    Map<Way, Results> medians =
                            Harness.turns(ways, options.countOrNone("warm"), options.count("rounds"), way -> {
                                Results run = measured(options, way, share);
                                sums.merge(way, run, Results::plus);
                                return run;
                            });
                    for (Way way : ways) {
                        Results sum = sums.getOrDefault(way, Results.NONE);
                        figures.row(
                                medians.getOrDefault(way, Results.NONE),
                                share,
                                way.name(),
                                (long) sum.get("operations"),
                                (long) sum.get("deadlocks"),
                                sum.get("keyline_transactions_continued_total"),
                                sum.get("keyline_transactions_conflicts_total"));
                    }
                }
            }
        }
        harness.write(
                figures,
                "transactions",
                "{threads} clients and a writer of " + WRITES_A_SECOND
                        + " rows a second, {records} rows, medians of {rounds} rounds of {seconds} s in turns after {warm} that do not count, but the four sums are of all rounds; statements and processor times are those of a transaction");
        figures.plotBars(harness.file("transactions.png"), "Transactions", "share %", "transactions/s", "operations/s");
    }

    private static Results measured(Options options, Way way, double percent) throws IOException {
        LongAdder deadlocks = new LongAdder();
        LongAdder writes = new LongAdder();
        int records = options.count("records");
        ClientGroups clients = new ClientGroups()
                .add(way.target(), options.count("threads"), 0, session(percent, records, deadlocks))
                .beside()
                .add(way.target(), 1, WRITES_A_SECOND, connection -> {
                    PreparedStatement write = connection.prepareStatement(ROWS.write());
                    return () -> {
                        write.setLong(1, key(records));
                        write.executeUpdate();
                        writes.increment();
                    };
                });
        Results run = way.measured(() -> clients.run(options.count("seconds")));
        return run.with("deadlocks", deadlocks.doubleValue())
                .with("statements", run.get("statements") - writes.sum() / run.get("operations"));
    }

    private static ClientGroups.Session session(double percent, int records, LongAdder deadlocks) {
        return connection -> {
            connection.setAutoCommit(false);
            Statement sql = connection.createStatement();
            return () -> {
                try {
                    sql.executeQuery("SELECT n FROM numbers WHERE k = " + key(records))
                            .next();
                    if (ThreadLocalRandom.current().nextDouble() * 100 < percent) {
                        sql.executeQuery("SELECT SUM(n) FROM numbers").next();
                    }
                    connection.commit();
                } catch (SQLException failed) {
                    if (failed.getErrorCode() != DEADLOCK) {
                        throw failed;
                    }
                    deadlocks.increment();
                    connection.rollback();
                }
            };
        };
    }

    /** Returns a random key. Low keys are far more frequent. */
    private static long key(int records) {
        return (long) (records * Math.pow(ThreadLocalRandom.current().nextDouble(), 3));
    }
}
