package org.keyline.gateway.doris;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.keyline.gateway.Gateway;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.doris.ScriptedStarRocks.Flags;
import org.keyline.gateway.fixtures.TestClient;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.client.PreparedStatement;

/**
 * StarRocks 3.1 or later, as {@link ScriptedStarRocks} imitates it. The gateway recognises it by
 * its variables, and sessions in another catalog read that catalog.
 */
final class StarRocksCatalogTest {
    private static final String READ = "SELECT v FROM e3.t WHERE k = 1";
    private static final String OWN = "[[default_catalog one]]";
    private static final String OTHER = "[[j one]]";

    @SuppressWarnings("NullAway.Init")
    private ScriptedStarRocks store;

    @SuppressWarnings("NullAway.Init")
    private Gateway gateway;

    private void start(Flags flags) throws Exception {
        start(flags, "store.signal=none");
    }

    private void start(Flags flags, String signal) throws Exception {
        store = new ScriptedStarRocks(flags);
        gateway = Gateway.start(LiveConfig.read(() -> new ConfigLoader(Map.of())
                .set("listen=127.0.0.1:0")
                .set("http=off")
                .set("store.url=mysql://127.0.0.1:" + store.port())
                .set("store.user=root")
                .set(signal)
                .set("access.views=app")
                .set("access.changes=app")
                .set("eventLoops=1")
                .set("cache.ttl=1h")
                // Without this, some reads would be forwarded for another reason, and see more than
                // lines.
                .set("privilegeTtl=1h")));
    }

    @AfterEach
    void stop() throws Exception {
        gateway.close();
        store.close();
    }

    private TestClient client() throws Exception {
        return TestClient.connect(
                gateway.listening(), options -> options.user("app").database("e3"));
    }

    private static String read(TestClient client) throws Exception {
        return String.valueOf(client.query(READ).rows());
    }

    private static String source(TestClient client) throws Exception {
        return String.valueOf(client.query("KEYLINE LAST").rows().get(0).get(1));
    }

    private static void warm(TestClient client) throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(read(client)).isEqualTo(OWN);
        }
        assertThat(source(client)).isEqualTo("line");
    }

    @ParameterizedTest
    @EnumSource(Flags.class)
    void store_thatSaysItsVersionOnly_isKnownAndHits(Flags flags) throws Exception {
        start(flags);
        try (TestClient client = client()) {
            warm(client);
            assertThat(client.query("SELECT v FROM t WHERE k = 1").rows().toString())
                    .isEqualTo(OWN);
        }
        assertThat(store.variable("enable_short_circuit")).isEqualTo("true");
    }

    /** This is the default; otherwise lines would live for an hour. */
    @Test
    void load_pastTheGateway_isSeenByTheVersionOfItsPartition() throws Exception {
        start(Flags.NONE, "store.signalPeriod=20ms");
        try (TestClient client = client()) {
            await(() -> lifetime(client).contains("the store reports writes that bypass Keyline"));
            for (String text : List.of("two", "three", "four")) {
                await(() -> {
                    read(client);
                    return source(client).equals("line");
                });
                store.load(text);
                await(() -> read(client).equals("[[default_catalog " + text + "]]"));
            }
        }
    }

    /** StarRocks logs each execution by default, and each PREPARE always. */
    @Test
    void versions_askedAgain_areNotInTheAuditLog() throws Exception {
        start(Flags.NONE, "store.signalPeriod=20ms");
        try (TestClient client = client()) {
            await(() -> {
                read(client);
                return store.versionsAsked() > 2;
            });
            int asked = store.versionsAsked();
            int logged = store.versionsLogged();
            await(() -> {
                read(client);
                return store.versionsAsked() > asked + 10;
            });
            assertThat(store.versionsLogged()).isEqualTo(logged);
        }
    }

    @Test
    void versions_thatAreRefused_areNamedWhereHowLongLinesLiveIsAsked() throws Exception {
        start(Flags.NONE, "store.signalPeriod=20ms");
        try (TestClient client = client()) {
            store.refuseVersions("Access denied");
            await(() -> {
                read(client);
                return lifetime(client).contains("information_schema.partitions_meta cannot be read: Access denied");
            });
        }
    }

    /**
     * Frequent small loads drop lines before they are read. The table may then be configured to
     * follow its own ttl.
     */
    @Test
    void table_thatIsLoadedAllTheTime_isNamed_andMayFollowItsTtl() throws Exception {
        start(Flags.NONE, "store.signalPeriod=20ms");
        try (TestClient client = client()) {
            warm(client);
            for (int i = 0; i < 20; i++) {
                String before = events(client);
                store.load("more");
                await(() -> !events(client).equals(before));
                read(client);
            }
            assertThat(explained(client, "dropped early"))
                    .contains("16 times", "set tables.e3.t.signal: false and tables.e3.t.ttl: 1m");
            assertThat(client.query("KEYLINE SET tables.e3.t.signal = false").error())
                    .isNull();
            assertThat(explained(client, "lifetime"))
                    .isEqualTo("Lines live 1h (tables.e3.t.ttl): a write that bypasses Keyline may stay unseen for that"
                            + " long, because tables.e3.t.signal is false.");
            await(() -> read(client).equals("[[default_catalog more]]")
                    && source(client).equals("line"));
            store.load("unseen");
            assertThat(read(client)).isEqualTo("[[default_catalog more]]");
            assertThat(source(client)).isEqualTo("line");
            assertThat(client.query("KEYLINE SET tables.e3.t.signal = DEFAULT").error())
                    .isNull();
            await(() -> read(client).equals("[[default_catalog unseen]]"));
        }
    }

    private static String events(TestClient client) throws Exception {
        return String.valueOf(client.query("SELECT events FROM keyline.signals").rows());
    }

    /** Returns the value of a row of KEYLINE EXPLAIN; empty if it has none. */
    private static String explained(TestClient client, String property) throws Exception {
        return client.query("KEYLINE EXPLAIN " + READ).rows().stream()
                .filter(row -> property.equals(row.get(0)))
                .map(row -> String.valueOf(row.get(1)))
                .findFirst()
                .orElse("");
    }

    private static String lifetime(TestClient client) throws Exception {
        return String.valueOf(
                client.query("SELECT lifetime FROM keyline.signals").rows());
    }

    private static void await(Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.call()) {
            assertThat(System.nanoTime() - end).as("time beyond a minute").isNegative();
        }
    }

    static Stream<Arguments> ways() {
        return Stream.of(Flags.values())
                .flatMap(flags -> Stream.of(
                                "USE j.e3",
                                "USE j.nosuch",
                                "SET CATALOG j",
                                "SET catalog = 'j'",
                                "database j.e3",
                                "database catalog j")
                        .map(way -> Arguments.of(flags, way)));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void session_inAnotherCatalog_readsThatOne_andComesBack(Flags flags, String way) throws Exception {
        start(flags);
        try (TestClient client = client()) {
            warm(client);
            PreparedStatement prepared = client.prepare("SELECT v FROM e3.t WHERE k = ?");
            if (way.startsWith("database ")) {
                client.command(CommandCode.COM_INIT_DB, way.substring("database ".length()));
            } else {
                assertThat(client.query(way).error() == null).isEqualTo(!way.contains("nosuch"));
            }
            for (int i = 0; i < 3; i++) {
                assertThat(read(client)).isEqualTo(OTHER);
                assertThat(source(client)).isEqualTo("store");
                assertThat(client.query("SELECT v FROM default_catalog.e3.t WHERE k = 1")
                                .rows())
                        .hasToString(OWN);
                // StarRocks reads the table for which a statement was prepared.
                assertThat(client.execute(prepared, 1).rows()).hasToString(OWN);
            }
            assertThat(client.query("USE default_catalog.e3").error()).isNull();
            assertThat(read(client)).isEqualTo(OWN);
            assertThat(source(client)).isEqualTo("line");
        }
    }

    /**
     * The flags of the reply before show the begin and the end of a transaction one statement late.
     */
    @Test
    void transaction_thatFlagsTellOfLate_isReadAndEnded() throws Exception {
        start(Flags.LATE);
        try (TestClient client = client()) {
            warm(client);
            for (String sql : List.of("BEGIN", READ, "COMMIT", READ, READ)) {
                assertThat(client.query(sql).error()).as(sql).isNull();
            }
            assertThat(read(client)).isEqualTo(OWN);
            assertThat(source(client)).isEqualTo("line");
        }
    }
}
