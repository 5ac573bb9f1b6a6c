package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.soon;
import static org.keyline.gateway.fixtures.Lines.source;
import static org.keyline.gateway.fixtures.Lines.status;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * Clients that connect, read once and disconnect, in front of a real MariaDB that counts its
 * statements.
 */
class ShortConnectionsIT {
    private static final int CONNECTIONS = 60;

    private static MariaDb store;
    private static RelayGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        assumeFalse(MariaDb.isForeign() || MariaDb.isMySql(), "MariaDB counts by user");
        store = MariaDb.get("second");
        straight(
                "SET GLOBAL userstat = 1",
                "DROP DATABASE IF EXISTS short_visits",
                "CREATE DATABASE short_visits CHARACTER SET utf8mb4",
                "CREATE TABLE short_visits.t (id INT PRIMARY KEY, v VARCHAR(20))",
                "INSERT INTO short_visits.t VALUES (1, 'one'), (2, 'two')",
                "CREATE TABLE short_visits.u (n INT)",
                // Only the account that reads the catalog is queried about itself at its login.
                "DROP USER IF EXISTS visitor@'127.0.0.1'",
                "CREATE USER visitor@'127.0.0.1' IDENTIFIED BY 'secret'",
                "GRANT ALL ON *.* TO visitor@'127.0.0.1'");
        gateway = RelayGateway.start(store);
    }

    @AfterAll
    static void stop() throws SQLException {
        if (gateway != null) {
            gateway.close();
            straight("SET GLOBAL userstat = 0");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"mysql", "mariadb"})
    void connectReadAndLeave_costTheStoreNoMoreThanStraight(String driver) throws SQLException {
        visits(driver);
    }

    /**
     * A session is queried about the settings that stored code may have changed only once it runs
     * stored code.
     */
    @Test
    void connectReadAndLeave_whereTheStoreHasStoredCode_asksForNoCounts() throws SQLException {
        run(
                gateway.port(),
                "CREATE OR REPLACE FUNCTION short_visits.adds(a INT) RETURNS INT DETERMINISTIC RETURN a + 1");
        try {
            long began = System.nanoTime();
            long before = statusQuestions();
            visits("mysql");
            long asked = statusQuestions() - before;
            // The gateway may send its own periodic statements.
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
            assertThat(asked).isLessThan(CONNECTIONS / 2 + 2 * seconds);
        } finally {
            run(gateway.port(), "DROP FUNCTION short_visits.adds");
        }
    }

    private static long statusQuestions() throws SQLException {
        try (Connection session = store.connect("")) {
            return status(session, "Com_show_status");
        }
    }

    private static void visits(String driver) throws SQLException {
        String through = url(driver, gateway.port());
        String past = url(driver, store.port());
        soon("a line, or the figures")
                .until(() -> visit(through, "SELECT v FROM t WHERE id = 1").equals("one from line"));
        forgetVisits();
        for (int i = 0; i < CONNECTIONS; i++) {
            visit(past, "SELECT v FROM t WHERE id = 1");
        }
        long straight = statements();
        forgetVisits();
        int hits = 0;
        for (int i = 0; i < CONNECTIONS; i++) {
            hits += visit(through, "SELECT v FROM t WHERE id = 1").equals("one from line") ? 1 : 0;
        }
        long relayed = statements();
        assertThat(hits).isGreaterThan(CONNECTIONS - 3);
        assertThat(relayed).as("straight: %d", straight).isLessThanOrEqualTo(straight);
    }

    /**
     * The gateway's query counts a row at the store. Before its first result, a session gets 0, as
     * from MySQL.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT FOUND_ROWS()",
                "INSERT INTO u SELECT FOUND_ROWS(); SELECT n FROM u",
                "SET @f = FOUND_ROWS(); SELECT @f",
                "SELECT found()",
                "INSERT INTO u VALUES (found()); SELECT n FROM u",
                "CALL keep(); SELECT n FROM u",
                "SELECT nothing FROM t; SELECT FOUND_ROWS()",
                "SHOW WARNINGS; SELECT FOUND_ROWS()",
                "DO FOUND_ROWS(); SELECT FOUND_ROWS()"
            })
    void foundRows_isNotWhatTheQuestionCounted(String statements) throws SQLException {
        run(
                gateway.port(),
                "DELETE FROM short_visits.u",
                "CREATE OR REPLACE FUNCTION short_visits.found() RETURNS INT NOT DETERMINISTIC RETURN FOUND_ROWS()",
                "CREATE OR REPLACE PROCEDURE short_visits.keep() INSERT INTO short_visits.u VALUES (FOUND_ROWS())");
        try (Connection session = DriverManager.getConnection(url("mariadb", gateway.port()));
                Statement sql = session.createStatement()) {
            // Makes the gateway query the session, and has no result.
            sql.execute("UPDATE t SET v = 'two' WHERE id = 2");
            String last = "";
            for (String statement : statements.split("; ", -1)) {
                last = answer(sql, statement);
            }
            assertThat(last).isEqualTo("0");
        } finally {
            run(gateway.port(), "DROP FUNCTION short_visits.found", "DROP PROCEDURE short_visits.keep");
        }
    }

    private static String answer(Statement sql, String statement) {
        try {
            boolean rows = sql.execute(statement);
            try (ResultSet answer = rows ? sql.getResultSet() : null) {
                return answer != null && answer.next() ? answer.getString(1) : "no row";
            }
        } catch (SQLException e) {
            return "error " + e.getErrorCode();
        }
    }

    private static String url(String driver, int port) {
        String options = driver.equals("mysql") ? "&allowPublicKeyRetrieval=true" : "&sslMode=disable";
        return "jdbc:" + driver + "://127.0.0.1:" + port + "/short_visits?user=visitor&password=secret" + options;
    }

    private static String visit(String url, String select, String... sets) throws SQLException {
        try (Connection session = DriverManager.getConnection(url)) {
            for (String set : sets) {
                session.createStatement().execute(set);
            }
            return read(session, select);
        }
    }

    /** Returns the first cell, and its source. */
    private static String read(Connection session, String select) throws SQLException {
        String first = one(session, select);
        boolean through = session.getMetaData().getURL().contains(":" + gateway.port() + "/");
        return through ? first + " from " + source(session) : first;
    }

    /** Clears the figures once no session is left that would still be counted. */
    private static void forgetVisits() throws SQLException {
        soon("a line, or the figures").until(() -> {
            try (Connection session = store.connect("")) {
                return one(session, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'visitor'")
                        .equals("0");
            }
        });
        straight("FLUSH USER_STATISTICS");
    }

    /** Returns the number of statements of the visits, all of which have ended. */
    private static long statements() {
        long[] counted = new long[1];
        soon("a line, or the figures").until(() -> {
            try (Connection session = store.connect("");
                    Statement sql = session.createStatement();
                    ResultSet rows = sql.executeQuery(
                            "SELECT SELECT_COMMANDS + UPDATE_COMMANDS + OTHER_COMMANDS, CONCURRENT_CONNECTIONS, TOTAL_CONNECTIONS"
                                    + " FROM information_schema.USER_STATISTICS WHERE USER = 'visitor'")) {
                if (!rows.next() || rows.getLong(2) != 0 || rows.getLong(3) != CONNECTIONS) {
                    return false;
                }
                counted[0] = rows.getLong(1);
                return true;
            }
        });
        return counted[0];
    }

    private static void run(int port, String... statements) throws SQLException {
        try (Connection session = DriverManager.getConnection(url("mysql", port));
                Statement sql = session.createStatement()) {
            for (String statement : statements) {
                sql.execute(statement);
            }
        }
    }

    private static void straight(String... statements) throws SQLException {
        try (Connection session = store.connect("");
                Statement sql = session.createStatement()) {
            for (String statement : statements) {
                sql.execute(statement);
            }
        }
    }
}
