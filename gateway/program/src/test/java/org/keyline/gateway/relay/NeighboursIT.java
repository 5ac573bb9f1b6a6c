package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * Clients that read by key, while others send statements that the gateway cannot parse, or whose
 * effect it cannot know: typing errors, CALLs, EXECUTEs, definitions of other tables, KILLs. A
 * build runs it with few tables and clients. A measurement runs longer with more of them, on
 * demand:
 *
 * <pre>
 * mvn verify -pl gateway/program -am -Dit.test=NeighboursIT -Dtest=none -Dkeyline.neighbours=64,2000,30
 * </pre>
 *
 * for 64 clients, 2,000 tables and 30 s each of silence, quiet reads and reads with neighbours. It
 * prints its results.
 */
class NeighboursIT {
    private static final String[] ASKED =
            System.getProperty("keyline.neighbours", "4,20,1").split(",", 3);
    private static final int CLIENTS = Integer.parseInt(ASKED[0]);
    private static final int TABLES = Integer.parseInt(ASKED[1]);
    private static final Duration TIME = Duration.ofSeconds(Integer.parseInt(ASKED[2]));
    private static final boolean MEASURED = System.getProperty("keyline.neighbours") != null;
    private static final int READ_TABLES = 10;
    private static final String STORE = "store";
    private static final int WARM_READS = 5 * READ_TABLES;

    private final LongAdder sent = new LongAdder();
    private volatile boolean ended;

    /** The sources and times of reads. */
    private record Reads(Map<String, Long> sources, Histogram times) {
        long all() {
            return sources.values().stream().mapToLong(Long::longValue).sum();
        }

        /** Returns the percentage of reads from lines. */
        double fromLines() {
            long others = sources.entrySet().stream()
                    .filter(source -> source.getKey().startsWith(STORE))
                    .mapToLong(Map.Entry::getValue)
                    .sum();
            return 100.0 * (all() - others) / all();
        }

        @Override
        public String toString() {
            return String.format(
                    "%d reads, %s, %.2f %% from lines; p50 %d us, p99 %d us, p99.9 %d us",
                    all(),
                    sources,
                    fromLines(),
                    times.getValueAtPercentile(50) / 1000,
                    times.getValueAtPercentile(99) / 1000,
                    times.getValueAtPercentile(99.9) / 1000);
        }
    }

    @Test
    void reads_whileNeighboursSendAnything_stayLines() throws Exception {
        MariaDb store = MariaDb.get("second");
        try (Connection straight = store.connect("")) {
            create(straight);
            long started = System.nanoTime();
            try (RelayGateway gateway = RelayGateway.start(store)) {
                long startedIn = System.nanoTime() - started;
                double idle = MEASURED ? idle(straight) : 0;
                Reads quiet = reads(gateway, List.of());
                Reads noisy = reads(gateway, neighbours(gateway));
                if (MEASURED) {
                    System.out.printf(
                            "%d tables, %d clients: catalog and gateway started in %d ms; an idle gateway costs the store %.2f ms/s%n"
                                    + "quiet: %s%nneighbours, with %d statements: %s%n",
                            TABLES, CLIENTS, TimeUnit.NANOSECONDS.toMillis(startedIn), idle, quiet, sent.sum(), noisy);
                }
                assertThat(quiet.all()).isPositive();
                assertThat(sent.sum()).isPositive();
                assertThat(noisy.fromLines()).as("%s, before: %s", noisy, quiet).isGreaterThan(MEASURED ? 0 : 75);
            }
            run(straight, "DROP DATABASE crowd", "DROP DATABASE crowd_of_others");
        }
    }

    private static void create(Connection straight) throws SQLException {
        run(
                straight,
                "SET GLOBAL innodb_flush_log_at_trx_commit = 0",
                "CREATE OR REPLACE DATABASE crowd",
                "CREATE OR REPLACE DATABASE crowd_of_others",
                "USE crowd");
        for (int i = 0; i < TABLES; i++) {
            run(straight, "CREATE TABLE t" + i + " (id INT PRIMARY KEY, v VARCHAR(20), w INT, KEY (w))");
        }
        for (int i = 0; i < READ_TABLES; i++) {
            run(straight, "INSERT INTO t" + i + " SELECT seq, CONCAT('v', seq), seq FROM seq_1_to_100");
        }
        run(
                straight,
                "CREATE PROCEDURE reads_a_row() SELECT v FROM t0 WHERE id = 1",
                "CREATE PROCEDURE stages() BEGIN CREATE TEMPORARY TABLE staged (a INT);"
                        + " INSERT INTO staged VALUES (1); DROP TEMPORARY TABLE staged; END");
    }

    /** Returns the store's processor time in milliseconds per second; 0 if unknown. */
    private static double idle(Connection straight) throws Exception {
        Path stat;
        try (Statement sql = straight.createStatement();
                ResultSet file = sql.executeQuery("SELECT @@pid_file")) {
            file.next();
            Path pid = Path.of(file.getString(1));
            if (!Files.isReadable(pid)) {
                return 0;
            }
            stat = Path.of("/proc", Files.readString(pid).strip(), "stat");
        }
        // Waits for the catalog reads after the definitions of this test, and those that follow
        // them.
        TimeUnit.NANOSECONDS.sleep(Math.min(TIME.toNanos(), TimeUnit.SECONDS.toNanos(60)));
        long began = System.nanoTime();
        long before = ticks(stat);
        TimeUnit.NANOSECONDS.sleep(TIME.toNanos());
        return (ticks(stat) - before) * 10.0 / ((System.nanoTime() - began) / 1e9);
    }

    /** In hundredths of a second. */
    private static long ticks(Path stat) throws IOException {
        String[] fields = Files.readString(stat).replaceAll("^.*\\) ", "").split(" ", -1);
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }

    private Reads reads(RelayGateway gateway, List<Callable<Void>> others) throws Exception {
        ended = false;
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Future<Reads>> readers = new ArrayList<>();
            CountDownLatch warm = new CountDownLatch(CLIENTS);
            for (int i = 0; i < CLIENTS; i++) {
                int first = i;
                readers.add(threads.submit(() -> read(gateway, first, warm)));
            }
            assertThat(warm.await(2, TimeUnit.MINUTES)).isTrue();
            List<Future<Void>> neighbours = new ArrayList<>();
            for (Callable<Void> other : others) {
                neighbours.add(threads.submit(other));
            }
            LockSupport.parkNanos(TIME.toNanos());
            ended = true;
            Reads all = new Reads(new TreeMap<>(), new Histogram(3));
            for (Future<Reads> reader : readers) {
                Reads one = reader.get(2, TimeUnit.MINUTES);
                one.sources().forEach((source, count) -> all.sources().merge(source, count, Long::sum));
                all.times().add(one.times());
            }
            for (Future<Void> neighbour : neighbours) {
                neighbour.get(2, TimeUnit.MINUTES);
            }
            return all;
        } finally {
            ended = true;
            threads.shutdownNow();
        }
    }

    private Reads read(RelayGateway gateway, int first, CountDownLatch warm) throws SQLException {
        Reads reads = new Reads(new TreeMap<>(), new Histogram(3));
        try (Connection client = DriverManager.getConnection(gateway.jdbc("crowd") + "&useServerPrepStmts=true");
                Statement last = client.createStatement()) {
            List<PreparedStatement> selects = new ArrayList<>();
            for (int i = 0; i < READ_TABLES; i++) {
                selects.add(client.prepareStatement("SELECT v, w FROM t" + i + " WHERE id = ?"));
            }
            for (int i = first; !ended || i - first <= WARM_READS; i++) {
                PreparedStatement select = selects.get(i % READ_TABLES);
                int key = 1 + i / READ_TABLES % 100;
                select.setInt(1, key);
                long began = System.nanoTime();
                try (ResultSet row = select.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getString(1)).isEqualTo("v" + key);
                }
                long nanos = System.nanoTime() - began;
                if (i - first < WARM_READS) {
                    // the first execution of a statement is not counted
                    continue;
                }
                if (i - first == WARM_READS) {
                    warm.countDown();
                }
                reads.times().recordValue(nanos);
                last.execute("KEYLINE LAST");
                reads.sources().merge(source(last), 1L, Long::sum);
            }
        }
        return reads;
    }

    /** Returns the source of the last answer, and for the store the reason. */
    private static String source(Statement last) throws SQLException {
        try (ResultSet received = last.getResultSet()) {
            received.next();
            String source = received.getString(2);
            return source.equals(STORE) && received.next() ? STORE + " " + received.getString(2) : source;
        }
    }

    private List<Callable<Void>> neighbours(RelayGateway gateway) {
        return List.of(
                () -> sends(
                        gateway,
                        MEASURED ? 50 : 200,
                        "SELEC * FROM t0",
                        "INSRT INTO t1 VALUES (1)",
                        "x",
                        "DROP TABEL t2"),
                () -> sends(gateway, 500, "CALL crowd.reads_a_row()", "CALL crowd.stages()"),
                () -> sends(gateway, 300, "PREPARE s FROM 'SELECT w FROM crowd.t3 WHERE id = ?'", "EXECUTE s USING 1"),
                () -> sends(
                        gateway,
                        200,
                        "CREATE OR REPLACE TABLE crowd_of_others.o (id INT PRIMARY KEY)",
                        "ALTER TABLE crowd_of_others.o ADD COLUMN v INT",
                        "DROP TABLE crowd_of_others.o",
                        "CREATE OR REPLACE PROCEDURE crowd_of_others.p() SELECT 1"),
                () -> kills(gateway));
    }

    /** Sends statements in turn, with a pause after each. */
    private Void sends(RelayGateway gateway, int pauseMillis, String... statements) throws SQLException {
        try (Connection client = gateway.connect("crowd");
                Statement sql = client.createStatement()) {
            for (int i = 0; !ended; i++) {
                try {
                    sql.execute(statements[i % statements.length]);
                } catch (SQLException refused) {
                    assertThat(refused.getErrorCode()).as(refused.getMessage()).isEqualTo(1064);
                }
                sent.increment();
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pauseMillis));
            }
        }
        return null;
    }

    private Void kills(RelayGateway gateway) throws SQLException {
        try (Connection client = gateway.connect("crowd");
                Statement sql = client.createStatement()) {
            while (!ended) {
                try (Connection victim = gateway.connect("crowd");
                        Statement asked = victim.createStatement();
                        ResultSet id = asked.executeQuery("SELECT CONNECTION_ID()")) {
                    id.next();
                    sql.execute("KILL " + id.getLong(1));
                    sent.increment();
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
            }
        }
        return null;
    }
}
