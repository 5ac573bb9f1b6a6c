package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;

import com.mysql.cj.jdbc.JdbcConnection;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.fixtures.DemoGateway;
import org.keyline.gateway.fixtures.Lines;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.gateway.fixtures.TextLines;

/**
 * Random sessions, the same through the gateway and directly at the store, each with separate
 * schemas, account and role. They change visible and hidden session state, and every later read
 * must agree. For the embedded store, a gateway without lines is the reference.
 * {@code -Dkeyline.sessionfuzz.steps} and {@code -Dkeyline.sessionfuzz.seed} set length and seed.
 */
@Tag("explores")
class SessionFuzzIT {
    private static final int STEPS = Integer.getInteger("keyline.sessionfuzz.steps", 250);
    private static final int EMBEDDED_STEPS = Integer.getInteger("keyline.sessionfuzz.steps", 50);
    private static final long SEED = Long.getLong("keyline.sessionfuzz.seed", 1);
    private static final int STEPS_PER_SESSION = 12;
    private static final int KEYS = 3;
    /** A step of a kind below this one uses a prepared statement, or changes rights. */
    private static final int KINDS_OF_HANDLES = 5;
    /** A statement without a reply fails, rather than hang. */
    private static final int TIMEOUT_MILLIS = 60_000;

    @TempDir
    private static Path directory;

    /**
     * A, B and C are schemas, R is a role of the session's account that may read C, and K a key.
     */
    private static final List<String> CHANGES = TextLines.of(SessionFuzzIT.class, "SessionFuzzIT.CHANGES.txt");

    /**
     * Changes of sessions that may have released their store session before each statement: most do
     * not bind it, some do.
     */
    private static final List<String> IDLE_CHANGES =
            TextLines.of(SessionFuzzIT.class, "SessionFuzzIT.IDLE_CHANGES.txt");

    /** Reads that show a session's own earlier changes. */
    private static final List<String> IDLE_READS = TextLines.of(SessionFuzzIT.class, "SessionFuzzIT.IDLE_READS.txt");

    private static final List<String> READS = List.of(
            "SELECT v FROM t WHERE id = K",
            "SELECT v FROM A.t WHERE id = K",
            "SELECT v FROM B.t WHERE id = K",
            "SELECT v FROM x WHERE k = 'a\\\\'",
            "SELECT v FROM A.x WHERE k = ''",
            "SELECT v FROM B.x WHERE k = 'a'",
            "SELECT v FROM C.secret WHERE id = K",
            "SELECT FOUND_ROWS()",
            "SELECT DATABASE() IS NULL",
            "SELECT ROW_COUNT()");

    /** Their last 1 is a parameter, whose type changes between executions. */
    private static final List<String> PREPARED_READS =
            List.of("SELECT v FROM t WHERE id = 1", "SELECT v FROM x WHERE k = 1", "SELECT v FROM B.x WHERE k = 1");

    private static final List<String> PREPARED_WRITES = List.of(
            "UPDATE t SET v = v + 11 WHERE id = 1",
            "UPDATE t SET v = v + 11 WHERE id = 1",
            "UPDATE x SET v = v + 11 WHERE k = 1",
            "DELETE FROM B.t WHERE id = 1");

    private static final int TYPES = 8;

    /** Statements of an administrator. */
    private static final List<String> RIGHTS = List.of(
            "GRANT SELECT ON C.secret TO R",
            "GRANT SELECT, UPDATE ON C.secret TO R",
            "REVOKE UPDATE ON C.secret FROM R",
            "REVOKE SELECT ON C.secret FROM R",
            "UPDATE C.secret SET v = v + 1 WHERE id = K",
            "REPLACE INTO C.secret VALUES (K, 5)");

    /** The clients of the local user that have a store session. */
    private static final String WITH_SESSION = "FROM keyline.clients WHERE user = 'fuzzi' AND store_session = 1";

    /** Of {@link #IDLE_CHANGES}: the store ends all sessions of the gateway's clients. */
    private static final String LOSE = "LOSE";

    private static final String ADMINISTRATOR = "user=" + MariaDb.USER + "&password=" + MariaDb.PASSWORD;

    /**
     * One side: its schemas, a session that makes changes, one that reads, and one of an
     * administrator.
     */
    private static final class Side implements AutoCloseable {
        private final int port;
        private final String account;
        private final String prefix;
        private Connection session;
        private Connection reader;
        private final Connection administrator;
        private final List<PreparedStatement> handles = new ArrayList<>();

        Side(int port, String account, String administrator, String prefix) throws SQLException {
            this.port = port;
            this.account = account;
            this.prefix = prefix;
            session = open(account);
            reader = open(account);
            this.administrator = open(administrator);
        }

        private Connection open(String account) throws SQLException {
            return DriverManager.getConnection("jdbc:mysql://127.0.0.1:" + port + "/" + prefix + "a?" + account
                    + "&allowPublicKeyRetrieval=true&allowMultiQueries=true&useServerPrepStmts=true&socketTimeout="
                    + TIMEOUT_MILLIS);
        }

        void renewReader() throws SQLException {
            reader.close();
            reader = open(account);
        }

        void renew() throws SQLException {
            session.close();
            handles.clear();
            session = open(account);
        }

        private String named(String text, int key) {
            return text.replaceAll("\\bA\\b", prefix + "a")
                    .replaceAll("\\bB\\b", prefix + "b")
                    .replaceAll("\\bC\\b", prefix + "c")
                    .replaceAll("\\bR\\b", prefix + "r")
                    .replaceAll("\\bPREFIX\\b", prefix)
                    .replaceAll("\\b(9?)K\\b", "$1" + key);
        }

        String run(boolean reads, String text, int key) {
            return run(reads ? reader : session, text, key);
        }

        String administer(String text, int key) {
            return run(administrator, text, key);
        }

        private String run(Connection connection, String text, int key) {
            try (Statement sql = connection.createStatement()) {
                return outcome(sql, sql.execute(named(text, key)));
            } catch (SQLException refused) {
                return "error " + refused.getErrorCode();
            }
        }

        String prepare(String text) {
            try {
                handles.add(session.prepareStatement(named(text, 1).replaceAll("= 1$", "= ?")));
                return "prepared";
            } catch (SQLException refused) {
                return "error " + refused.getErrorCode();
            }
        }

        String execute(int handle, int key, int type) {
            if (handles.isEmpty()) {
                return "none";
            }
            try {
                PreparedStatement statement = handles.get(handle % handles.size());
                bind(statement, key, type);
                return outcome(statement, statement.execute());
            } catch (SQLException refused) {
                return "error " + refused.getErrorCode();
            }
        }

        private static void bind(PreparedStatement statement, int key, int type) throws SQLException {
            switch (type) {
                case 0 -> statement.setString(1, Integer.toString(key));
                case 1 -> statement.setString(1, "a");
                case 2 -> statement.setString(1, "a\\");
                case 3 -> statement.setDouble(1, key);
                case 4 -> statement.setBigDecimal(1, BigDecimal.valueOf(10L * key, 1));
                case 5 -> statement.setNull(1, Types.INTEGER);
                default -> statement.setInt(1, key);
            }
        }

        private static String outcome(Statement sql, boolean rows) throws SQLException {
            StringBuilder received = new StringBuilder();
            boolean isRows = rows;
            while (isRows || sql.getUpdateCount() >= 0) {
                if (isRows) {
                    try (ResultSet result = sql.getResultSet()) {
                        while (result.next()) {
                            received.append(result.getString(1)).append(' ');
                        }
                    }
                    received.append("; ");
                } else {
                    received.append(sql.getUpdateCount()).append(" rows; ");
                }
                isRows = sql.getMoreResults();
            }
            return received.toString();
        }

        @Override
        public void close() throws SQLException {
            session.close();
            reader.close();
            administrator.close();
        }
    }

    private static void schemas(String url, String prefix) throws SQLException {
        try (Connection straight = DriverManager.getConnection(url);
                Statement sql = straight.createStatement()) {
            for (String schema : new String[] {prefix + "a", prefix + "b"}) {
                sql.execute("DROP DATABASE IF EXISTS " + schema);
                sql.execute("CREATE DATABASE " + schema + " CHARACTER SET utf8mb4");
                sql.execute("USE " + schema);
                sql.execute("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
                sql.execute("INSERT INTO t VALUES (1, 10), (2, 20)");
                sql.execute("CREATE TABLE x (k VARCHAR(20) PRIMARY KEY, v INT)");
                sql.execute("INSERT INTO x VALUES ('', 1), ('a', 2), ('a\\\\', 3)");
                sql.execute("CREATE TABLE fired (id INT PRIMARY KEY, v INT)");
            }
        }
    }

    private static void storedCode(String url, String prefix) throws SQLException {
        try (Connection straight = DriverManager.getConnection(url);
                Statement sql = straight.createStatement()) {
            for (String schema : new String[] {prefix + "a", prefix + "b"}) {
                sql.execute("USE " + schema);
                sql.execute("CREATE FUNCTION bump() RETURNS INT MODIFIES SQL DATA BEGIN"
                        + " UPDATE t SET v = v + 100 WHERE id = 1; RETURN 1; END");
                sql.execute(
                        "CREATE TRIGGER fires AFTER UPDATE ON fired FOR EACH ROW UPDATE t SET v = v + 1000 WHERE id = 2");
                sql.execute("CREATE VIEW calls AS SELECT bump() AS b");
                sql.execute("CREATE VIEW over_calls AS SELECT b FROM calls");
                sql.execute(
                        "CREATE PROCEDURE fails_open(k INT) BEGIN START TRANSACTION; UPDATE t SET v = v + 5 WHERE id = k;"
                                + " SIGNAL SQLSTATE '45000'; END");
                sql.execute("CREATE PROCEDURE works(k INT) BEGIN UPDATE t SET v = v + 6 WHERE id = k; END");
                sql.execute("CREATE PROCEDURE shadows() BEGIN CREATE TEMPORARY TABLE t (id INT PRIMARY KEY, v INT);"
                        + " SIGNAL SQLSTATE '45000'; END");
                sql.execute("CREATE PROCEDURE takes_role() SQL SECURITY INVOKER BEGIN SET ROLE " + prefix + "r; END");
            }
        }
    }

    /**
     * Creates an account that may do anything in both schemas, and in its role read a third one.
     */
    private static void account(String url, String prefix) throws SQLException {
        String user = prefix + "@'127.0.0.1'";
        String role = prefix + "r";
        try (Connection straight = DriverManager.getConnection(url);
                Statement sql = straight.createStatement()) {
            sql.execute("DROP DATABASE IF EXISTS " + prefix + "c");
            sql.execute("CREATE DATABASE " + prefix + "c");
            sql.execute("CREATE TABLE " + prefix + "c.secret (id INT PRIMARY KEY, v INT)");
            sql.execute("INSERT INTO " + prefix + "c.secret VALUES (1, 10), (2, 20)");
            sql.execute("DROP USER IF EXISTS " + user);
            sql.execute("CREATE USER " + user + " IDENTIFIED BY '" + MariaDb.PASSWORD + "'");
            sql.execute("DROP ROLE IF EXISTS " + role);
            sql.execute("CREATE ROLE " + role);
            sql.execute("GRANT ALL ON " + prefix + "a.* TO " + user);
            sql.execute("GRANT ALL ON " + prefix + "b.* TO " + user);
            sql.execute("GRANT SELECT ON " + prefix + "c.secret TO " + role);
            sql.execute("GRANT " + role + " TO " + user);
        }
    }

    @Test
    void sessions_throughTheGatewayAndStraight_readTheSame() throws Exception {
        MariaDb store = MariaDb.get("second");
        for (String prefix : new String[] {"fuzzg", "fuzzs"}) {
            schemas(store.jdbc(""), prefix);
            storedCode(store.jdbc(""), prefix);
            account(store.jdbc(""), prefix);
        }
        String password = "&password=" + MariaDb.PASSWORD;
        try (RelayGateway gateway = RelayGateway.start(store);
                Side through = new Side(gateway.port(), "user=fuzzg" + password, ADMINISTRATOR, "fuzzg");
                Side straight = new Side(store.port(), "user=fuzzs" + password, ADMINISTRATOR, "fuzzs")) {
            compare(through, straight, new Run(SEED, STEPS, CHANGES, READS, true), () -> {});
        }
    }

    /**
     * Clients of local users, whose store session is released before each command unless something
     * binds it.
     */
    @Test
    void sessions_givenBackBetweenStatements_readTheSame() throws Exception {
        MariaDb store = MariaDb.get("second");
        prepareReleased(store);
        try (RelayGateway gateway = RelayGateway.start(store.port(), releasing(directory))) {
            compareReleased(store, gateway.port(), new Run(SEED, STEPS, IDLE_CHANGES, IDLE_READS, true));
        }
    }

    /** Creates the schemas and accounts of {@link #compareReleased}. */
    static void prepareReleased(MariaDb store) throws SQLException {
        for (String prefix : new String[] {"fuzzi", "fuzzt"}) {
            schemas(store.jdbc(""), prefix);
            account(store.jdbc(""), prefix);
            try (Connection sql = store.connect("")) {
                Lines.run(
                        sql,
                        "ALTER TABLE " + prefix + "a.fired MODIFY id INT AUTO_INCREMENT",
                        "ALTER TABLE " + prefix + "b.fired MODIFY id INT AUTO_INCREMENT",
                        "CREATE SEQUENCE " + prefix + "a.s");
            }
        }
    }

    /** Writes the settings of a gateway for {@link #compareReleased}. */
    static Path releasing(Path directory) throws IOException {
        String account = ", storePassword: " + MariaDb.PASSWORD + "}\n";
        return Files.writeString(
                directory.resolve("keyline.yaml"),
                "users:\n  - {name: fuzzi, plugin: none, storeUser: fuzzi" + account
                        + "  - {name: ops, plugin: none, storeUser: " + MariaDb.USER + account
                        + "access: {views: ops}\nstore: {idleSession: 1ms}\n");
    }

    /**
     * Compares sessions through a gateway that releases store sessions after a millisecond with
     * sessions directly at the store.
     *
     * @param port of the gateway
     */
    static void compareReleased(MariaDb store, int port, Run run) throws SQLException {
        try (Side through = new Side(port, "user=fuzzi", "user=ops", "fuzzi");
                Side straight =
                        new Side(store.port(), "user=fuzzt&password=" + MariaDb.PASSWORD, ADMINISTRATOR, "fuzzt");
                Connection root = store.connect("");
                Connection ops =
                        DriverManager.getConnection("jdbc:mysql://127.0.0.1:" + port + "/?user=ops&password=")) {
            compare(through, straight, run, new Released(ops, root));
        }
    }

    /**
     * With lines and without; statements that the store does not support have the same error on
     * both.
     */
    @Test
    void sessions_onTheEmbeddedStore_readTheSame() throws Exception {
        try (DemoGateway gateway = DemoGateway.start("demo=false", "http=off");
                DemoGateway reference = DemoGateway.start("demo=false", "http=off", "cache.enabled=false")) {
            for (DemoGateway each : new DemoGateway[] {gateway, reference}) {
                schemas(each.jdbc("mysql", "", "user=root"), "fuzz");
            }
            try (Side through = new Side(gateway.address().port(), "user=root", "user=root", "fuzz");
                    Side straight = new Side(reference.address().port(), "user=root", "user=root", "fuzz")) {
                compare(through, straight, new Run(SEED, EMBEDDED_STEPS, CHANGES, READS, true), () -> {});
            }
        }
    }

    /** The store sessions of the gateway's clients. */
    private interface StoreSessions {
        /** Called between the commands. */
        void await() throws SQLException;

        /** Ends all store sessions, and opens the clients again that had one. */
        default void lose(Side through, Side straight) throws SQLException {}
    }

    /** Store sessions of which only those of bound clients stay open. */
    private record Released(Connection ops, Connection root) implements StoreSessions {
        @Override
        public void await() {
            Lines.soon("given back or bound").until(() -> count(ops, WITH_SESSION + " AND bound IS NULL") == 0);
        }

        @Override
        public void lose(Side through, Side straight) throws SQLException {
            boolean session = isBound(through.session);
            boolean reader = isBound(through.reader);
            Lines.run(root, "KILL USER fuzzi");
            Lines.soon("lost")
                    .until(() -> count(ops, WITH_SESSION)
                                    + count(root, "FROM information_schema.PROCESSLIST WHERE USER = 'fuzzi'")
                            == 0);
            assertThat(isConnected(through.session)).as("session").isEqualTo(!session);
            assertThat(isConnected(through.reader)).as("reader").isEqualTo(!reader);
            if (session) {
                through.session.abort(Runnable::run);
                through.renew();
                straight.renew();
            }
            if (reader) {
                through.reader.abort(Runnable::run);
                through.renewReader();
                straight.renewReader();
            }
        }

        private boolean isBound(Connection client) throws SQLException {
            return count(ops, WITH_SESSION + " AND id = " + id(client)) == 1;
        }

        private boolean isConnected(Connection client) throws SQLException {
            return count(ops, "FROM keyline.clients WHERE id = " + id(client)) == 1;
        }

        private static long id(Connection client) throws SQLException {
            return client.unwrap(JdbcConnection.class).getId();
        }

        private static int count(Connection connection, String from) throws SQLException {
            return Integer.parseInt(Lines.one(connection, "SELECT COUNT(*) " + from));
        }
    }

    /** @param handles whether the sessions also use prepared statements, and rights change */
    record Run(long seed, int steps, List<String> changes, List<String> reads, boolean handles) {
        /** Returns a run of released sessions, with only the changes that contain one of the texts. */
        static Run of(long seed, int steps, List<String> texts, boolean handles) {
            List<String> changes = IDLE_CHANGES.stream()
                    .filter(change -> texts.stream().anyMatch(change::contains))
                    .toList();
            return new Run(seed, steps, changes, IDLE_READS, handles);
        }
    }

    private static void compare(Side through, Side straight, Run run, StoreSessions sessions) throws SQLException {
        Random random = new Random(run.seed());
        List<String> received = new ArrayList<>();
        int compared = 0;
        // The gateway may query the store about the session when a read is prepared, and
        // ROW_COUNT() then shows that query.
        boolean prepared = false;
        for (int step = 0; step < run.steps(); step++) {
            if (step % STEPS_PER_SESSION == 0) {
                through.renew();
                straight.renew();
                received.clear();
                prepared = false;
            }
            int key = 1 + random.nextInt(KEYS);
            int kind = run.handles() ? random.nextInt(11) : KINDS_OF_HANDLES;
            String text = pick(random, run.changes());
            sessions.await();
            String one;
            String other;
            if (kind == 0) {
                text = pick(random, PREPARED_READS);
                received.add("PREPARE " + text);
                one = through.prepare(text);
                other = straight.prepare(text);
            } else if (kind == 1) {
                text = pick(random, PREPARED_WRITES);
                received.add("PREPARE " + text);
                one = through.prepare(text);
                other = straight.prepare(text);
            } else if (kind <= 3) {
                int handle = random.nextInt(100);
                int type = random.nextInt(TYPES);
                received.add("EXECUTE " + handle + " of " + key + ", type " + type);
                one = through.execute(handle, key, type);
                other = straight.execute(handle, key, type);
            } else if (kind == 4) {
                text = pick(random, RIGHTS);
                received.add("administrator: " + text + " of " + key);
                one = through.administer(text, key);
                other = straight.administer(text, key);
            } else if (text.equals(LOSE)) {
                received.add(text);
                sessions.lose(through, straight);
                one = text;
                other = text;
            } else {
                received.add(text + " of " + key);
                one = through.run(false, text, key);
                other = straight.run(false, text, key);
            }
            same(run.seed(), received, one, other);
            compared++;
            prepared = kind <= 1 || (kind == 4 && prepared);
            for (int i = random.nextInt(8); i > 0; i--) {
                boolean byReader = random.nextBoolean();
                String read = pick(random, run.reads());
                if (prepared && !byReader && read.contains("ROW_COUNT")) {
                    continue;
                }
                prepared &= byReader;
                sessions.await();
                int of = 1 + random.nextInt(KEYS);
                received.add((byReader ? "reader: " : "") + read + " of " + of);
                for (int again = 0; again < 3; again++) {
                    same(run.seed(), received, through.run(byReader, read, of), straight.run(byReader, read, of));
                    compared++;
                }
            }
        }
        System.getLogger("keyline.fuzz")
                .log(System.Logger.Level.INFO, "{0} comparisons, seed {1}", compared, run.seed());
        assertThat(compared).isGreaterThan(run.steps());
    }

    private static String pick(Random random, List<String> texts) {
        return texts.get(random.nextInt(texts.size()));
    }

    private static void same(long seed, List<String> received, String through, String straight) {
        assertThat(through)
                .as("seed %s, after%n  %s", seed, String.join("\n  ", received))
                .isEqualTo(straight);
    }
}
