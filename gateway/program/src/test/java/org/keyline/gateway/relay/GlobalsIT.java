package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.warm;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.TextLines;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.StatementArguments;

/**
 * The store's variables with a global value that new sessions take over, by the store's own list.
 * Each is set to another value. Lines that are loaded then must be those for a client that had
 * connected before; a client that connects then must get the same as without the gateway.
 *
 * <p>A build tests the variables that are known to change a read. {@code -Dkeyline.globals=session}
 * tests all that sessions have, and {@code -Dkeyline.globals=all} all others as well.
 */
class GlobalsIT {
    private static final String TAKEN = System.getProperty("keyline.globals", "changing");

    /** Variables that change the result of some read, or whether it is answered. */
    private static final Set<String> CHANGING = Set.copyOf(TextLines.of(GlobalsIT.class, "GlobalsIT.CHANGING.txt"));

    /** The other reads never return the last row. */
    private static final List<String> READS = List.of(
            "SELECT * FROM g WHERE k = 1",
            "SELECT * FROM g WHERE k = 3",
            "SELECT k, text, bytes FROM g WHERE k = 2",
            "SELECT a, b, v FROM p WHERE a = 1",
            "SELECT a, b, v FROM p WHERE a = 1 ORDER BY b DESC LIMIT 2",
            "SELECT COUNT(*) FROM p WHERE a = 1",
            "SELECT k, text FROM g WHERE text = 'gr\u00f6\u00dfe' ORDER BY k",
            "SELECT k, text FROM g WHERE text REGEXP '^GR' ORDER BY k",
            "SELECT k, text FROM g WHERE text REGEXP 'a.b' ORDER BY k",
            "SELECT k, n FROM g WHERE n IS NULL ORDER BY k",
            "SELECT k FROM i WHERE k IS NULL",
            "SELECT k, n FROM g WHERE n = 7 AND made > '2026-01-01' ORDER BY k");

    /** Prepared reads, each with one value. */
    private static final Map<String, String> PREPARED = new LinkedHashMap<>(Map.of(
            "SELECT * FROM g WHERE k = ?", "1",
            "SELECT a, b, v FROM p WHERE a = ?", "1",
            "SELECT k, text FROM g WHERE text = ? ORDER BY k", "gr\u00f6\u00dfe",
            "SELECT k, text FROM g WHERE text REGEXP ? ORDER BY k", "^GR"));

    /**
     * With another value, these close or refuse the connections of the test, or keep the server
     * busy; none of them affects the result of a read. If every query counts as slow, the server
     * sets a flag in each reply, but a hit is never slow. Cost variables select the plan, and so
     * the flag NO_INDEX_USED.
     */
    private static final Set<String> LEFT_OUT = Set.copyOf(TextLines.of(GlobalsIT.class, "GlobalsIT.LEFT_OUT.txt"));

    /** Other values of text variables. */
    private static final Map<String, String> TEXTS = Map.of(
            "SYSTEM_VERSIONING_ASOF", "2001-01-01 00:00:00",
            "TIME_ZONE", "+05:00",
            "CHARACTER_SET_COLLATIONS", "utf8mb4=uca1400_ai_ci",
            "SESSION_TRACK_SYSTEM_VARIABLES", "*",
            "FT_BOOLEAN_SYNTAX", " |-><()~*:\"\"&^",
            "DEFAULT_STORAGE_ENGINE", "MyISAM",
            "STORAGE_ENGINE", "MyISAM");

    private record Global(String name, String before, List<String> others) {}

    @RegisterExtension
    static final TwinSessions SESSIONS = new TwinSessions("filter.enabled=true", "access.changes=admin");

    @BeforeAll
    static void start() throws Exception {
        try (Connection straight = admin()) {
            run(
                    straight,
                    "DROP DATABASE IF EXISTS globals",
                    "CREATE DATABASE globals CHARACTER SET utf8mb4",
                    "USE globals",
                    "CREATE TABLE g (k INT PRIMARY KEY, text VARCHAR(40), bytes VARBINARY(9), n INT, made DATETIME, at TIMESTAMP NULL,"
                            + " f FLOAT, d DOUBLE, x DECIMAL(9,3), t TIME(3), c CHAR(9))"
                            + " WITH SYSTEM VERSIONING",
                    "INSERT INTO g VALUES (1, 'gr\u00f6\u00dfe', x'00ff', 7, '2026-07-01 12:00:00', '2026-07-01 12:00:00', 1.1, 2.2,"
                            + " 3.125, '01:02:03.5', 'c'), (2, 'Gras \ud83d\ude00', NULL, NULL, NULL, NULL, 1e20, -0.0, 0, '-00:00:01', ''),"
                            + " (3, 'a\\nb', '', 7, '2020-01-01', NULL, NULL, NULL, NULL, NULL, NULL)",
                    "UPDATE g SET text = 'gras \ud83d\ude00' WHERE k = 2",
                    "CREATE TABLE p (a INT, b INT, v VARCHAR(20), PRIMARY KEY (a, b))",
                    "INSERT INTO p VALUES (1, 1, 'x'), (1, 2, 'y'), (1, 3, 'z'), (2, 1, 'u')",
                    "CREATE TABLE i (k INT AUTO_INCREMENT PRIMARY KEY)",
                    "INSERT INTO i VALUES (), ()",
                    "CREATE USER IF NOT EXISTS plain@'127.0.0.1' IDENTIFIED BY 'reads'",
                    "GRANT SELECT ON globals.* TO plain@'127.0.0.1'");
        }
        admin().close();
        try (Connection through = SESSIONS.gateway().connect("globals")) {
            warm(through, "SELECT v FROM p WHERE a = 2 AND b = 1");
        }
    }

    /** Returns a connection of another user than the one that loads. */
    private static Connection admin() throws SQLException {
        SESSIONS.store()
                .run(
                        "CREATE USER IF NOT EXISTS admin@'127.0.0.1' IDENTIFIED BY 'secret'",
                        "GRANT ALL ON *.* TO admin@'127.0.0.1' WITH GRANT OPTION");
        return DriverManager.getConnection(SESSIONS.store().jdbc("").replace("user=" + MariaDb.USER, "user=admin"));
    }

    @Test
    void anotherGlobalValue_changesNoLine() throws Exception {
        Set<String> changing = new TreeSet<>();
        int values = 0;
        List<String> wrong = new ArrayList<>();
        try (Connection admin = admin();
                Connection flusher = DriverManager.getConnection(
                        SESSIONS.gateway().jdbc("globals").replace("user=" + MariaDb.USER, "user=admin"));
                Twins before = open()) {
            readAll(before);
            List<String> usual = readAll(before);
            List<Global> globals = globals(admin);
            for (Global global : globals) {
                for (String other : global.others()) {
                    if (!set(admin, global.name(), other)) {
                        continue;
                    }
                    values++;
                    try {
                        reload(admin, flusher);
                        readAll(before);
                        reload(admin, flusher);
                        try (Twins after = open()) {
                            List<String> then = readAll(after);
                            readAll(after);
                            after.query("SET NAMES utf8");
                            readAll(after);
                            after.query("SET NAMES utf8mb4");
                            readAll(after);
                            if (!then.equals(usual)) {
                                changing.add(global.name());
                            }
                        }
                        readAll(before);
                    } catch (AssertionError e) {
                        wrong.add(global.name() + " = " + other + ": " + e.getMessage());
                    } finally {
                        set(admin, global.name(), global.before());
                    }
                }
            }
            reload(admin, flusher);
            System.out.println(
                    globals.size() + " variables, " + values + " values; other replies to new sessions by " + changing);
            assertThat(wrong).isEmpty();
            assertThat(changing).contains("SQL_SELECT_LIMIT");
            assertThat(changing).contains("SYSTEM_VERSIONING_ASOF", "DEFAULT_REGEX_FLAGS");
        }
    }

    /**
     * Drops all lines, and the sessions for loads together with all other sessions of their user.
     */
    private static void reload(Connection admin, Connection flusher) throws Exception {
        run(flusher, "KEYLINE FLUSH ALL");
        List<String> ids = new ArrayList<>();
        try (Statement sql = admin.createStatement();
                ResultSet rows = sql.executeQuery(
                        "SELECT ID FROM information_schema.PROCESSLIST WHERE USER = '" + MariaDb.USER + "'")) {
            while (rows.next()) {
                ids.add(rows.getString(1));
            }
        }
        for (String id : ids) {
            try (Statement sql = admin.createStatement()) {
                sql.execute("KILL " + id);
            } catch (SQLException gone) {
                assertThat(gone.getMessage()).contains("Unknown thread");
            }
        }
    }

    /** Returns the store's answers, after comparing the gateway's with them. */
    private static List<String> readAll(Twins twins) throws Exception {
        List<String> answers = new ArrayList<>();
        for (String read : READS) {
            twins.query(read);
            answers.add(twins.query(read).toString());
        }
        for (Map.Entry<String, String> read : PREPARED.entrySet()) {
            Twins.Statement statement = twins.prepare(read.getKey());
            for (int i = 0; i < 2; i++) {
                answers.add(twins.execute(statement, new StatementArguments().addText(read.getValue()), read.getKey())
                        .toString());
            }
            twins.close(statement);
        }
        return answers;
    }

    private static Twins open() throws Exception {
        return SESSIONS.open(options -> ClientOptions.of("127.0.0.1", 1, "plain")
                .password("reads")
                .retrievePublicKey(true)
                .database("globals"));
    }

    private static boolean set(Connection admin, String name, String value) {
        try {
            run(admin, "SET GLOBAL " + name + " = " + value);
            return true;
        } catch (SQLException refused) {
            return false;
        }
    }

    private static List<Global> globals(Connection admin) throws SQLException {
        List<Global> globals = new ArrayList<>();
        try (Statement sql = admin.createStatement();
                ResultSet rows =
                        sql.executeQuery("SELECT * FROM information_schema.SYSTEM_VARIABLES WHERE READ_ONLY = 'NO'"
                                + (TAKEN.equals("all")
                                        ? " AND VARIABLE_SCOPE <> 'SESSION ONLY'"
                                        : " AND VARIABLE_SCOPE = 'SESSION'")
                                + " ORDER BY VARIABLE_NAME")) {
            while (rows.next()) {
                String name = rows.getString("VARIABLE_NAME");
                if (LEFT_OUT.contains(name) || (TAKEN.equals("changing") && !CHANGING.contains(name))) {
                    continue;
                }
                String now = rows.getString("GLOBAL_VALUE");
                String type = rows.getString("VARIABLE_TYPE");
                boolean number = type.contains("INT") || type.equals("DOUBLE");
                String before = now == null ? "NULL" : number ? now : "'" + now.replace("'", "''") + "'";
                if (name.equals("SYSTEM_VERSIONING_ASOF")) {
                    before = "DEFAULT";
                }
                globals.add(new Global(name, before, others(rows, name, type, String.valueOf(now))));
            }
        }
        return globals;
    }

    private static List<String> others(ResultSet rows, String name, String type, String now) throws SQLException {
        String list = rows.getString("ENUM_VALUE_LIST");
        String listed = list == null ? "" : list;
        return switch (type) {
            case "BOOLEAN" -> List.of(now.equals("ON") ? "OFF" : "ON");
            case "ENUM" ->
                ENUMS.getOrDefault(name, List.of(listed.split(",", -1))).stream()
                        .filter(value -> !value.equals(now))
                        .limit(3)
                        .map(value -> "'" + value + "'")
                        .toList();
            case "SET" -> {
                List<String> sets = new ArrayList<>();
                for (String value : listed.split(",", -1)) {
                    if (SETS.contains(name) || sets.size() < 2) {
                        sets.add("'" + value + "'");
                    }
                }
                yield sets;
            }
            case "FLAGSET" ->
                List.of("'" + listed.split(",", -1)[0]
                        + (now.startsWith(listed.split(",", -1)[0] + "=on") ? "=off'" : "=on'"));
            case "VARCHAR" -> TEXTS.containsKey(name) ? List.of("'" + TEXTS.get(name) + "'") : List.of();
            default -> {
                String least = rows.getString("NUMERIC_MIN_VALUE");
                yield least == null ? List.of() : least.equals(now) ? List.of("1", "2") : List.of(least);
            }
        };
    }

    private static final Set<String> SETS = Set.of("DEFAULT_REGEX_FLAGS", "SQL_MODE", "OLD_MODE");

    private static final Map<String, List<String>> ENUMS = Map.of(
            "CHARACTER_SET_CLIENT", List.of("latin1", "utf8mb3", "koi8r"),
            "CHARACTER_SET_CONNECTION", List.of("latin1", "utf8mb3", "koi8r"),
            "CHARACTER_SET_RESULTS", List.of("latin1", "utf8mb3", "utf16"),
            "COLLATION_CONNECTION", List.of("latin1_bin", "utf8mb4_bin", "utf8mb4_german2_ci"),
            "LC_TIME_NAMES", List.of("de_DE"),
            "LC_MESSAGES", List.of("de_DE"));
}
