package org.keyline.gateway.doris;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.Gateway;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.differential.RawClient;
import org.keyline.gateway.fixtures.TestClient;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.PreparedStatement;
import org.keyline.protocol.client.StatementArguments;
import org.keyline.stores.mysql.catalog.Dialect;

/**
 * A whole gateway in front of recorded answers of a Doris frontend. The control connection, the
 * relay and loads use the wire protocol.
 */
final class DorisReplayTest {
    private static final String READ = "SELECT * FROM tbl_point_query WHERE k = ";
    private static final String LOAD = "query SELECT * FROM `pq`.`tbl_point_query` WHERE `k` = ";
    private static final String CERTAIN = "query SELECT /*+ SET_VAR(enable_short_circuit_query=false) */ * FROM"
            + " `pq`.`tbl_point_query` WHERE `k` = ";
    /**
     * The bytes after the statement id in a COM_STMT_EXECUTE: no cursor, once, no NULL, one BIGINT.
     */
    private static final String ONE = "0001000000" + "00" + "01" + "0800" + "0100000000000000";

    private static final String NINETY_NINE = "0001000000" + "00" + "01" + "0800" + "6300000000000000";

    private ReplayedFrontend frontend;

    @BeforeEach
    void start() throws Exception {
        frontend = new ReplayedFrontend();
    }

    @AfterEach
    void stop() throws Exception {
        frontend.close();
    }

    private Gateway gateway(String... settings) throws Exception {
        ConfigLoader loader = new ConfigLoader(Map.of())
                .set("listen=127.0.0.1:0")
                .set("http=off")
                .set("store.url=mysql://127.0.0.1:" + frontend.port())
                .set("store.user=root")
                .set("access.changes=app")
                .set("store.signal=none")
                .set("eventLoops=1")
                .set("cache.ttl=1h");
        for (String setting : settings) {
            loader.set(setting);
        }
        return Gateway.start(loader.load());
    }

    private static TestClient client(Gateway gateway) throws Exception {
        return TestClient.connect(
                gateway.listening(), options -> options.user("app").database("pq"));
    }

    private static String source(TestClient client) throws Exception {
        return String.valueOf(client.query("KEYLINE LAST").rows().get(0).get(1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SHOW VARIABLES LIKE 'lower_case_table_names'",
                "ADMIN SHOW FRONTEND CONFIG LIKE 'access_controller_type'",
                "SHOW ROW POLICY",
                "SHOW DATABASES",
                "SHOW FULL TABLES FROM `pq`",
                "SHOW CREATE TABLE `pq`.`tbl_point_query`"
            })
    void gateway_whereDorisRefusesPartOfTheCatalog_startsAndForwardsWhatItDoesNotKnow(String refused) throws Exception {
        frontend.refuse("query " + refused, "Access denied");
        boolean known = refused.contains("lower_case");
        try (Gateway gateway = gateway();
                TestClient client = client(gateway)) {
            for (int i = 0; i < 3; i++) {
                assertThat(client.query(READ + 1).rows()).hasSize(1);
            }
            assertThat(source(client)).isEqualTo(known ? "line" : "store");
        }
        assertThat(frontend.unknown()).isEmpty();
    }

    /** Doris's transactions are for INSERT only. */
    @ParameterizedTest
    @ValueSource(strings = {"BEGIN", "SET autocommit=0"})
    void read_inATransactionOfDoris_hits(String begin) throws Exception {
        try (Gateway gateway = gateway();
                TestClient client = client(gateway)) {
            for (int i = 0; i < 3; i++) {
                client.query(READ + 1);
            }
            assertThat(client.query(begin).error()).isNull();
            assertThat(client.query(READ + 1).rows()).hasSize(1);
            assertThat(source(client)).isEqualTo("line");
        }
    }

    /** A backend on the frontend's blacklist turns a read into an empty result without an error. */
    @Test
    void emptyAnswerOfTheShortCircuit_isMadeCertainBeforeItIsALine() throws Exception {
        frontend.answer(LOAD + 1, LOAD + 99);
        frontend.answer(
                "execute " + ONE + " SELECT * FROM `pq`.`tbl_point_query` WHERE `k` = ?",
                "execute " + NINETY_NINE + " SELECT * FROM `pq`.`tbl_point_query` WHERE `k` = ?");
        try (Gateway gateway = gateway();
                TestClient client = client(gateway)) {
            PreparedStatement prepared = client.prepare(READ + "?");
            for (String source : new String[] {"store", "load", "line"}) {
                assertThat(client.query(READ + 1).rows()).hasSize(1);
                assertThat(source(client)).isEqualTo(source);
                assertThat(client.execute(prepared, 1).rows()).hasSize(1);
                assertThat(source(client)).isEqualTo(source);
            }
            assertThat(client.query(READ + 99).rows()).isEmpty();
            assertThat(client.query(READ + 99).rows()).isEmpty();
            assertThat(source(client)).isEqualTo("line");
        }
        assertThat(frontend.asked()).contains(CERTAIN + 1, CERTAIN + 99);
        assertThat(frontend.unknown()).isEmpty();
    }

    /**
     * Doris continues to read the table for which a plan was made, even if another table has its
     * name.
     */
    @Test
    void load_ofBinaryRows_isPreparedAnewEachTime() throws Exception {
        try (Gateway gateway = gateway();
                TestClient client = client(gateway)) {
            PreparedStatement prepared = client.prepare(READ + "?");
            for (int i = 0; i < 3; i++) {
                client.execute(prepared, 1);
                client.query("KEYLINE FLUSH ALL");
            }
        }
        String load = "SELECT * FROM `pq`.`tbl_point_query` WHERE `k` = ?";
        assertThat(frontend.asked().stream().filter(("prepare " + load)::equals))
                .hasSize(2);
        assertThat(frontend.asked().stream().filter(("execute " + ONE + " " + load)::equals))
                .hasSize(2);
    }

    /**
     * Doris sees the gateway as the client, so a rule that lets that address in without a password
     * would let in everybody who connects to the gateway.
     */
    @ParameterizedTest
    @ValueSource(strings = {"root", "admin", "root#other"})
    void login_ofWhomDorisAsksNoPassword_isRefusedUnlessAllowed(String user) throws Exception {
        try (Gateway gateway = gateway()) {
            assertThatThrownBy(() -> TestClient.connect(gateway.listening(), options -> options.user(user)))
                    .isInstanceOf(ExecutionException.class)
                    .hasMessageContaining("skip_localhost_auth_check")
                    .hasMessageContaining("store.unguardedLogins");
        }
        try (Gateway gateway = gateway("store.unguardedLogins=allow");
                TestClient client = TestClient.connect(gateway.listening(), options -> options.user(user))) {
            assertThat(client.query("SELECT 1").rows()).hasSize(1);
        }
    }

    @Test
    void login_whereDorisAsksEverybody_isRelayed() throws Exception {
        frontend.replace(
                "query ADMIN SHOW FRONTEND CONFIG LIKE 'skip_localhost_auth_check'",
                "\u0004true\u0007boolean",
                "\u0005false\u0007boolean");
        try (Gateway gateway = gateway();
                TestClient client = TestClient.connect(gateway.listening())) {
            assertThat(client.query("SELECT 1").rows()).hasSize(1);
        }
    }

    /**
     * Statements of all kinds, three times each: the bytes of the frontend's replies, except that
     * every reply begins with id 1.
     */
    @Test
    void reply_toEveryRecordedCommand_isTheFrontends() throws Exception {
        try (Gateway gateway = gateway()) {
            ClientOptions options = ClientOptions.of(
                            "127.0.0.1", gateway.listening().port(), "app")
                    .database("pq")
                    .capabilities(ClientOptions.DEFAULT_CAPABILITIES
                            & ~(Capabilities.CLIENT_DEPRECATE_EOF | Capabilities.CLIENT_MULTI_STATEMENTS))
                    .build();
            try (RawClient client = new RawClient(options)) {
                for (String command : frontend.commands()) {
                    for (int i = 0; i < 3; i++) {
                        assertThat(client.send(ReplayedFrontend.payload(command))
                                        .packets())
                                .as(command)
                                .isEqualTo(frontend.packets(command));
                    }
                }
            }
        }
        assertThat(frontend.unknown()).isEmpty();
    }

    /**
     * Connector/J from 9.5.0 on requires a flag that this frontend does not offer: every end of
     * rows is an OK packet, with consecutive ids.
     */
    @Test
    void reply_toAClientWithDeprecateEof_hasNoEofPackets() throws Exception {
        try (Gateway gateway = gateway()) {
            ClientOptions options = ClientOptions.of(
                            "127.0.0.1", gateway.listening().port(), "app")
                    .database("pq")
                    .build();
            try (RawClient client = new RawClient(options)) {
                for (int i = 0; i < 3; i++) {
                    List<String> text = client.send(ReplayedFrontend.payload("query " + READ + 1))
                            .packets();
                    List<String> straight = new ArrayList<>(frontend.packets("query " + READ + 1));
                    // Column count, eight definitions, EOF, row, EOF.
                    assertThat(straight).hasSize(12);
                    straight.remove(9);
                    straight.set(
                            9,
                            straight.get(9).substring(0, 6) + "0a"
                                    + straight.get(9).substring(8));
                    straight.set(10, "0700000b" + "fe000000000000");
                    assertThat(text).isEqualTo(straight);

                    List<String> prepared = client.send(ReplayedFrontend.payload("prepare " + READ + "?"))
                            .packets();
                    // A parameter and eight columns, after 12 bytes.
                    assertThat(prepared).hasSize(10);
                    assertThat(prepared.get(0)).startsWith("0c00000100").endsWith("08000100000000");
                    int id = Integer.reverseBytes(
                            Integer.parseUnsignedInt(prepared.get(0).substring(10, 18), 16));
                    List<String> row = client.execute(id, new StatementArguments().addInt64(1))
                            .packets();
                    assertThat(row).hasSize(11).last().isEqualTo("0700000b" + "fe000000000000");
                }
            }
        }
    }

    /** Doris honours the flag without offering it: the client decides. */
    @ParameterizedTest
    @ValueSource(ints = {0, Capabilities.CLIENT_MULTI_STATEMENTS})
    void flagForSeveralStatements_isAskedOfDorisWhereTheClientAsks(int flag) throws Exception {
        try (Gateway gateway = gateway()) {
            int before = frontend.logins().size();
            ClientOptions options = ClientOptions.of(
                            "127.0.0.1", gateway.listening().port(), "app")
                    .capabilities((ClientOptions.DEFAULT_CAPABILITIES & ~Capabilities.CLIENT_MULTI_STATEMENTS) | flag)
                    .traits(Dialect.DORIS.traits())
                    .build();
            try (RawClient client = new RawClient(options)) {
                client.query("SELECT 1");
                List<Integer> logins = frontend.logins();
                assertThat(logins.subList(before, logins.size()))
                        .hasSize(1)
                        .allMatch(asked -> (asked & Capabilities.CLIENT_MULTI_STATEMENTS) == flag);
            }
        }
    }

    /**
     * Doris is not asked for the account: a client that it accepts has the user name that it sent.
     */
    @ParameterizedTest
    @ValueSource(strings = {"app", "another"})
    void user_namedInTheConfiguration_mayChange(String named) throws Exception {
        try (Gateway gateway = gateway("access.changes=" + named);
                TestClient client = client(gateway)) {
            assertThat(client.query("KEYLINE FLUSH ALL").error() == null).isEqualTo(named.equals("app"));
        }
    }

    /** The gateway reads variables by SHOW, which Doris answers without a live backend. */
    @Test
    void session_withoutALiveBackend_hits() throws Exception {
        try (Gateway gateway = gateway()) {
            try (TestClient client = client(gateway)) {
                for (int i = 0; i < 3; i++) {
                    client.query(READ + 1);
                }
            }
            frontend.refuseAll("query SELECT", "No backend available as scan node");
            try (TestClient client = client(gateway)) {
                assertThat(client.query(READ + 1).rows()).hasSize(1);
                assertThat(source(client)).isEqualTo("line");
            }
        }
    }
}
