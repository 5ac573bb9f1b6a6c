package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;
import static org.keyline.gateway.fixtures.Lines.status;
import static org.keyline.gateway.fixtures.Lines.warm;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * Random grants and revocations through the gateway, of every level and of roles, with older and
 * newer sessions. Each session of the gateway has a twin directly at the store that logs in,
 * chooses its schema and sets its role at the same moments. Rights and rows must be the same for
 * both.
 */
@Tag("explores")
class RightsDifferentialIT {
    private static final MariaDb STORE = MariaDb.get("second");
    private static final long SEED = Long.getLong("keyline.rights.seed", 44_006);
    private static final int READS = Integer.getInteger("keyline.rights.reads", 2_500);
    private static final int SESSIONS = 8;
    private static final String CLERK = "clerk44@'127.0.0.1'";

    private static final List<String> READ = List.of(
            "SELECT v FROM rightsa.t WHERE id = ?",
            "SELECT id, w FROM rightsa.t WHERE id = ?",
            "SELECT * FROM rightsa.t WHERE id = ?",
            "SELECT v FROM rightsa.u WHERE id = ?",
            "SELECT v FROM rightsb.t WHERE id = ?",
            "SELECT v FROM t WHERE id = ?",
            "SELECT id FROM u WHERE id = ?");

    private static final List<String> PRIVILEGES = List.of(
            "SELECT ON *.*",
            "SELECT ON rightsa.*",
            "SELECT ON rightsb.*",
            "SELECT ON rightsa.t",
            "SELECT ON rightsa.u",
            "SELECT (id, v) ON rightsa.t",
            "SELECT (id, w) ON rightsa.t");

    /** A session through the gateway, and its twin. */
    private record Pair(Connection through, Connection straight) implements AutoCloseable {
        @Override
        public void close() throws SQLException {
            through.close();
            straight.close();
        }
    }

    @Test
    void changesOfRights_underOldAndNewSessions_answerAsStraight() throws Exception {
        Random random = new Random(SEED);
        int allowed = 0;
        int denied = 0;
        long hits = 0;
        List<Pair> sessions = new ArrayList<>();
        try (Connection owner = STORE.connect("")) {
            prepare(owner);
            try (RelayGateway gateway = RelayGateway.start(STORE);
                    Connection admin = gateway.connect("")) {
                for (int i = 0; i < READS; i++) {
                    if (random.nextInt(40) == 0) {
                        change(admin, random);
                    }
                    if (sessions.size() < SESSIONS || random.nextInt(60) == 0) {
                        Pair opened = open(gateway, random);
                        if (sessions.size() < SESSIONS) {
                            sessions.add(opened);
                        } else {
                            sessions.set(random.nextInt(SESSIONS), opened).close();
                        }
                    }
                    Pair pair = sessions.get(random.nextInt(sessions.size()));
                    if (random.nextInt(50) == 0) {
                        both(pair, SETTINGS.get(random.nextInt(SETTINGS.size())));
                    }
                    String read = READ.get(random.nextInt(READ.size())).replace("?", "" + random.nextInt(3));
                    String received = both(pair, read);
                    if (received.startsWith("error")) {
                        denied++;
                    } else {
                        allowed++;
                    }
                }
                hits = status(admin, "keyline_hits");
            } finally {
                for (Pair pair : sessions) {
                    pair.close();
                }
                clean(owner);
            }
        }
        assertThat(allowed).isGreaterThan(READS / 5);
        assertThat(denied).isGreaterThan(READS / 5);
        assertThat(hits).isGreaterThan(READS / 20);
    }

    /**
     * No signal reports the change. An older session retains its global rights at the store, and
     * continues to read.
     */
    @Test
    void revocationPastTheGateway_underAnOlderSessionThatReads_endsForNewSessionsWithinTheBound() throws Exception {
        String read = "SELECT v FROM rightsa.t WHERE id = 1";
        try (Connection owner = STORE.connect("")) {
            prepare(owner);
            run(owner, "GRANT SELECT ON *.* TO " + CLERK);
            try (RelayGateway gateway = RelayGateway.start(STORE, "privilegeTtl=500ms");
                    Pair old = new Pair(login(gateway.port()), login(STORE.port()))) {
                warm(old.through(), read);
                both(old, read);
                run(owner, "REVOKE SELECT ON *.* FROM " + CLERK);
                soon("the revocation").until(() -> {
                    both(old, read);
                    return isRefused(gateway.port(), read);
                });
                long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
                while (System.nanoTime() < until) {
                    both(old, read);
                    assertThat(isRefused(gateway.port(), read)).isTrue();
                    assertThat(isRefused(STORE.port(), read)).isTrue();
                }
            } finally {
                clean(owner);
            }
        }
    }

    private static boolean isRefused(int port, String read) throws SQLException {
        try (Connection fresh = login(port)) {
            return outcome(fresh, read).startsWith("error 1142");
        }
    }

    private static final List<String> SETTINGS =
            List.of("USE rightsa", "USE rightsb", "SET ROLE reader44", "SET ROLE NONE", "SET ROLE reader44");

    private static String both(Pair pair, String statement) {
        String straight = outcome(pair.straight(), statement);
        assertThat(outcome(pair.through(), statement)).as(statement).isEqualTo(straight);
        return straight;
    }

    private static String outcome(Connection connection, String statement) {
        try (Statement sql = connection.createStatement()) {
            StringBuilder received = new StringBuilder();
            if (sql.execute(statement)) {
                try (ResultSet rows = sql.getResultSet()) {
                    int columns = rows.getMetaData().getColumnCount();
                    while (rows.next()) {
                        for (int i = 1; i <= columns; i++) {
                            received.append(rows.getString(i)).append(' ');
                        }
                    }
                }
            }
            return received.toString();
        } catch (SQLException e) {
            return "error " + e.getErrorCode() + " " + e.getMessage();
        }
    }

    private static void change(Connection admin, Random random) throws SQLException {
        String privilege = PRIVILEGES.get(random.nextInt(PRIVILEGES.size()));
        String to = random.nextInt(3) == 0 ? "reader44" : CLERK;
        String[] changes = {
            "GRANT " + privilege + " TO " + to,
            "REVOKE " + privilege + " FROM " + to,
            "REVOKE SELECT ON *.* FROM " + to,
            "REVOKE ALL PRIVILEGES, GRANT OPTION FROM " + to,
            "GRANT reader44 TO " + CLERK,
            "GRANT SELECT ON *.* TO " + to,
            "REVOKE reader44 FROM " + CLERK,
            "FLUSH PRIVILEGES"
        };
        try (Statement sql = admin.createStatement()) {
            sql.execute(changes[random.nextInt(changes.length)]);
        } catch (SQLException e) {
            // Nothing to revoke: 1141, 1147, 1269, 1959, 1962.
            assertThat(e.getErrorCode()).as(e.getMessage()).isIn(1141, 1147, 1269, 1959, 1962);
        }
    }

    private static Pair open(RelayGateway gateway, Random random) throws SQLException {
        // The schema is chosen after the login, which would fail without a right to it.
        Pair pair = new Pair(login(gateway.port()), login(STORE.port()));
        both(pair, SETTINGS.get(random.nextInt(2)));
        return pair;
    }

    private static Connection login(int port) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mysql://127.0.0.1:" + port + "/?user=clerk44&password=c&allowPublicKeyRetrieval=true");
    }

    private static void prepare(Connection owner) throws SQLException {
        clean(owner);
        run(
                owner,
                "CREATE DATABASE rightsa",
                "CREATE DATABASE rightsb",
                "CREATE TABLE rightsa.t (id INT PRIMARY KEY, v INT, w INT)",
                "CREATE TABLE rightsa.u (id INT PRIMARY KEY, v INT)",
                "CREATE TABLE rightsb.t (id INT PRIMARY KEY, v INT)",
                "INSERT INTO rightsa.t VALUES (1, 11, 12), (2, 21, 22)",
                "INSERT INTO rightsa.u VALUES (1, 31), (2, 32)",
                "INSERT INTO rightsb.t VALUES (1, 41), (2, 42)",
                "CREATE USER " + CLERK + " IDENTIFIED BY 'c'",
                "CREATE ROLE reader44",
                "GRANT reader44 TO " + CLERK);
    }

    private static void clean(Connection owner) throws SQLException {
        run(
                owner,
                "DROP DATABASE IF EXISTS rightsa",
                "DROP DATABASE IF EXISTS rightsb",
                "DROP USER IF EXISTS " + CLERK,
                "DROP ROLE IF EXISTS reader44");
    }
}
