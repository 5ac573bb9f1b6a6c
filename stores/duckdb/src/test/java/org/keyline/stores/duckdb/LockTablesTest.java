package org.keyline.stores.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.stores.duckdb.StatementsTest.rows;
import static org.keyline.stores.duckdb.StatementsTest.run;
import static org.keyline.stores.duckdb.StatementsTest.update;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** LOCK TABLES, savepoints, and the other statements by which dumps are taken and loaded, seen from two sessions. */
final class LockTablesTest extends FreshDatabase {
    private Connection holder;
    private Connection other;

    @BeforeEach
    void twoTables() throws SQLException {
        holder = connection;
        other = server.connect("d");
        run(other, "CREATE TABLE t (k INT PRIMARY KEY, v INT)");
        run(other, "CREATE TABLE u (k INT PRIMARY KEY, v INT)");
        run(other, "INSERT INTO t VALUES (1, 1)");
    }

    @AfterEach
    void closeOther() throws SQLException {
        other.close();
    }

    private static void refused(Connection connection, String sql, int code) {
        assertThatThrownBy(() -> run(connection, sql))
                .as(sql)
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(code));
    }

    @Test
    void readLocal_readsOneSnapshot_whileOthersWrite() throws SQLException {
        run(holder, "LOCK TABLES t READ LOCAL, u AS x READ LOCAL");
        assertThat(update(other, "INSERT INTO t VALUES (2, 2)")).isEqualTo(1);
        assertThat(update(other, "INSERT INTO u SELECT k, v FROM t")).isEqualTo(2);
        assertThat(rows(holder, "SELECT k FROM t ORDER BY k")).containsExactly("1");
        run(holder, "COMMIT");
        run(holder, "ROLLBACK");
        assertThat(rows(holder, "SELECT k FROM u")).isEmpty();
        refused(holder, "INSERT INTO t VALUES (3, 3)", 1099);
        refused(other, "ALTER TABLE t ADD COLUMN w INT", 1205);
        refused(other, "TRUNCATE TABLE t", 1205);
        refused(other, "DROP DATABASE d", 1205);
        run(holder, "UNLOCK TABLES");
        assertThat(rows(holder, "SELECT k FROM t ORDER BY k")).containsExactly("1", "2");
        run(other, "TRUNCATE TABLE t");
    }

    @Test
    void read_isShared_andKeepsEveryoneFromWriting() throws SQLException {
        run(holder, "LOCK TABLES t READ");
        run(other, "LOCK TABLES t READ, u WRITE");
        run(other, "UNLOCK TABLES");
        refused(other, "LOCK TABLES u READ, t WRITE", 1205);
        run(other, "INSERT INTO u VALUES (1, 1)");
        refused(other, "INSERT INTO t VALUES (2, 2)", 1205);
        refused(other, "INSERT INTO t SELECT k + 1, v FROM t", 1205);
        refused(other, "UPDATE t SET v = 2 WHERE k = 1", 1205);
        run(other, "BEGIN");
        refused(other, "DELETE FROM t", 1205);
        run(other, "COMMIT");
        refused(other, "RENAME TABLE t TO w", 1205);
        refused(holder, "UPDATE t SET v = 2", 1099);
        refused(holder, "SELECT * FROM u", 1100);
        refused(holder, "INSERT INTO u VALUES (2, 2)", 1100);
        refused(holder, "DROP TABLE t", 1099);
        assertThat(rows(holder, "SELECT v FROM t")).containsExactly("1");
        assertThat(rows(holder, "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'd'"))
                .containsExactly("2");
        run(holder, "UNLOCK TABLES");
        run(other, "INSERT INTO t VALUES (2, 2)");
        run(holder, "INSERT INTO u VALUES (2, 2)");
    }

    @Test
    void write_keepsOthersFromWritingAndLocking_notFromReading() throws SQLException {
        run(holder, "LOCK TABLES t WRITE");
        run(holder, "ALTER TABLE t DISABLE KEYS");
        run(holder, "INSERT INTO t VALUES (2, 2)");
        run(holder, "INSERT INTO t SELECT k + 2, v FROM t");
        refused(other, "INSERT INTO t VALUES (9, 9)", 1205);
        refused(other, "LOCK TABLES t READ LOCAL", 1205);
        assertThat(rows(other, "SELECT COUNT(*) FROM t")).containsExactly("4");
        run(holder, "LOCK TABLES u READ");
        run(other, "INSERT INTO t VALUES (9, 9)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"COMMIT", "ROLLBACK"})
    void lock_whereATransactionHasWritten_isRefusedUntilItEnds(String end) throws SQLException {
        run(other, "BEGIN");
        run(other, "INSERT INTO t VALUES (2, 2)");
        refused(holder, "LOCK TABLES t WRITE", 1205);
        refused(holder, "LOCK TABLES t READ", 1205);
        run(holder, "LOCK TABLES t READ LOCAL");
        run(holder, "UNLOCK TABLES");
        run(other, end);
        run(holder, "LOCK TABLES t WRITE");
    }

    @ParameterizedTest
    @ValueSource(strings = {"BEGIN", "START TRANSACTION", "LOCK TABLES u WRITE", "UNLOCK TABLES"})
    void locks_endWithTheStatementsThatEndThem(String end) throws SQLException {
        run(holder, "LOCK TABLES t WRITE");
        run(holder, end);
        run(other, "INSERT INTO t VALUES (2, 2)");
    }

    @Test
    void locks_endWithTheirSession() throws SQLException {
        run(holder, "LOCK TABLES t WRITE");
        holder.close();
        long deadline = System.nanoTime() + 60_000_000_000L;
        while (true) {
            try {
                run(other, "INSERT INTO t VALUES (2, 2)");
                return;
            } catch (SQLException e) {
                assertThat(e.getErrorCode()).isEqualTo(1205);
                assertThat(System.nanoTime())
                        .as("the lock outlives its session")
                        .isLessThan(deadline);
            }
        }
    }

    @Test
    void lock_commitsTheOpenTransaction() throws SQLException {
        run(holder, "BEGIN");
        run(holder, "INSERT INTO t VALUES (2, 2)");
        run(holder, "LOCK TABLES t READ");
        assertThat(rows(other, "SELECT COUNT(*) FROM t")).containsExactly("2");
    }

    @Test
    void savepoint_isHonouredWhereNothingIsToBeUndone() throws SQLException {
        run(holder, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
        run(other, "INSERT INTO t VALUES (2, 2)");
        run(holder, "SAVEPOINT sp");
        assertThat(rows(holder, "SELECT k FROM t")).containsExactly("1");
        run(holder, "SAVEPOINT later");
        run(holder, "ROLLBACK TO SAVEPOINT SP");
        refused(holder, "ROLLBACK TO later", 1305);
        run(holder, "INSERT INTO t VALUES (3, 3)");
        run(holder, "RELEASE SAVEPOINT sp");
        refused(holder, "RELEASE SAVEPOINT sp", 1305);
        run(holder, "COMMIT");
        assertThat(rows(other, "SELECT COUNT(*) FROM t")).containsExactly("3");
    }

    @Test
    void savepoint_thatCannotBeReturnedTo_letsNothingBeCommitted() throws SQLException {
        run(holder, "BEGIN");
        run(holder, "INSERT INTO t VALUES (2, 2)");
        run(holder, "SAVEPOINT sp");
        run(holder, "INSERT INTO t VALUES (3, 3)");
        refused(holder, "ROLLBACK TO SAVEPOINT sp", 1235);
        refused(holder, "COMMIT", 1180);
        assertThat(rows(other, "SELECT COUNT(*) FROM t")).containsExactly("1");
    }

    @Test
    void comment_withNoStatement_isNoError() throws SQLException {
        run(holder, "/*M!100100 SET WAIT_TIMEOUT=DEFAULT */");
        refused(holder, " ; ", 1065);
    }

    @Test
    void zero_withNoAutoValueOnZero_isStored() throws SQLException {
        run(holder, "CREATE TABLE n (id INT AUTO_INCREMENT PRIMARY KEY)");
        run(holder, "INSERT INTO n VALUES (0)");
        run(holder, "SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO'");
        run(holder, "INSERT INTO n VALUES (0), (NULL)");
        assertThat(rows(holder, "SELECT id FROM n ORDER BY id")).containsExactly("0", "1", "2");
    }

    @Test
    void explain_namesTablesAsClientsKnowThem() throws SQLException {
        String plan = String.join(
                "\n",
                rows(holder, "EXPLAIN SELECT t.v, MAX(u.v) FROM t JOIN u ON t.k = u.k GROUP BY t.v ORDER BY t.v"));
        assertThat(plan).contains("Table: d.t ", "Table: d.u ").doesNotContain("__keyline", "__internal");
        assertThat(String.join("\n", rows(holder, "EXPLAIN SELECT * FROM information_schema.TABLES")))
                .contains("information_schema.TABLES")
                .doesNotContain("__keyline", "DECLARED");
    }
}
