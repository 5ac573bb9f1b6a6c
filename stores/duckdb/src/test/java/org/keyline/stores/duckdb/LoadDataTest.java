package org.keyline.stores.duckdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.stores.duckdb.StatementsTest.rows;
import static org.keyline.stores.duckdb.StatementsTest.run;

import com.mysql.cj.jdbc.JdbcStatement;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** LOAD DATA LOCAL INFILE, in addition to the comparison with MariaDB. */
final class LoadDataTest extends FreshDatabase {
    private static final String DORIS = " DISTRIBUTED BY HASH(k) BUCKETS 1 PROPERTIES (\"replication_num\" = \"1\")";

    LoadDataTest() {
        super("&allowLoadLocalInfile=true");
    }

    private static long load(Connection client, String rest, String file) throws SQLException {
        return load(client, rest, new ByteArrayInputStream(file.getBytes(UTF_8)));
    }

    private static long load(Connection client, String rest, InputStream file) throws SQLException {
        try (Statement statement = client.createStatement()) {
            statement.unwrap(JdbcStatement.class).setLocalInfileInputStream(file);
            return statement.executeLargeUpdate("LOAD DATA LOCAL INFILE 'file' " + rest);
        }
    }

    private static int code(ThrowingLoad load) {
        try {
            load.run();
            return 0;
        } catch (SQLException e) {
            return e.getErrorCode();
        }
    }

    @FunctionalInterface
    private interface ThrowingLoad {
        void run() throws SQLException;
    }

    @Test
    void tableOfDoris_replacesRowsByTheirKey_andIsStrict() throws SQLException {
        run(connection, "CREATE TABLE t (k INT, v VARCHAR(5)) UNIQUE KEY(k)" + DORIS);
        run(connection, "INSERT INTO t VALUES (1, 'old'), (9, 'kept')");
        StringBuilder file = new StringBuilder("1\tnew\n\\N\tnull\n2\ttwo\n\\N\tagain\n2\tlast\n");
        for (int i = 100; i < 1_400; i++) {
            file.append(i).append('\t').append(i).append('\n');
        }
        assertThat(load(connection, "INTO TABLE t", file.toString())).isEqualTo(1_305);
        assertThat(rows(connection, "SELECT * FROM t WHERE k IS NULL OR k < 100 ORDER BY k"))
                .containsExactly("null|again", "1|new", "2|last", "9|kept");
        assertThat(rows(connection, "SELECT COUNT(*) FROM t")).containsExactly("1304");
        assertThat(code(() -> load(connection, "INTO TABLE t", "3\tthree\n4\ttoo long\n")))
                .isEqualTo(1406);
        assertThat(code(() -> load(connection, "INTO TABLE t", "3\n"))).isEqualTo(1261);
        assertThat(rows(connection, "SELECT * FROM t WHERE k IN (3, 4)")).isEmpty();
        assertThatThrownBy(() -> load(connection, "IGNORE INTO TABLE t", "3\tthree\n4\ttoo long\n"))
                .hasMessageContaining("Data too long for column 'v' at row 2");
        load(connection, "IGNORE INTO TABLE t", "1\tfirst\n3\tthree\n");
        assertThat(rows(connection, "SELECT * FROM t WHERE k IN (1, 3, 4)")).containsExactly("1|new", "3|three");
    }

    @Test
    void tablesWithoutAKey_keepEveryRow() throws SQLException {
        run(connection, "CREATE TABLE t (k INT, v INT) DUPLICATE KEY(k)" + DORIS);
        String file = "1\t2\n".repeat(300);
        assertThat(load(connection, "INTO TABLE t", file)).isEqualTo(300);
        assertThat(rows(connection, "SELECT COUNT(*), SUM(v) FROM t")).containsExactly("300|600");
        run(connection, "CREATE TABLE u (k INT, v INT)");
        run(connection, "INSERT IGNORE INTO u VALUES (1, 2), (1, 2)");
        assertThat(load(connection, "INTO TABLE u", file)).isEqualTo(300);
        assertThat(rows(connection, "SELECT COUNT(*), SUM(v) FROM u")).containsExactly("302|604");
    }

    @Test
    void transaction_keepsOrUndoesTheLoad() throws SQLException {
        run(connection, "CREATE TABLE t (k INT PRIMARY KEY, v INT)");
        run(connection, "BEGIN");
        load(connection, "INTO TABLE t", "1\t1\n2\t2\n");
        assertThat(rows(connection, "SELECT COUNT(*) FROM t")).containsExactly("2");
        run(connection, "ROLLBACK");
        assertThat(rows(connection, "SELECT COUNT(*) FROM t")).containsExactly("0");
        run(connection, "BEGIN");
        run(connection, "INSERT INTO t VALUES (7, 7)");
        assertThat(code(() -> load(connection, "INTO TABLE t", "1\t1\n2\tx\n"))).isEqualTo(1366);
        assertThat(code(() -> run(connection, "COMMIT"))).isEqualTo(1180);
        assertThat(rows(connection, "SELECT COUNT(*) FROM t")).containsExactly("0");
    }

    @Test
    void value_thatDoesNotFit_isNamedByItsRow_andNothingIsStored() throws SQLException {
        run(connection, "CREATE TABLE t (k INT PRIMARY KEY, v VARCHAR(5))");
        String file = IntStream.range(0, 300).mapToObj(i -> i + "\tv\n").collect(Collectors.joining()) + "x\tv\n";
        for (String verb : List.of("", "IGNORE ")) {
            assertThatThrownBy(() -> load(connection, verb + "INTO TABLE t", file))
                    .as(verb)
                    .hasMessageContaining("Incorrect integer value: 'x' for column 'k' at row 301");
            assertThat(rows(connection, "SELECT * FROM t")).isEmpty();
        }
    }

    @Test
    void autoIncrement_countsOn() throws SQLException {
        run(connection, "CREATE TABLE t (k INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(9))");
        load(connection, "INTO TABLE t (v)", "a\nb\n");
        load(connection, "INTO TABLE t", "\\N\tc\n10\td\n");
        load(connection, "INTO TABLE t (v)", "e\n");
        assertThat(rows(connection, "SELECT * FROM t ORDER BY k")).containsExactly("1|a", "2|b", "3|c", "10|d", "11|e");
        assertThat(rows(connection, "SELECT LAST_INSERT_ID()")).containsExactly("11");
    }

    @Test
    void bytesOfAColumn_staySuch_andTextIsInUtf8() throws SQLException {
        run(connection, "CREATE TABLE t (k INT PRIMARY KEY, b BLOB, v VARCHAR(9))");
        byte[] file = {'1', '\t', (byte) 0xFF, '\\', '0', '\t', (byte) 0xC3, (byte) 0xA4, '\n'};
        load(connection, "INTO TABLE t CHARACTER SET utf8mb4", new ByteArrayInputStream(file));
        assertThat(rows(connection, "SELECT HEX(b), v FROM t")).containsExactly("FF00|ä");
        byte[] latin1 = {'2', '\t', '\t', (byte) 0xE4, '\n'};
        assertThat(code(() -> load(connection, "INTO TABLE t", new ByteArrayInputStream(latin1))))
                .isEqualTo(1300);
        for (String charset : List.of("latin1", "utf16")) {
            assertThat(code(() -> load(connection, "INTO TABLE t CHARACTER SET " + charset, "")))
                    .isEqualTo(1235);
        }
    }

    @Test
    void clientOrServerThatAllowsNone_isToldSo() throws SQLException {
        run(connection, "CREATE TABLE t (k INT PRIMARY KEY)");
        try (Connection other = server.connect("d")) {
            assertThat(code(() -> load(other, "INTO TABLE t", "1\n"))).isEqualTo(3948);
        }
        run(connection, "SET GLOBAL local_infile = OFF");
        try {
            assertThat(code(() -> load(connection, "INTO TABLE t", "1\n"))).isEqualTo(3948);
        } finally {
            run(connection, "SET GLOBAL local_infile = ON");
        }
        assertThat(load(connection, "INTO TABLE t", "1\n")).isEqualTo(1);
        assertThat(code(() -> load(connection, "INTO TABLE information_schema.tables", "")))
                .isEqualTo(1288);
    }

    /** A stream that returns its bytes, then waits until the test lets it end. */
    private static final class HeldBack extends ByteArrayInputStream {
        private final CountDownLatch given = new CountDownLatch(1);
        private final CountDownLatch mayEnd = new CountDownLatch(1);

        HeldBack(String text) {
            super(text.getBytes(UTF_8));
        }

        @Override
        public synchronized int read(byte[] into, int from, int length) {
            int read = super.read(into, from, length);
            if (read < 0) {
                given.countDown();
                try {
                    if (!mayEnd.await(60, TimeUnit.SECONDS)) {
                        throw new IllegalStateException("nobody let the file end");
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            return read;
        }
    }

    @Test
    void clientInTheMiddleOfItsFile_holdsUpNobody_andCanBeKilled() throws Exception {
        run(connection, "CREATE TABLE t (k INT, v INT) UNIQUE KEY(k)" + DORIS);
        ExecutorService loader = Executors.newSingleThreadExecutor();
        try (Connection other = server.connect("d");
                Connection slow = server.connect("d", "&allowLoadLocalInfile=true")) {
            String id = rows(slow, "SELECT CONNECTION_ID()").get(0);
            HeldBack file = new HeldBack("1\t1\n2\t2\n");
            Future<Integer> loaded = loader.submit(() -> code(() -> load(slow, "INTO TABLE t", file)));
            file.given.await();
            run(other, "INSERT INTO t VALUES (5, 5)");
            assertThat(rows(other, "SELECT k FROM t")).containsExactly("5");
            run(other, "KILL QUERY " + id);
            file.mayEnd.countDown();
            assertThat(loaded.get(60, TimeUnit.SECONDS)).isEqualTo(1317);
            assertThat(rows(slow, "SELECT k FROM t")).containsExactly("5");
        } finally {
            loader.shutdownNow();
        }
    }

    @Test
    void bigFile_passesInBoundedMemory() throws SQLException {
        run(connection, "CREATE TABLE t (k INT, v VARCHAR(2000)) DUPLICATE KEY(k)" + DORIS);
        byte[] line = ("1\t" + "x".repeat(1_000) + "\n").getBytes(UTF_8);
        InputStream file =
                new SequenceInputStream(Collections.enumeration(Stream.generate(() -> new ByteArrayInputStream(line))
                        .limit(20_000)
                        .toList()));
        assertThat(load(connection, "INTO TABLE t", file)).isEqualTo(20_000);
        assertThatThrownBy(() -> load(connection, "INTO TABLE t", "1\t" + "y".repeat(2_001) + "\n"))
                .hasMessageContaining("too long");
    }
}
