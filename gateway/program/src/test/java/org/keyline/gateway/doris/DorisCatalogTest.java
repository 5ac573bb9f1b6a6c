package org.keyline.gateway.doris;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.Gateway;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.fixtures.TestClient;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.client.PreparedStatement;

/**
 * Sessions in another catalog than the store's own, entered in every way, in front of a modelled
 * frontend. Catalog {@code j} has a table of the same name, with {@code xyz} where the own one has
 * {@code abc}.
 */
final class DorisCatalogTest {
    private static final String READ = "SELECT * FROM tbl_point_query WHERE k = ";
    private static final String QUALIFIED = "SELECT * FROM pq.tbl_point_query WHERE k = 1";
    private static final String OWN = "abc";
    private static final String OTHER = "xyz";

    private ReplayedFrontend frontend;
    private Gateway gateway;

    @BeforeEach
    void start() throws Exception {
        frontend = new ReplayedFrontend();
        frontend.addCatalog();
        frontend.answer("query SELECT * FROM internal.pq.tbl_point_query WHERE k = 1", "query " + QUALIFIED);
        for (String prepared : new String[] {QUALIFIED, "SELECT * FROM j.pq.tbl_point_query WHERE k = 1"}) {
            frontend.answer("prepare " + prepared, "prepare " + READ + "?");
        }
        frontend.answer(
                "query INSERT INTO pq.tbl_point_query VALUES (1, 2, 'x', 'y', NULL, NULL, 1, NULL)", "query USE pq");
        gateway = Gateway.start(new ConfigLoader(Map.of())
                .set("listen=127.0.0.1:0")
                .set("http=off")
                .set("store.url=mysql://127.0.0.1:" + frontend.port())
                .set("store.user=root")
                .set("access.changes=app")
                .set("store.signal=none")
                .set("access.views=app")
                .set("eventLoops=1")
                .set("cache.ttl=1h")
                .load());
        try (TestClient client = client("app", "pq")) {
            for (String sql : new String[] {READ + 1, QUALIFIED}) {
                for (int i = 0; i < 3; i++) {
                    assertThat(row(client, sql)).contains(OWN);
                }
                assertThat(source(client)).isEqualTo("line");
            }
            PreparedStatement prepared = client.prepare(READ + "?");
            for (int i = 0; i < 3; i++) {
                assertThat(client.execute(prepared, 1).rows().get(0)).contains(OWN);
            }
            assertThat(source(client)).isEqualTo("line");
        }
    }

    @AfterEach
    void stop() throws Exception {
        gateway.close();
        frontend.close();
    }

    private TestClient client(String user, String database) throws Exception {
        return TestClient.connect(
                gateway.listening(), options -> options.user(user).database(database.isEmpty() ? null : database));
    }

    private static String row(TestClient client, String sql) throws Exception {
        return String.valueOf(client.query(sql).rows());
    }

    private static String source(TestClient client) throws Exception {
        return String.valueOf(client.query("KEYLINE LAST").rows().get(0).get(1));
    }

    /** Every read of a session in another catalog is forwarded, and EXPLAIN gives the reason. */
    private static void staysElsewhere(TestClient client) throws Exception {
        for (int i = 0; i < 4; i++) {
            assertThat(row(client, QUALIFIED)).contains(OTHER);
            assertThat(String.valueOf(client.query("KEYLINE LAST").rows()))
                    .contains("[source, store]", "[reason, CATALOG]", "[catalog, j]");
        }
        assertThat(String.valueOf(client.query("KEYLINE EXPLAIN " + QUALIFIED).rows()))
                .contains("FORWARD", "CATALOG", "The session is in the catalog j");
    }

    @ParameterizedTest
    @CsvSource({"app,j.pq", "dora,''", "dora,pq", "app,pq"})
    void login_thatLeadsToACatalog_readsThatOne(String user, String database) throws Exception {
        try (TestClient client = client(user, database)) {
            if (user.equals("app") && database.equals("pq")) {
                assertThat(row(client, QUALIFIED)).contains(OWN);
                assertThat(source(client)).isEqualTo("line");
            } else {
                staysElsewhere(client);
            }
        }
        assertThat(frontend.unknown()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "USE j.pq",
                "use `j`.`pq`;",
                "/* to */ USE j.pq",
                "SWITCH j",
                "switch `j`;",
                "/* to */ SWITCH j",
                // Both fail after they have changed the catalog.
                "USE j.nosuch",
                "USE `j` . `nosuch`"
            })
    void statement_thatLeadsToACatalog_isFollowed(String sql) throws Exception {
        try (TestClient client = client("app", "pq")) {
            assertThat(row(client, QUALIFIED)).contains(OWN);
            assertThat(source(client)).isEqualTo("line");
            assertThat(client.query(sql).error() == null).isEqualTo(!sql.contains("nosuch"));
            staysElsewhere(client);
        }
        assertThat(frontend.unknown()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"j.pq", "j.nosuch"})
    void initDb_ofACatalog_isFollowed(String database) throws Exception {
        try (TestClient client = client("app", "pq")) {
            assertThat(row(client, READ + 1)).contains(OWN);
            boolean there = client.command(CommandCode.COM_INIT_DB, database).error() == null;
            assertThat(there).isEqualTo(database.equals("j.pq"));
            if (there) {
                staysElsewhere(client);
                assertThat(row(client, READ + 1)).contains(OTHER);
            } else {
                // A frontend looks for the database of this command first.
                assertThat(row(client, READ + 1)).contains(OWN);
                assertThat(source(client)).isEqualTo("line");
            }
        }
        assertThat(frontend.unknown()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"USE internal.pq", "SWITCH internal", "command", "reset"})
    void session_thatComesBack_hitsAgain(String way) throws Exception {
        try (TestClient client = client("app", "j.pq")) {
            assertThat(row(client, QUALIFIED)).contains(OTHER);
            switch (way) {
                case "command" ->
                    assertThat(client.command(CommandCode.COM_INIT_DB, "internal.pq")
                                    .error())
                            .isNull();
                case "reset" ->
                    assertThat(client.command(CommandCode.COM_RESET_CONNECTION, "")
                                    .error())
                            .isNull();
                default -> assertThat(client.query(way).error()).isNull();
            }
            if (!way.equals("USE internal.pq") && !way.equals("command")) {
                assertThat(client.query("USE pq").error()).isNull();
            }
            for (String sql : new String[] {QUALIFIED, READ + 1}) {
                assertThat(row(client, sql)).contains(OWN);
                assertThat(source(client)).isEqualTo("line");
            }
        }
        assertThat(frontend.unknown()).isEmpty();
    }

    /**
     * A handle that was executed in the own catalog, by lines alone, refers to its table whatever
     * the session's catalog is. One that was only prepared there reads the other catalog's table.
     */
    @Test
    void statementExecutedBefore_keepsItsTable_andOnePreparedFollowsTheSession() throws Exception {
        try (TestClient client = client("app", "pq")) {
            assertThat(row(client, READ + 1)).contains(OWN);
            PreparedStatement executed = client.prepare(READ + "?");
            PreparedStatement prepared = client.prepare(READ + "?");
            assertThat(client.execute(executed, 1).rows().get(0)).contains(OWN);
            assertThat(source(client)).isEqualTo("line");
            for (int i = 0; i < 2; i++) {
                assertThat(client.query("USE j.pq").error()).isNull();
                for (int j = 0; j < 3; j++) {
                    assertThat(client.execute(executed, 1).rows().get(0)).contains(OWN);
                    assertThat(source(client)).isEqualTo("store");
                    assertThat(client.execute(prepared, 1).rows().get(0)).contains(OTHER);
                }
                PreparedStatement there = client.prepare(READ + "?");
                assertThat(client.execute(there, 1).rows().get(0)).contains(OTHER);
                assertThat(client.query("USE internal.pq").error()).isNull();
                assertThat(client.execute(executed, 1).rows().get(0)).contains(OWN);
                assertThat(source(client)).isEqualTo("line");
                assertThat(client.execute(there, 1).rows().get(0)).contains(OTHER);
                assertThat(source(client)).isEqualTo("store");
            }
        }
        assertThat(frontend.unknown()).isEmpty();
    }

    @Test
    void nameWithItsCatalog_isReadAsSuch() throws Exception {
        try (TestClient client = client("app", "pq")) {
            String sql = "SELECT * FROM internal.pq.tbl_point_query WHERE k = 1";
            for (String source : new String[] {"store", "line"}) {
                assertThat(row(client, sql)).contains(OWN);
                assertThat(source(client)).isEqualTo(source);
            }
            String other = "SELECT * FROM j.pq.tbl_point_query WHERE k = 1";
            assertThat(String.valueOf(client.query("KEYLINE EXPLAIN " + other).rows()))
                    .contains("FORWARD", "OTHER_CATALOG");
        }
        assertThat(frontend.unknown()).isEmpty();
    }

    /**
     * The catalog of a session that only writes is unknown, so the table of that name in the own
     * catalog loses its line.
     */
    @ParameterizedTest
    @CsvSource({"app,pq", "app,j.pq", "dora,''"})
    void write_ofASessionThatWasNeverAsked_closesWhatItNames(String user, String database) throws Exception {
        try (TestClient reader = client("app", "pq");
                TestClient writer = client(user, database)) {
            assertThat(row(reader, QUALIFIED)).contains(OWN);
            assertThat(source(reader)).isEqualTo("line");
            assertThat(writer.query("INSERT INTO pq.tbl_point_query VALUES (1, 2, 'x', 'y', NULL, NULL, 1, NULL)")
                            .error())
                    .isNull();
            assertThat(row(reader, QUALIFIED)).contains(OWN);
            assertThat(source(reader)).isNotEqualTo("line");
        }
        assertThat(frontend.unknown()).isEmpty();
    }

    @Test
    void session_isAskedOnceBeforeItsFirstReadAndNotForOtherStatements() throws Exception {
        try (TestClient client = client("app", "pq")) {
            int before = frontend.asked().size();
            client.query("SELECT 1");
            client.query("USE pq");
            assertThat(frontend.asked().subList(before, frontend.asked().size()))
                    .containsExactly("query SELECT 1", "query USE pq");
            for (int i = 0; i < 3; i++) {
                assertThat(row(client, READ + 1)).contains(OWN);
            }
            client.query("SET enable_short_circuit_query = true");
            client.query("USE pq");
            assertThat(row(client, READ + 1)).contains(OWN);
            assertThat(frontend.asked().subList(before, frontend.asked().size()))
                    .filteredOn("query SHOW CATALOGS"::equals)
                    .hasSize(1);
        }
    }

    /**
     * The store reports the catalog but not the variables, so the gateway assumes nothing about
     * them.
     */
    @Test
    void session_whoseVariablesAreRefused_isForwarded() throws Exception {
        frontend.refuse("query SHOW VARIABLES", "Access denied");
        try (TestClient client = client("app", "pq")) {
            assertThat(row(client, QUALIFIED)).contains(OWN);
            assertThat(String.valueOf(client.query("KEYLINE LAST").rows()))
                    .contains("[reason, SESSION]", "variables that the store does not report", "[catalog, internal]");
        }
    }

    @Test
    void clients_areListedWithTheirCatalog() throws Exception {
        try (TestClient here = client("app", "pq");
                TestClient there = client("dora", "pq")) {
            row(here, READ + 1);
            row(there, READ + 1);
            assertThat(String.valueOf(here.query("SELECT user, catalog FROM keyline.clients ORDER BY user")
                            .rows()))
                    .isEqualTo("[[app, internal], [dora, j]]");
            assertThat(String.valueOf(there.query("SELECT reason, catalog FROM keyline.last")
                            .rows()))
                    .isEqualTo("[[CATALOG, j]]");
        }
    }
}
