package org.keyline.ycsb;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Transactions of clients with autocommit off. Each has a read by key, in a share of the
 * transactions also an aggregate, then COMMIT. At the same time, one writer changes rows, some rows
 * far more often than others. The runs alternate between the store itself and a gateway. Confined
 * to one thread.
 */
final class TransactionsExperiment {
    static final String OPTIONS = """
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

    private record Way(String name, Target target, List<GatewayProcess> gateways) {}

    private record Run(
            long transactions,
            long deadlocks,
            double perSecond,
            double statements,
            double clientMicros,
            double storeMicros,
            double gatewayMicros) {}

    private final Harness harness;
    private final Options options;
    private final Figures figures = new Figures(
            "share %",
            "way",
            "transactions",
            "error 1213",
            "transactions/s",
            "statements at the store each",
            "client µs",
            "store µs",
            "gateway µs",
            "continued after lines",
            "conflicts");

    TransactionsExperiment(Harness harness) {
        this.harness = harness;
        this.options = harness.options();
    }

    void run() throws IOException, SQLException {
        try (MariaDbServer server = harness.mariaDb()) {
            for (String share : options.text("shares").split(",", -1)) {
                Target straight = server.straight("mix");
                ROWS.load(straight, options.count("records"));
                try (GatewayProcess gateway = harness.gateway(server, List.of());
                        Connection store = straight.open()) {
                    Target through = server.through(gateway, "mix");
                    List<Way> ways = List.of(
                            new Way("straight", straight, List.of()),
                            new Way("through Keyline", through, List.of(gateway)));
                    double percent = Double.parseDouble(share);
                    Turns<Way, Run> turns = Turns.of(
                            ways,
                            options.countOrNone("warm"),
                            options.count("rounds"),
                            way -> measured(way, percent, server, store));
                    for (Way way : ways) {
                        add(percent, way, turns);
                    }
                }
            }
        }
        harness.write(
                figures,
                "transactions",
                "{threads} clients and a writer of " + WRITES_A_SECOND
                        + " rows a second, {records} rows, {rounds} rounds of {seconds} s in turns after {warm} that do not count");
        figures.plotBars(
                harness.file("transactions.png"), "Transactions", "share %", "transactions/s", "transactions/s");
    }

    private void add(double percent, Way way, Turns<Way, Run> turns) throws SQLException {
        List<Run> runs = turns.runs().getOrDefault(way, List.of());
        boolean through = !way.gateways.isEmpty();
        try (Connection connection = way.target.open()) {
            figures.row(
                    percent,
                    way.name,
                    runs.stream().mapToLong(Run::transactions).sum(),
                    runs.stream().mapToLong(Run::deadlocks).sum(),
                    turns.median(way, Run::perSecond),
                    turns.median(way, Run::statements),
                    turns.median(way, Run::clientMicros),
                    turns.median(way, Run::storeMicros),
                    turns.median(way, Run::gatewayMicros),
                    through ? status(connection, "STATUS", "Keyline_transactions_continued") : Double.NaN,
                    through ? status(connection, "STATUS", "Keyline_transactions_conflicts") : Double.NaN);
        }
    }

    private Run measured(Way way, double percent, MariaDbServer server, Connection store) throws IOException {
        AtomicLong transactions = new AtomicLong();
        AtomicLong deadlocks = new AtomicLong();
        AtomicLong writes = new AtomicLong();
        List<ParallelClients.Work> works = new ArrayList<>(Collections.nCopies(
                options.count("threads"), end -> read(way.target, percent, end, transactions, deadlocks)));
        works.add(end -> write(way.target, end, writes));
        try {
            double questions = status(store, "GLOBAL STATUS", "Questions");
            List<Duration> before = processorTimes(way, server);
            ParallelClients.run(works, options.count("seconds"));
            List<Duration> after = processorTimes(way, server);
            double statements = status(store, "GLOBAL STATUS", "Questions") - questions - writes.get();
            double[] micros = new double[before.size()];
            for (int i = 0; i < micros.length; i++) {
                micros[i] = after.get(i).minus(before.get(i)).toNanos() / 1e3 / transactions.get();
            }
            return new Run(
                    transactions.get(),
                    deadlocks.get(),
                    (double) transactions.get() / options.count("seconds"),
                    statements / transactions.get(),
                    micros[0],
                    micros[1],
                    micros[2]);
        } catch (SQLException failed) {
            throw new IOException("the store's counters: " + failed.getMessage(), failed);
        }
    }

    private static List<Duration> processorTimes(Way way, MariaDbServer server) {
        Duration client = ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
        Duration gateway =
                way.gateways.stream().map(GatewayProcess::processorTime).reduce(Duration.ZERO, Duration::plus);
        return List.of(client, server.processorTime(), gateway);
    }

    /** Returns a random key. Low keys are far more frequent. */
    private long key() {
        return (long)
                (options.count("records") * Math.pow(ThreadLocalRandom.current().nextDouble(), 3));
    }

    private void read(Target target, double percent, LongSupplier end, AtomicLong transactions, AtomicLong deadlocks)
            throws SQLException {
        try (Connection connection = target.open();
                Statement sql = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (long until = end.getAsLong(); System.nanoTime() - until < 0; transactions.incrementAndGet()) {
                try {
                    readOne(sql, "SELECT n FROM numbers WHERE k = " + key());
                    if (ThreadLocalRandom.current().nextDouble() * 100 < percent) {
                        readOne(sql, "SELECT SUM(n) FROM numbers");
                    }
                    connection.commit();
                } catch (SQLException failed) {
                    if (failed.getErrorCode() != DEADLOCK) {
                        throw failed;
                    }
                    deadlocks.incrementAndGet();
                    connection.rollback();
                }
            }
        }
    }

    private static void readOne(Statement sql, String read) throws SQLException {
        try (ResultSet rows = sql.executeQuery(read)) {
            if (!rows.next()) {
                throw new SQLException("no row: " + read);
            }
        }
    }

    private void write(Target target, LongSupplier end, AtomicLong writes) throws SQLException {
        try (Connection connection = target.open();
                PreparedStatement write = connection.prepareStatement(ROWS.write())) {
            Pace pace = new Pace(WRITES_A_SECOND);
            for (long until = end.getAsLong(); pace.next(until); writes.incrementAndGet()) {
                write.setLong(1, key());
                write.executeUpdate();
            }
        }
    }

    private static double status(Connection connection, String what, String name) throws SQLException {
        try (Statement sql = connection.createStatement();
                ResultSet rows = sql.executeQuery("SHOW " + what + " LIKE '" + name + "'")) {
            return rows.next() ? rows.getDouble(2) : Double.NaN;
        }
    }
}
