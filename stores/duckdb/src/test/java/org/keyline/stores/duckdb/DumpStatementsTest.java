package org.keyline.stores.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.stores.duckdb.StatementsTest.rows;
import static org.keyline.stores.duckdb.StatementsTest.run;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Savepoints, and other statements that create and load dumps, seen from two sessions. */
final class DumpStatementsTest extends FreshDatabase {
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
    void explain_showsThePlanOfTheEngine() throws SQLException {
        String plan = String.join(
                "\n",
                rows(holder, "EXPLAIN SELECT t.v, MAX(u.v) FROM t JOIN u ON t.k = u.k GROUP BY t.v ORDER BY t.v"));
        assertThat(plan).contains("Hash Join", "__keyline_db.d.t ", "__keyline_db.d.u ");
    }
}
