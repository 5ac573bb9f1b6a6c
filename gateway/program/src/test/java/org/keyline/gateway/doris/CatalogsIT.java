package org.keyline.gateway.doris;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.keyline.gateway.Gateway;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.config.HostPort;
import org.keyline.gateway.fixtures.TestClient;
import org.keyline.gateway.fixtures.TestClient.Answer;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.client.PreparedStatement;
import org.keyline.stores.mysql.catalog.Dialect;

/**
 * Sessions in another catalog of real frontends of Doris and StarRocks, which
 * {@code -Dkeyline.catalogs=HOST:PORT,HOST:PORT} names. A session can enter a catalog in several
 * ways; after each of them, a client reads through the gateway the same rows as directly. A
 * frontend accepts {@code root} without a password. It has the table
 * {@code e3.t (k INT, v VARCHAR)} with a row 1, and a catalog {@code j} with a table of that name
 * and other text in that row.
 */
@EnabledIfSystemProperty(named = "keyline.catalogs", matches = ".+")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class CatalogsIT {
    private static final String USER = "keyline_cat";
    /** A user whose sessions begin in catalog j. */
    private static final String USER_OF_OTHER = "keyline_cat_j";

    private static final String PASSWORD = "pw";
    private static final String READ = "SELECT v FROM e3.t WHERE k = 1";
    private static final String RESET = "reset";
    private static final String DATABASE = "database ";

    /** A frontend and a gateway in front of it. */
    private record Front(Dialect dialect, HostPort straight, Gateway gateway) {
        TestClient client(boolean through, String user, String database) throws Exception {
            return TestClient.connect(
                    through ? gateway.listening() : straight,
                    options -> options.user(user)
                            .password(PASSWORD)
                            .traits(dialect.traits())
                            .database(database.isEmpty() ? null : database));
        }

        String own() {
            return String.valueOf(dialect.ownCatalog());
        }

        @Override
        public String toString() {
            return dialect.toString();
        }
    }

    /**
     * A way to enter a catalog.
     *
     * @param commands statements, or {@link #DATABASE} with the name of a COM_INIT_DB, or
     *     {@link #RESET}
     */
    private record Way(Front front, String user, String database, List<String> commands) {
        @Override
        public String toString() {
            return front + ", " + user + " to '" + database + "' " + commands;
        }
    }

    private final List<Front> fronts = new ArrayList<>();
    private final List<Way> ways = new ArrayList<>();

    @BeforeAll
    void start() throws Exception {
        for (String address : System.getProperty("keyline.catalogs").split(",", -1)) {
            String[] parts = address.split(":", 2);
            HostPort straight = new HostPort(parts[0], Integer.parseInt(parts[1]));
            Front front = front(straight);
            fronts.add(front);
            boolean defaults = users(front);
            for (String database : List.of("e3", "j.e3", front.own() + ".e3", "")) {
                ways.add(new Way(front, USER, database, List.of()));
                if (defaults) {
                    ways.add(new Way(front, USER_OF_OTHER, database, List.of()));
                }
            }
            List<List<String>> commands = new ArrayList<>(List.of(
                    List.of("USE j.e3"),
                    List.of("use `j`.`e3`"),
                    List.of("USE j.nosuch"),
                    List.of("USE j.nosuch", "USE e3"),
                    List.of("USE nosuch.e3"),
                    List.of("USE nosuch"),
                    List.of(DATABASE + "j.e3"),
                    List.of(DATABASE + "j.nosuch"),
                    List.of(DATABASE + "nosuch.e3"),
                    List.of("USE j.e3", DATABASE + "e3"),
                    List.of("USE j.e3", RESET),
                    List.of("USE j.e3", RESET, "USE e3"),
                    List.of("USE j.e3", "USE " + front.own() + ".e3"),
                    List.of("USE j.e3", DATABASE + front.own() + ".e3")));
            if (front.dialect == Dialect.DORIS) {
                commands.addAll(List.of(
                        List.of("SWITCH j"),
                        List.of("/* to */ switch `j`", "USE e3"),
                        List.of("SWITCH nosuch"),
                        List.of("SWITCH j", "SWITCH internal")));
            } else {
                commands.addAll(List.of(
                        List.of("SET CATALOG j"),
                        List.of("set catalog `j`", "USE e3"),
                        List.of("SET CATALOG nosuch"),
                        List.of("SET catalog = 'j'"),
                        List.of("SET @@catalog = 'j', time_zone = 'UTC'"),
                        List.of("SET catalog = 'j', nosuch_variable = 1"),
                        List.of(DATABASE + "catalog j"),
                        List.of("SET CATALOG j", "SET CATALOG default_catalog")));
            }
            commands.forEach(list -> ways.add(new Way(front, USER, "e3", list)));
            warm(front);
        }
    }

    private static Front front(HostPort straight) throws Exception {
        try (TestClient root = TestClient.connect(straight)) {
            boolean doris = root.query("SHOW VARIABLES LIKE 'catalog'").rows().isEmpty();
            return new Front(
                    doris ? Dialect.DORIS : Dialect.STARROCKS,
                    straight,
                    Gateway.start(new ConfigLoader(Map.of())
                            .set("listen=127.0.0.1:0")
                            .set("http=off")
                            .set("store.url=mysql://127.0.0.1:" + straight.port())
                            .set("store.user=root")
                            .set("cache.ttl=10m")
                            .load()));
        }
    }

    /** Creates the users; returns false if users cannot begin in another catalog. */
    private static boolean users(Front front) throws Exception {
        boolean doris = front.dialect == Dialect.DORIS;
        try (TestClient root = TestClient.connect(front.straight)) {
            List<String> statements = new ArrayList<>();
            for (String user : List.of(USER, USER_OF_OTHER)) {
                statements.add("DROP USER IF EXISTS '" + user + "'@'%'");
                statements.add("CREATE USER '" + user + "'@'%' IDENTIFIED BY '" + PASSWORD + "'");
                if (doris) {
                    statements.add("GRANT SELECT_PRIV ON internal.e3.* TO '" + user + "'@'%'");
                    statements.add("GRANT SELECT_PRIV ON j.e3.* TO '" + user + "'@'%'");
                } else {
                    statements.add("GRANT SELECT ON ALL TABLES IN ALL DATABASES TO USER '" + user + "'@'%'");
                    statements.add("GRANT USAGE ON CATALOG j TO USER '" + user + "'@'%'");
                    statements.add("SET CATALOG j");
                    statements.add("GRANT SELECT ON ALL TABLES IN ALL DATABASES TO USER '" + user + "'@'%'");
                    statements.add("SET CATALOG default_catalog");
                }
            }
            for (String sql : statements) {
                assertThat(root.query(sql).error()).as(sql).isNull();
            }
            String sets = doris
                    ? "SET PROPERTY FOR '" + USER_OF_OTHER + "' 'default_init_catalog' = 'j'"
                    : "ALTER USER '" + USER_OF_OTHER + "' SET PROPERTIES ('catalog' = 'j')";
            return root.query(sets).error() == null;
        }
    }

    /** Reads until lines answer, in the store's own catalog. */
    private static void warm(Front front) throws Exception {
        try (TestClient client = front.client(true, USER, "");
                TestClient other = front.client(true, USER_OF_OTHER, front.own() + ".e3")) {
            for (TestClient each : List.of(client, other)) {
                hits(each);
                PreparedStatement prepared = each.prepare("SELECT v FROM e3.t WHERE k = ?");
                for (int i = 0; i < 3; i++) {
                    each.execute(prepared, 1);
                }
            }
        }
    }

    /**
     * Reads until a line answers. Repeats, because the gateway sometimes reads rights and
     * definitions again.
     */
    private static void hits(TestClient client) {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            client.query(READ);
            assertThat(String.valueOf(client.query("KEYLINE LAST").rows())).contains("[source, line]");
        });
    }

    Stream<Way> ways() {
        return ways.stream();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void session_onItsWay_readsWhatItReadsStraight(Way way) throws Exception {
        List<String> straight = told(way, false);
        assumeTrue(!straight.isEmpty(), "the frontend lets nobody in so");
        for (int i = 0; i < 2; i++) {
            assertThat(told(way, true)).isEqualTo(straight);
        }
        try (TestClient here = way.front.client(true, USER, "")) {
            hits(here);
        }
    }

    private static List<String> told(Way way, boolean through) throws Exception {
        List<String> told = new ArrayList<>();
        try (TestClient client = way.front.client(through, way.user, way.database)) {
            PreparedStatement before = client.prepare("SELECT v FROM e3.t WHERE k = ?");
            told.add("before: " + text(client.execute(before, 1)));
            for (String command : way.commands) {
                told.add(command + ": " + text(run(client, command)));
            }
            for (int i = 0; i < 3; i++) {
                told.add("qualified: " + text(client.query(READ)));
                told.add("before: " + text(client.execute(before, 1)));
                told.add("unqualified: " + text(client.query("SELECT v FROM t WHERE k = 1")));
                told.add("own: " + text(client.query("SELECT v FROM " + way.front.own() + ".e3.t WHERE k = 1")));
                told.add("other: " + text(client.query("SELECT v FROM j.e3.t WHERE k = 1")));
            }
            PreparedStatement after = client.prepare("SELECT v FROM e3.t WHERE k = ?");
            for (int i = 0; i < 3; i++) {
                told.add("after: " + text(client.execute(after, 1)));
            }
            told.add("back: " + text(client.query("USE " + way.front.own() + ".e3")));
            for (int i = 0; i < 2; i++) {
                told.add("back: " + text(client.query(READ)));
                told.add("back, after: " + text(client.execute(after, 1)));
                told.add("back, before: " + text(client.execute(before, 1)));
            }
        } catch (ExecutionException refused) {
            if (through) {
                told.add(String.valueOf(refused.getCause()));
            }
        }
        return told;
    }

    private static Answer run(TestClient client, String command) throws Exception {
        if (command.equals(RESET)) {
            return client.command(CommandCode.COM_RESET_CONNECTION, "");
        }
        return command.startsWith(DATABASE)
                ? client.command(CommandCode.COM_INIT_DB, command.substring(DATABASE.length()))
                : client.query(command);
    }

    private static String text(Answer answer) {
        return answer.error() == null
                ? answer.rows().toString()
                : answer.error().code() + " " + answer.error().message();
    }

    @AfterAll
    void stop() throws Exception {
        for (Front front : fronts) {
            front.gateway.close();
        }
    }
}
