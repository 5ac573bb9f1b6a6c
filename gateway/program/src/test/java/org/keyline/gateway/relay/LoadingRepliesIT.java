package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;
import static org.keyline.gateway.fixtures.Lines.status;
import static org.keyline.gateway.fixtures.Lines.warm;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.Lines;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.gateway.fixtures.TestClient;

/**
 * The store's reply to a read that misses becomes its line, if the reply has exactly the line's
 * rows.
 */
class LoadingRepliesIT {
    private static final String BY_REPLY = "REPLY_IS_LOAD";
    private static final String LINE = "line";
    private static final String ROW = "SELECT * FROM t WHERE k = ";
    private static final String PREFIX = "SELECT a, b, v FROM p WHERE a = ";

    private static MariaDb store;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        store = MariaDb.get("second");
        try (Connection straight = straight()) {
            run(straight, "DROP DATABASE IF EXISTS replies");
            run(straight, "CREATE DATABASE replies CHARACTER SET utf8mb4");
            run(straight, "USE replies");
            run(straight, "CREATE TABLE replies.t (k INT PRIMARY KEY, v VARCHAR(40), w DECIMAL(9, 2))");
            run(straight, "CREATE TABLE replies.p (a INT, b INT, v VARCHAR(40), PRIMARY KEY (a, b))");
            run(straight, "INSERT INTO replies.t SELECT seq, CONCAT('v', seq), seq / 4 FROM seq_1_to_99");
            run(straight, "INSERT INTO replies.p SELECT seq DIV 10, seq, CONCAT('v', seq) FROM seq_1_to_9999");
        }
        gateway = RelayGateway.start(
                store,
                "filter.enabled=true",
                "tables.replies.p.prefix=1",
                "tables.replies.w.prefix=1",
                "tables.replies.w.ttl=1ms",
                "store.refresh=1h");
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    /** The store has consented to the shapes, and a load has shown their columns. */
    @BeforeEach
    void knownShapes() throws SQLException {
        try (Connection connection = through()) {
            run(connection, "KEYLINE FLUSH ALL");
            for (String select : List.of("SELECT v FROM t WHERE k = 99", "SELECT v FROM p WHERE a = 9 AND b = 99")) {
                warm(connection, select);
            }
            Lines.rows(connection, ROW + 99);
            Lines.rows(connection, PREFIX + 9);
        }
    }

    private static Connection straight() throws SQLException {
        return store.connect("");
    }

    private static Connection through(String... parameters) throws SQLException {
        return DriverManager.getConnection(gateway.jdbc("replies") + String.join("", parameters));
    }

    /**
     * Reads keys, from one on, until a reply of the store becomes the line of its key. Sometimes a
     * key is loaded instead.
     */
    private static int readByReply(Connection connection, String select, int from) {
        int[] key = {from - 1};
        soon(select).until(() -> {
            Lines.rows(connection, select + ++key[0]);
            return source(connection).equals(BY_REPLY);
        });
        return key[0];
    }

    private static List<String> rows(ResultSet rows) throws SQLException {
        List<String> read = new ArrayList<>();
        while (rows.next()) {
            StringBuilder row = new StringBuilder();
            for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                row.append(rows.getString(i)).append(' ');
            }
            read.add(row.toString().strip());
        }
        return read;
    }

    /**
     * Returns the source of the last answer: a line, a load, or the reason why the store answered.
     */
    private static String source(Connection connection) throws SQLException {
        List<String> last = Lines.rows(connection, "KEYLINE LAST");
        String source = last.get(0).replace("source ", "");
        return source.equals("store") && last.size() > 1 ? last.get(1).replace("reason ", "") : source;
    }

    @Test
    void rowAndAbsence_areLinesOnceTheStoreAnswered() throws SQLException {
        try (Connection one = through();
                Connection other = through()) {
            for (int from : new int[] {50, 700}) {
                int key = readByReply(one, ROW, from);
                String row = key < 100 ? key + " v" + key : "none";
                assertThat(Lines.rows(other, ROW + key))
                        .allMatch(read -> read.startsWith(row))
                        .hasSize(key < 100 ? 1 : 0);
                assertThat(source(other)).isEqualTo(LINE);
                run(one, "REPLACE INTO t VALUES (" + key + ", 'written', 1)");
                assertThat(Lines.rows(other, ROW + key)).containsExactly(key + " written 1.00");
                run(one, "DELETE FROM t WHERE k = " + key);
                assertThat(Lines.rows(one, ROW + key)).isEmpty();
            }
        }
    }

    @Test
    void executions_makeLinesOfTheirOwn() throws SQLException {
        try (Connection connection = through("&useServerPrepStmts=true");
                PreparedStatement select = connection.prepareStatement("SELECT * FROM t WHERE k = ?");
                PreparedStatement some = connection.prepareStatement("SELECT v FROM t WHERE k = ?")) {
            some.setInt(1, 20);
            soon("the source of the answer").until(() -> {
                rows(some.executeQuery());
                return source(connection).equals(LINE);
            });
            select.setInt(1, 20);
            rows(select.executeQuery());
            for (int from : new int[] {60, 2_100}) {
                int[] key = {from};
                List<String> answer = new ArrayList<>();
                soon("the source of the answer").until(() -> {
                    select.setInt(1, ++key[0]);
                    answer.clear();
                    answer.addAll(rows(select.executeQuery()));
                    return source(connection).equals(BY_REPLY);
                });
                assertThat(rows(select.executeQuery())).isEqualTo(answer);
                assertThat(source(connection)).isEqualTo(LINE);
                some.setInt(1, key[0]);
                assertThat(rows(some.executeQuery())).hasSameSizeAs(answer);
                assertThat(source(connection)).isEqualTo(LINE);
            }
        }
    }

    @Test
    void wholePrefix_isALine() throws SQLException {
        try (Connection connection = through()) {
            int key = readByReply(connection, PREFIX, 1);
            assertThat(Lines.rows(connection, PREFIX + key)).hasSize(10);
            assertThat(source(connection)).isEqualTo(LINE);
            Lines.rows(connection, "SELECT v FROM p WHERE a = " + key + " AND b = " + (10 * key + 3));
            assertThat(source(connection)).isEqualTo(LINE);
        }
    }

    /** Two rows in key order, one row, or none. */
    @ParameterizedTest
    @ValueSource(
            strings = {"SELECT * FROM f WHERE v = 'v%d' ORDER BY k", "SELECT k, v, w FROM f WHERE w = %d ORDER BY k"})
    void rowsOfConditions_areALine(String filter) throws SQLException {
        try (Connection one = through();
                Connection other = through()) {
            run(one, "CREATE OR REPLACE TABLE f (k INT PRIMARY KEY, v VARCHAR(40), w INT)");
            run(one, "INSERT INTO f SELECT seq, CONCAT('v', seq MOD 50), seq MOD 50 FROM seq_1_to_99");
            Lines.rows(one, "SELECT * FROM f WHERE k = 1");
            warm(one, "SELECT v FROM f WHERE k = 1");
            for (int from : new int[] {20, 700}) {
                int[] value = {from};
                soon("the source of the answer").until(() -> {
                    Lines.rows(one, filter.formatted(++value[0]));
                    return source(one).equals(BY_REPLY);
                });
                String again = filter.formatted(value[0]);
                String row = " v" + value[0] + " " + value[0];
                List<String> rows = from == 20 ? List.of(value[0] + row, value[0] + 50 + row) : List.of();
                assertThat(Lines.rows(other, again)).isEqualTo(rows);
                assertThat(source(other)).isEqualTo(LINE);
                run(one, "REPLACE INTO f VALUES (500, 'v" + value[0] + "', " + value[0] + ")");
                assertThat(Lines.rows(other, again)).hasSize(rows.size() + 1).contains("500" + row);
                run(one, "DELETE FROM f WHERE k = 500");
                assertThat(Lines.rows(other, again)).isEqualTo(rows);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {" LIMIT 1", " LIMIT 20 OFFSET 1", " FOR UPDATE"})
    void someRowsOfConditions_areNoLine(String end) throws SQLException {
        try (Connection connection = through()) {
            String filter = "SELECT * FROM t WHERE w BETWEEN 5 AND 6 ORDER BY k";
            for (int i = 0; i < 4; i++) {
                Lines.rows(connection, filter + end);
                assertThat(source(connection)).isNotEqualTo(BY_REPLY);
            }
            assertThat(Lines.rows(connection, filter)).hasSize(5);
        }
    }

    /**
     * Some columns, some rows of a prefix, or none because of LIMIT: a line is loaded for them, or
     * nothing is cached.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT k, v FROM t WHERE k = ",
                "SELECT * FROM t WHERE k = %s LIMIT 0",
                "SELECT v FROM p WHERE a = ",
                "SELECT a, b, v FROM p WHERE a = %s ORDER BY b LIMIT 2",
                "SELECT a, b, v FROM p WHERE a = %s ORDER BY b LIMIT 20 OFFSET 1"
            })
    void repliesWithoutAll_areNoLines(String shape) throws SQLException {
        String select = shape.contains("%s") ? shape : shape + "%s";
        try (Connection connection = through()) {
            Lines.rows(connection, select.formatted(8));
            Lines.rows(connection, select.formatted(4));
            assertThat(source(connection)).isNotEqualTo(BY_REPLY);
            assertThat(Lines.rows(connection, ROW + 4)).containsExactly("4 v4 1.00");
            assertThat(Lines.rows(connection, PREFIX + 4)).hasSize(10);
        }
    }

    @Test
    void sessionThatSeesWhatIsNotCommitted_makesNoLines() throws SQLException {
        try (Connection writer = straight();
                Connection reader = through();
                Connection other = through()) {
            run(reader, "SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED");
            writer.setAutoCommit(false);
            run(writer, "UPDATE replies.t SET v = 'not yet' WHERE k = 30");
            assertThat(Lines.rows(reader, ROW + 30)).containsExactly("30 not yet 7.50");
            writer.rollback();
            assertThat(Lines.rows(other, ROW + 30)).containsExactly("30 v30 7.50");
        }
    }

    @Test
    void transactions_makeNoLines() throws SQLException {
        try (Connection writer = straight();
                Connection reader = through();
                Connection other = through()) {
            reader.setAutoCommit(false);
            // The store creates its snapshot.
            Lines.rows(reader, "SELECT COUNT(*) FROM t");
            run(writer, "UPDATE replies.t SET v = 'new' WHERE k = 40");
            assertThat(Lines.rows(reader, ROW + 40)).containsExactly("40 v40 10.00");
            assertThat(Lines.rows(other, ROW + 40)).containsExactly("40 new 10.00");
            reader.rollback();
        }
    }

    /**
     * If reads of several clients miss in one turn of a loop, one statement loads for all of them,
     * instead of one reply each.
     */
    @Test
    void missesOfOneTurn_shareAStatement() throws Exception {
        List<TestClient> clients = new ArrayList<>();
        try (RelayGateway oneLoop = RelayGateway.start(store, "eventLoops=1");
                Connection straight = straight();
                Connection first = oneLoop.connect("replies")) {
            // By now replies become lines, if no other client misses.
            warm(first, "SELECT v FROM t WHERE k = 99");
            readByReply(first, ROW, 200);
            for (int i = 0; i < 8; i++) {
                clients.add(client(oneLoop));
            }
            // On a busy machine, the clients' packets can arrive in several turns of the loop. One
            // round that arrives together is enough.
            long fewest = clients.size();
            for (int key = 1_000; key < 1_400 && fewest > 4; key += clients.size()) {
                long before = selects(straight);
                List<CompletableFuture<TestClient.Answer>> answers = new ArrayList<>();
                for (int i = 0; i < clients.size(); i++) {
                    answers.add(clients.get(i).send(ROW + (key + i)));
                }
                for (CompletableFuture<TestClient.Answer> answer : answers) {
                    assertThat(answer.get(1, TimeUnit.MINUTES).rows()).isEmpty();
                }
                fewest = Math.min(fewest, selects(straight) - before);
            }
            assertThat(fewest).isLessThanOrEqualTo(4);
        } finally {
            for (TestClient client : clients) {
                client.close();
            }
        }
    }

    /**
     * Rows that are read shortly before their lines expire are reloaded together, many per
     * statement.
     */
    @Test
    void linesThatEnd_areLoadedAheadTogether() throws Exception {
        // Readings of the catalog would count as well, those of the other gateway too.
        try (RelayGateway shortLived = RelayGateway.start(store, "eventLoops=1", "cache.ttl=1s", "store.refresh=1h");
                Connection straight = straight();
                Connection reader = shortLived.connect("replies");
                TestClient client = client(shortLived)) {
            warm(reader, "SELECT v FROM t WHERE k = 99");
            long refreshes = refreshes(reader);
            long selects = selects(straight);
            await().until(() -> {
                List<CompletableFuture<TestClient.Answer>> answers = new ArrayList<>();
                for (int key = 1; key <= 40; key++) {
                    answers.add(client.send("SELECT v FROM t WHERE k = " + key));
                }
                for (int key = 1; key <= 40; key++) {
                    assertThat(answers.get(key - 1).get(1, TimeUnit.MINUTES).rows())
                            .containsExactly(List.of("v" + key));
                }
                return refreshes(reader) - refreshes > 120;
            });
            assertThat(selects(straight) - selects).isLessThan(120);
        }
    }

    /**
     * One of two sessions for loads waits for a lock. Expiring lines are not reloaded ahead,
     * because that would occupy the other session.
     */
    @Test
    void loadsAhead_leaveSessionsToReaders() throws Exception {
        try (RelayGateway shortLived = RelayGateway.start(
                        store,
                        "eventLoops=1",
                        "loadConnections=2",
                        "cache.ttl=500ms",
                        "cache.loadTimeout=1m",
                        "tables.replies.p.prefix=1");
                Connection straight = straight();
                Connection reader = shortLived.connect("replies");
                TestClient waiting = client(shortLived)) {
            warm(reader, "SELECT v FROM p WHERE a = 9 AND b = 99");
            warm(reader, ROW + 99);
            // A session's first such reads are forwarded.
            waiting.send("SELECT v FROM p WHERE a = 9 AND b = 99").get(1, TimeUnit.MINUTES);
            waiting.send("SELECT v FROM p WHERE a = 9 AND b = 98").get(1, TimeUnit.MINUTES);
            run(straight, "LOCK TABLES replies.p WRITE");
            CompletableFuture<TestClient.Answer> answer = waiting.send("SELECT v FROM p WHERE a = 5 AND b = 50");
            soon("the source of the answer").until(() -> waitsForLock(straight).size() == 1);
            assertThat(waitsForLock(straight).get(0)).startsWith("SELECT * FROM");
            long refreshes = refreshes(reader);
            long loads = status(reader, "Keyline_loads");
            await().until(() -> {
                readFew(reader);
                return status(reader, "Keyline_loads") - loads > 20;
            });
            assertThat(refreshes(reader)).isEqualTo(refreshes);
            run(straight, "UNLOCK TABLES");
            assertThat(answer.get(1, TimeUnit.MINUTES).rows()).containsExactly(List.of("v50"));
            await().until(() -> {
                readFew(reader);
                return refreshes(reader) > refreshes;
            });
        }
    }

    private static List<String> waitsForLock(Connection straight) throws SQLException {
        return Lines.rows(
                straight, "SELECT info FROM information_schema.processlist WHERE state LIKE 'Waiting for table%'");
    }

    private static void readFew(Connection reader) throws SQLException {
        for (int key = 1; key <= 5; key++) {
            Lines.rows(reader, ROW + key);
        }
    }

    private static TestClient client(RelayGateway gateway) throws Exception {
        return gateway.client("replies");
    }

    private static long refreshes(Connection through) throws SQLException {
        return status(through, "Keyline_refreshes");
    }

    /** Returns the number of SELECTs that the store has run. */
    private static long selects(Connection straight) throws SQLException {
        return status(straight, "Com_select");
    }
}
