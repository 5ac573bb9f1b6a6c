package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.warm;

import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.StatementArguments;

/**
 * Every form of SET, for every variable that changes replies, in front of a MariaDB whose default
 * character set is latin1. The session itself, other sessions of its account, and another account
 * get the same packets as without the gateway, also after a write with such a key.
 *
 * <p>{@code -Dkeyline.forms.oneIn=N} tests one in N forms of each variable.
 */
@Tag("explores")
class SetFormsIT {
    private static final int ONE_IN = Integer.getInteger("keyline.forms.oneIn", 3);
    private static final String KEY = "\u00e9";

    /** The key in latin1, when it is sent in UTF-8. */
    private static final String MISREAD = "\u00c3\u00a9";

    /** For each variable that changes replies, a value that differs from that of new sessions. */
    private static final Map<String, String> OTHER = Map.ofEntries(
            Map.entry("NAMES", "latin1"),
            Map.entry("CHARACTER SET", "latin1"),
            Map.entry("character_set_client", "latin1"),
            Map.entry("character_set_results", "latin1"),
            Map.entry("character_set_connection", "latin1"),
            Map.entry("collation_connection", "latin1_bin"),
            Map.entry("time_zone", "'+05:00'"),
            Map.entry("sql_mode", "'EMPTY_STRING_IS_NULL'"),
            Map.entry("sql_select_limit", "0"),
            Map.entry("autocommit", "0"),
            Map.entry("tx_isolation", "'SERIALIZABLE'"),
            Map.entry("system_versioning_asof", "'2001-01-01 00:00:00'"),
            Map.entry("sql_auto_is_null", "1"),
            Map.entry("max_join_size", "1"));

    @RegisterExtension
    static final TwinSessions SESSIONS = new TwinSessions();

    /** The values of a MariaDB with default settings. */
    private static final List<String> CHARSETS =
            List.of("character_set_client", "character_set_results", "character_set_connection");

    private static Connection admin;
    private static final Map<String, String> STANDARD = new HashMap<>();
    private static int shapes;

    private final Random random = new Random(44);

    @BeforeAll
    static void start() throws Exception {
        admin = DriverManager.getConnection(SESSIONS.store().jdbc("") + "&characterEncoding=UTF-8");
        for (String global : CHARSETS) {
            STANDARD.put(global, one(admin, "SELECT @@global." + global));
            run(admin, "SET GLOBAL " + global + " = latin1");
        }
        run(
                admin,
                "DROP DATABASE IF EXISTS forms",
                "CREATE DATABASE forms CHARACTER SET utf8mb4",
                "CREATE TABLE forms.t (k VARCHAR(20) COLLATE utf8mb4_bin PRIMARY KEY, v VARCHAR(40), n INT, at TIMESTAMP NULL)"
                        + " WITH SYSTEM VERSIONING",
                "INSERT INTO forms.t VALUES ('" + KEY + "', 'gr\u00f6\u00dfe \u6f22', 1, '2026-07-01 12:00:00'),"
                        + " ('" + MISREAD + "', '', 2, NULL)",
                "DROP USER IF EXISTS reader@'127.0.0.1'",
                "CREATE USER reader@'127.0.0.1' IDENTIFIED BY 'reads'",
                "GRANT SELECT ON forms.* TO reader@'127.0.0.1'");
        try (Connection through = SESSIONS.gateway().connect("forms")) {
            warm(through, "SELECT v FROM t WHERE k = '" + KEY + "'");
        }
    }

    @AfterAll
    static void stop() throws Exception {
        for (String global : CHARSETS) {
            run(admin, "SET GLOBAL " + global + " = " + STANDARD.get(global));
        }
        admin.close();
    }

    /** Returns forms that set the value itself, the default, or the value of another scope. */
    private static List<String> forms(String variable) {
        String other = OTHER.get(variable);
        boolean several = variable.equals("NAMES") || variable.equals("CHARACTER SET");
        List<String> assignments = new ArrayList<>();
        if (several) {
            assignments.addAll(List.of(variable + " DEFAULT", variable + " latin1", variable + " 'latin1'"));
            assignments.add(variable.equals("NAMES") ? "NAMES latin1 COLLATE latin1_bin" : "CHARSET DEFAULT");
        } else {
            for (String name : new String[] {
                "", "SESSION ", "LOCAL ", "@@", "@@session.", "@@LOCAL.",
            }) {
                assignments.add(name + variable + " = DEFAULT");
            }
            assignments.add("`" + variable + "` := DEFAULT");
            assignments.add(variable + " = " + other);
            assignments.add(variable + " = @@global." + variable);
            assignments.add(variable + " = @@GLOBAL.`" + variable + "`");
            assignments.add(variable + " = (SELECT @@global." + variable + ")");
            assignments.add("SESSION " + variable + " = CONCAT(@@global." + variable + ", '')");
            if (variable.startsWith("character_set")) {
                assignments.add(variable + " = 8");
                assignments.add(variable + " = 47");
                assignments.add(variable + " = @@character_set_server");
            } else if (variable.startsWith("collation")) {
                assignments.add(variable + " = 8");
                assignments.add(variable + " = @@collation_server");
            }
        }
        List<String> forms = new ArrayList<>();
        for (String assignment : assignments) {
            forms.add("SET " + assignment);
            forms.add("SET @x = 1, " + assignment + ", net_write_timeout = 60");
        }
        String first = assignments.get(0);
        forms.add("SET net_write_timeout = 60 /*! , " + first + " */");
        forms.add("SET @x = 1 /*M! , " + first + " */");
        forms.add("SET @x = 1 /*M!100000 , " + first + " */");
        forms.add("/*!40101 SET " + first + " */");
        forms.add("/*!40101 SET */ " + first);
        forms.add("SET /*!999999 net_write_timeout = 60, */ " + first);
        forms.add("SET GLOBAL net_write_timeout = 60, SESSION net_read_timeout = 30, " + first);
        forms.add("SET @x = 1 -- , net_write_timeout = 60\n, " + first);
        forms.add("SET " + first + ", @x = (SELECT 1 UNION SELECT 2)");
        forms.add("SET " + first + ", sql_mode = 'nonsense'");
        forms.add("BEGIN NOT ATOMIC SET " + first + "; END");
        forms.add("EXECUTE IMMEDIATE 'SET " + first + "'");
        if (!several) {
            forms.add("SET STATEMENT " + variable + " = @@global." + variable + " FOR SELECT v FROM t WHERE k = '" + KEY
                    + "'");
            forms.add("SET STATEMENT " + variable + " = " + other + " FOR SET " + variable + " = DEFAULT");
            forms.add("SET STATEMENT net_write_timeout = 60 FOR SET " + first);
        }
        return forms;
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "SetFormsIT.setForm_changesOnlyItsOwnSession.txt",
            delimiter = '\t',
            quoteCharacter = '~')
    void setForm_changesOnlyItsOwnSession(String variable) throws Exception {
        try (Twins reader = open("reader", "reads");
                Twins same = open(MariaDb.USER, MariaDb.PASSWORD)) {
            reader.query("SELECT 1");
            same.query("SELECT 1");
            int fromLines = 0;
            List<String> all = forms(variable);
            List<String> forms = IntStream.range(0, all.size())
                    .filter(i -> (i + variable.length()) % ONE_IN == 0)
                    .mapToObj(all::get)
                    .toList();
            for (String form : forms) {
                boolean changed = random.nextBoolean();
                try {
                    compare(variable, form, changed, List.of(reader, same));
                } catch (AssertionError e) {
                    throw new AssertionError(form + (changed ? " with another global value" : ""), e);
                }
                fromLines += reader.readable("KEYLINE LAST").contains("line") ? 1 : 0;
            }
            assertThat(fromLines).isGreaterThan(forms.size() / 2);
        }
    }

    /** @param changed whether the form changes the value of new sessions */
    private void compare(String variable, String form, boolean changed, List<Twins> others) throws Exception {
        String columns = "SELECT k AS k" + shapes++ + ", v, n, at FROM t WHERE k = ";
        try (Twins setter = open(MariaDb.USER, MariaDb.PASSWORD)) {
            if (random.nextBoolean()) {
                setter.query(columns + "'" + KEY + "'");
            }
            for (String global : changed ? globals(variable) : List.<String>of()) {
                run(
                        admin,
                        "SET GLOBAL " + global + " = " + (CHARSETS.contains(global) ? "utf8mb3" : OTHER.get(global)));
            }
            try {
                setter.query(form);
            } finally {
                for (String global : changed ? globals(variable) : List.<String>of()) {
                    run(admin, "SET GLOBAL " + global + " = " + (CHARSETS.contains(global) ? "latin1" : "DEFAULT"));
                }
            }
            Twins.Statement prepared = setter.prepare(columns + "?");
            for (int i = 0; i < 3; i++) {
                read(setter, prepared, columns);
            }
            for (Twins other : others) {
                readAll(other, columns);
            }
            setter.throughOnly("UPDATE t SET n = n + 1 WHERE k = '" + KEY + "'");
            for (Twins other : others) {
                readAll(other, columns);
            }
            setter.throughOnly("ROLLBACK");
            for (Twins other : others) {
                readAll(other, columns);
            }
        }
    }

    /** Returns the global variables whose values a form with DEFAULT uses. */
    private static List<String> globals(String variable) {
        return switch (variable) {
            case "NAMES", "CHARACTER SET" -> List.of("character_set_client", "character_set_results");
            default -> List.of(variable);
        };
    }

    private void readAll(Twins twins, String columns) throws Exception {
        Twins.Statement prepared = twins.prepare(columns + "?");
        read(twins, prepared, columns);
        read(twins, prepared, columns);
        twins.close(prepared);
    }

    private void read(Twins twins, Twins.Statement prepared, String columns) throws Exception {
        for (String key : new String[] {KEY, MISREAD}) {
            if (random.nextBoolean()) {
                twins.query(columns + "'" + key + "'");
            }
            twins.execute(prepared, new StatementArguments().addText(key), columns + key);
            twins.query(columns + "'" + key + "'");
        }
    }

    private static Twins open(String user, String password) throws Exception {
        return SESSIONS.open(options ->
                ClientOptions.of("127.0.0.1", 1, user).password(password).database("forms"));
    }
}
