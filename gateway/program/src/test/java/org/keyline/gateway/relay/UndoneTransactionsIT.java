package org.keyline.gateway.relay;

import static java.util.Map.entry;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.run;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * A deadlock rolls a transaction back. MariaDB 11.4 then begins another one with the next
 * statement; other versions do not. Other sessions must see of the following writes what they see
 * if the session is directly at the store.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class UndoneTransactionsIT {
    private static final int ROWS = 40;
    private static final int WARM = 80;
    private static final int ER_LOCK_DEADLOCK = 1213;
    private static final String LOCKED = "UPDATE t SET v = v + 1 WHERE id = 2";

    /** The statements of a session in its transaction, of which one gets error 1213. */
    private interface Way {
        void run(Connection session) throws SQLException;
    }

    private static final Map<String, Way> WAYS = Map.ofEntries(
            entry("UPDATE", session -> run(session, LOCKED)),
            entry("SELECT FOR UPDATE", session -> one(session, "SELECT v FROM t WHERE id = 2 FOR UPDATE")),
            entry("a procedure", session -> run(session, "CALL writes()")),
            entry("a function", session -> one(session, "SELECT writes()")),
            entry("several statements", session -> run(session, "SELECT 1; " + LOCKED + "; SELECT 2")),
            entry("EXECUTE", session -> run(session, "PREPARE p FROM '" + LOCKED + "'", "EXECUTE p")),
            entry("a prepared statement", session -> {
                try (PreparedStatement sql = session.prepareStatement("UPDATE t SET v = v + 1 WHERE id = ?")) {
                    sql.setInt(1, 2);
                    sql.executeUpdate();
                }
            }));

    private static final List<String> ENDS = List.of("ROLLBACK", "COMMIT", "BEGIN", "SET autocommit=1", "SELECT 1");

    private static MariaDb store;
    private static RelayGateway gateway;
    private final ExecutorService other = Executors.newSingleThreadExecutor();

    @BeforeAll
    static void start() throws Exception {
        Assumptions.assumeFalse(MariaDb.isForeign());
        store = MariaDb.get("first");
        try (Connection straight = store.connect("")) {
            run(
                    straight,
                    "DROP DATABASE IF EXISTS undone",
                    "CREATE DATABASE undone",
                    "USE undone",
                    "CREATE TABLE t (id INT PRIMARY KEY, v INT)",
                    "CREATE PROCEDURE writes() " + LOCKED,
                    "CREATE FUNCTION writes() RETURNS INT MODIFIES SQL DATA BEGIN " + LOCKED + "; RETURN 1; END");
            for (int id = 1; id <= ROWS; id++) {
                run(straight, "INSERT INTO t VALUES (" + id + ", 0)");
            }
        }
        gateway = RelayGateway.start(store);
    }

    @AfterAll
    static void stop() throws SQLException {
        if (gateway != null) {
            gateway.close();
            store.run("DROP DATABASE undone");
        }
    }

    @AfterEach
    void end() {
        other.shutdownNow();
    }

    static Stream<String> ways() {
        return WAYS.keySet().stream().sorted();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void writesBehindADeadlock_areVisibleAsStraight(String way) throws Exception {
        Way run = requireNonNull(WAYS.get(way));
        for (String level : List.of("REPEATABLE READ", "READ COMMITTED")) {
            for (String end : ENDS) {
                String steps = way + " at " + level + ", " + end;
                List<String> straight = seen(store.jdbc("undone"), run, level, end, false);
                List<String> through = seen(gateway.jdbc("undone"), run, level, end, false);
                assertThat(through).as(steps).isEqualTo(straight);
                // Only writes through the gateway drop its lines.
                List<String> fromLines = seen(gateway.jdbc("undone"), run, level, end, true);
                assertThat(fromLines)
                        .as("%s, by a reader through the gateway", steps)
                        .isEqualTo(straight);
            }
        }
    }

    /**
     * Returns another session's view of two rows after each of some steps that follow a deadlock.
     */
    private List<String> seen(String url, Way way, String level, String end, boolean lines) throws Exception {
        String options = "&allowMultiQueries=true&useServerPrepStmts=true";
        try (Connection session = DriverManager.getConnection(url + options);
                Connection third = DriverManager.getConnection(lines ? gateway.jdbc("undone") : store.jdbc("undone"));
                Connection through = gateway.connect("undone")) {
            run(through, "UPDATE t SET v = 0");
            run(session, "SET SESSION TRANSACTION ISOLATION LEVEL " + level);
            for (int i = 0; i < WARM; i++) {
                // Transactions like this complete, so their replies are known, including those that
                // end no transaction.
                run(
                        session,
                        "BEGIN",
                        "SELECT v FROM t WHERE id = 3",
                        i % 2 == 0 ? "COMMIT" : "ROLLBACK",
                        "ROLLBACK",
                        "COMMIT");
            }
            run(session, "BEGIN", "SELECT v FROM t WHERE id = 3", "UPDATE t SET v = 1 WHERE id = 1");
            deadlock(session, way);
            List<String> seen = new ArrayList<>();
            for (String step :
                    List.of(end, "UPDATE t SET v = 5 WHERE id = 3", "SELECT v FROM t WHERE id = 3", "COMMIT")) {
                run(session, step);
                seen.add(one(third, "SELECT v FROM t WHERE id = 1") + " " + one(third, "SELECT v FROM t WHERE id = 3"));
            }
            return seen;
        }
    }

    /**
     * Another session with more changes waits for the row that this one has written, and this one
     * for a row of the other.
     */
    private void deadlock(Connection session, Way way) throws Exception {
        try (Connection heavy = store.connect("undone")) {
            heavy.setAutoCommit(false);
            run(heavy, "UPDATE t SET v = v + 1 WHERE id > 3", "UPDATE t SET v = v + 1 WHERE id = 2");
            Future<?> waits = other.submit(() -> {
                run(heavy, "UPDATE t SET v = v + 1 WHERE id = 1");
                return null;
            });
            assertThatThrownBy(() -> way.run(session))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            error -> assertThat(error.getErrorCode()).isEqualTo(ER_LOCK_DEADLOCK));
            waits.get(1, TimeUnit.MINUTES);
            heavy.rollback();
        }
    }
}
