package org.keyline.gateway.doris;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.keyline.gateway.Gateway;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.config.HostPort;
import org.keyline.gateway.differential.RawClient;
import org.keyline.gateway.fixtures.TestClient;
import org.keyline.gateway.session.settings.Binding;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.PreparedStatement;
import org.keyline.protocol.client.StatementArguments;
import org.keyline.stores.mysql.catalog.Dialect;

/**
 * Real frontends of Doris and StarRocks, which {@code -Dkeyline.catalogs=HOST:PORT,HOST:PORT}
 * names, with the gateway's defaults. Covers the first minute, packets identical to direct ones,
 * own writes, writes past the gateway, definitions, and idle clients. A frontend accepts
 * {@code root} without a password. Only these tests use the database {@code kl_fe} and the user
 * {@code keyline_fe}.
 */
@EnabledIfSystemProperty(named = "keyline.catalogs", matches = ".+")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FrontendsIT {
    private static final System.Logger LOG = System.getLogger("frontends");
    private static final String USER = "keyline_fe";
    private static final String PASSWORD = "pw";
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int KEYS = 20;

    /** A frontend, and its gateway with the defaults. */
    private record Front(Dialect dialect, HostPort straight, Gateway gateway) {
        TestClient client(HostPort address) throws Exception {
            return TestClient.connect(
                    address,
                    options -> options.user(USER)
                            .password(PASSWORD)
                            .traits(dialect.traits())
                            .database("kl_fe"));
        }

        TestClient through() throws Exception {
            return client(gateway.listening());
        }

        RawClient raw(HostPort address) throws Exception {
            return new RawClient(ClientOptions.of(address.host(), address.port(), USER)
                    .password(PASSWORD)
                    .database("kl_fe")
                    .capabilities(ClientOptions.DEFAULT_CAPABILITIES
                            & ~(Capabilities.CLIENT_DEPRECATE_EOF | Capabilities.CLIENT_MULTI_STATEMENTS))
                    .traits(dialect.traits())
                    .build());
        }

        boolean isDoris() {
            return dialect == Dialect.DORIS;
        }

        /** Returns the part of a table's definition after its columns. */
        String keyed(String key, String partitions) {
            return (isDoris() ? " UNIQUE KEY(" : " PRIMARY KEY(") + key + ")" + partitions + " DISTRIBUTED BY HASH("
                    + key.split(",", 2)[0] + ") BUCKETS 1 PROPERTIES('replication_num'='1',"
                    + (isDoris()
                            ? "'store_row_column'='true','enable_unique_key_merge_on_write'='true')"
                            : "'storage_type'='column_with_row')");
        }

        void root(String... statements) throws Exception {
            try (TestClient root = TestClient.connect(straight)) {
                for (String sql : statements) {
                    assertThat(root.query(sql).error()).as(sql).isNull();
                }
            }
        }

        @Override
        public String toString() {
            return dialect.toString();
        }
    }

    private final List<Front> fronts = new ArrayList<>();

    @BeforeAll
    void start() throws Exception {
        for (String address : System.getProperty("keyline.catalogs").split(",", -1)) {
            String[] parts = address.split(":", 2);
            HostPort straight = new HostPort(parts[0], Integer.parseInt(parts[1]));
            boolean doris;
            try (TestClient root = TestClient.connect(straight)) {
                doris = root.query("SHOW VARIABLES LIKE 'catalog'").rows().isEmpty();
                // DorisFrontendIT leaves this database, which hides the gateway's views.
                assertThat(root.query("DROP DATABASE IF EXISTS keyline FORCE").error())
                        .isNull();
            }
            Front front = new Front(doris ? Dialect.DORIS : Dialect.STARROCKS, straight, gateway(straight));
            fronts.add(front);
            front.root(
                    "CREATE DATABASE IF NOT EXISTS kl_fe",
                    "DROP USER IF EXISTS '" + USER + "'@'%'",
                    "CREATE USER '" + USER + "'@'%' IDENTIFIED BY '" + PASSWORD + "'");
            if (doris) {
                front.root("GRANT SELECT_PRIV, LOAD_PRIV ON internal.kl_fe.* TO '" + USER + "'@'%'");
            }
            items(front, "items");
            if (!doris) {
                front.root("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN DATABASE kl_fe TO USER '" + USER
                        + "'@'%'");
            }
        }
    }

    private static Gateway gateway(HostPort straight, String... settings) throws Exception {
        return Gateway.start(loader(straight, settings).load());
    }

    private static ConfigLoader loader(HostPort straight, String... settings) {
        ConfigLoader loader = new ConfigLoader(Map.of())
                .set("listen=127.0.0.1:0")
                .set("http=off")
                .set("store.url=mysql://" + straight.host() + ":" + straight.port())
                .set("store.user=root")
                .set("access.views=" + USER)
                .set("access.changes=" + USER);
        for (String setting : settings) {
            loader.set(setting);
        }
        return loader;
    }

    /** Creates a table of two key columns again: two rows for each of 20 first values. */
    private static void items(Front front, String name) throws Exception {
        List<String> rows = new ArrayList<>();
        for (int k = 0; k < KEYS; k++) {
            rows.add("(" + k + ", 'a', " + 10 * k + ", 1.5, '2026-01-02 03:04:05')");
            rows.add("(" + k + ", 'b', NULL, " + k + ".25, NULL)");
        }
        front.root(
                "DROP TABLE IF EXISTS kl_fe." + name + " FORCE",
                "CREATE TABLE kl_fe." + name
                        + " (k int NOT NULL, c varchar(20) NOT NULL, v int, d decimal(9, 2), t datetime)"
                        + front.keyed(
                                "k,c",
                                " PARTITION BY RANGE(k) (PARTITION low VALUES LESS THAN ('10'),"
                                        + " PARTITION high VALUES LESS THAN ('1000'))"),
                "INSERT INTO kl_fe." + name + " VALUES " + String.join(", ", rows));
    }

    Stream<Front> fronts() {
        return fronts.stream();
    }

    private static String source(TestClient client) throws Exception {
        return String.valueOf(client.query("KEYLINE LAST").rows().get(0).get(1));
    }

    /** The store answers the first execution, a load the second, a line the third. */
    @ParameterizedTest
    @MethodSource("fronts")
    void firstMinute_thirdExecutionHits(Front front) throws Exception {
        items(front, "fresh");
        try (Gateway fresh = gateway(front.straight);
                TestClient client = front.client(fresh.listening())) {
            if (!front.isDoris()) {
                front.root("GRANT SELECT ON ALL TABLES IN DATABASE kl_fe TO USER '" + USER + "'@'%'");
            }
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(client.query("SELECT * FROM fresh WHERE k = 9 AND c = 'b'")
                                    .error())
                            .isNull());
            for (String sql : List.of(
                    "SELECT v FROM fresh WHERE k = 1 AND c = 'a'",
                    "SELECT * FROM fresh WHERE k = 2 AND c IN ('a', 'b') ORDER BY c")) {
                List<String> sources = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    assertThat(client.query(sql).error()).isNull();
                    sources.add(source(client));
                }
                assertThat(sources).as(sql).containsExactly("store", "load", "line");
            }
            PreparedStatement read = client.prepare("SELECT v FROM fresh WHERE k = ? AND c = 'a'");
            List<String> sources = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                assertThat(client.execute(read, 3).error()).isNull();
                sources.add(source(client));
            }
            assertThat(sources).containsExactly("store", "load", "line");
        }
    }

    @ParameterizedTest
    @MethodSource("fronts")
    void randomReads_haveTheSamePackets(Front front) throws Exception {
        long seed = Long.getLong("keyline.seed", System.nanoTime());
        Random random = new Random(seed);
        int hits = 0;
        try (RawClient straight = front.raw(front.straight);
                RawClient through = front.raw(front.gateway.listening())) {
            List<String> texts = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                texts.add(read(random));
            }
            for (int i = 0; i < 500; i++) {
                String sql = texts.get(random.nextInt(texts.size()));
                if (random.nextInt(4) == 0) {
                    int k = random.nextInt(KEYS + 5);
                    String prepared = "SELECT k, v, d, t FROM items WHERE k = ? AND c = 'a'";
                    assertThat(executed(through, prepared, k))
                            .as("seed " + seed + ": k = " + k)
                            .isEqualTo(executed(straight, prepared, k));
                } else {
                    assertThat(through.query(sql).packets())
                            .as("seed " + seed + ": " + sql)
                            .isEqualTo(straight.query(sql).packets());
                }
                hits += through.query("KEYLINE LAST").packets().toString().contains(LINE) ? 1 : 0;
            }
        }
        LOG.log(System.Logger.Level.INFO, front + ": 500 reads, " + hits + " from lines, seed " + seed);
        assertThat(hits).isGreaterThan(100);
    }

    /** The cells of KEYLINE LAST that name a line as the source, in the protocol's format. */
    private static final String LINE = "06736f75726365" + "046c696e65";

    private static List<String> executed(RawClient client, String sql, int k) throws Exception {
        int statement = client.prepare(sql);
        try {
            return client.execute(statement, new StatementArguments().addInt64(k))
                    .packets();
        } finally {
            client.closeStatement(statement);
        }
    }

    private static String read(Random random) {
        int k = random.nextInt(KEYS + 5);
        String columns = List.of("*", "v", "k, d", "c, t, v", "d AS x, k").get(random.nextInt(5));
        String select = "SELECT " + columns + " FROM " + (random.nextBoolean() ? "items" : "kl_fe.items") + " WHERE ";
        return select
                + switch (random.nextInt(5)) {
                    case 0 -> "k = " + k + " ORDER BY c" + (random.nextBoolean() ? " DESC" : "");
                    case 1 -> "k = " + k + " AND c IN ('a', 'b', 'none') ORDER BY c LIMIT " + random.nextInt(3);
                    case 2 -> "k = " + k + " AND c = 'b' AND v IS NULL";
                    default -> "k = " + k + " AND c = '" + (random.nextInt(5) == 0 ? "none" : "a") + "'";
                };
    }

    /** Every client's next read shows a write through the gateway. */
    @ParameterizedTest
    @MethodSource("fronts")
    void ownWrites_areSeenByTheNextRead(Front front) throws Exception {
        Random random = new Random(60);
        int wrong = 0;
        try (TestClient writer = front.through();
                TestClient reader = front.through()) {
            for (int i = 0; i < 60; i++) {
                int k = random.nextInt(3);
                String read = "SELECT v FROM items WHERE k = " + k + " AND c = 'a'";
                for (int before = 0; before < 3; before++) {
                    reader.query(read);
                }
                boolean deletes = random.nextInt(4) == 0;
                String write = deletes
                        ? "DELETE FROM items WHERE k = " + k + " AND c = 'a'"
                        : random.nextInt(3) == 0
                                ? "UPDATE items SET v = " + i + " WHERE k = " + k + " AND c = 'a'"
                                : "INSERT INTO items VALUES (" + k + ", 'a', " + i + ", 1, NULL)";
                assertThat(writer.query(write).error()).as(write).isNull();
                String through = reader.query(read).rows().toString();
                try (TestClient straight = front.client(front.straight)) {
                    wrong += straight.query(read).rows().toString().equals(through) ? 0 : 1;
                }
            }
        }
        assertThat(wrong).isZero();
    }

    /**
     * The bound is a period and a round trip, with time for a busy machine; a ttl would take a
     * minute.
     */
    @ParameterizedTest
    @MethodSource("fronts")
    void writesPastTheGateway_areSeenByTheSignal(Front front) throws Exception {
        try (Gateway signalled = gateway(front.straight, "cache.ttl=1m");
                TestClient client = front.client(signalled.listening());
                TestClient straight = front.client(front.straight)) {
            String read = "SELECT v FROM items WHERE k = 12 AND c = 'a'";
            List<Long> millis = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                await().atMost(SOON).untilAsserted(() -> {
                    client.query(read);
                    assertThat(source(client)).isEqualTo("line");
                    assertThat(client.query("SELECT live FROM keyline.signals").rows())
                            .hasToString("[[1]]");
                });
                String value = "[[" + (1000 + i) + "]]";
                String write = "INSERT INTO items VALUES (12, 'a', " + (1000 + i) + ", 1, NULL)";
                assertThat(straight.query(write).error()).isNull();
                long began = System.nanoTime();
                await().atMost(Duration.ofSeconds(20))
                        .pollInterval(Duration.ofMillis(5))
                        .untilAsserted(
                                () -> assertThat(client.query(read).rows()).hasToString(value));
                millis.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
            }
            LOG.log(
                    System.Logger.Level.INFO,
                    front + ": milliseconds until writes past the gateway were seen: " + millis);
        }
    }

    /**
     * Columns per dialect, and words of their SHOW CREATE TABLE. A frontend that does not support a
     * feature refuses the table.
     */
    private static final Map<Dialect, Map<String, String>> DEFINITIONS = Map.of(
            Dialect.DORIS,
            Map.of(
                    "auto", "id bigint NOT NULL AUTO_INCREMENT(100), v text|id|AUTO_INCREMENT",
                    "generated", "id int NOT NULL, a int, g int GENERATED ALWAYS AS (a + 1)|id|AS (",
                    "today", "id int NOT NULL, d date DEFAULT CURRENT_DATE|id|CURRENT_DATE",
                    "bitmaps", "id int NOT NULL, b bitmap NOT NULL DEFAULT BITMAP_EMPTY|id|bitmap",
                    "zoned", "id int NOT NULL, t timestamptz|id|timestamptz",
                    "quoted", "id int NOT NULL COMMENT 'it''s \"quoted\" `here`', v int COMMENT '), ('|id|quoted"),
            Dialect.STARROCKS,
            Map.of(
                    "truncated", "id int NOT NULL, day datetime NOT NULL, v int|id,day|date_trunc",
                    "generated", "id int NOT NULL, a int, g bigint AS (a + 1)|id|AS ",
                    "structs",
                            "id int NOT NULL, s struct<a int, b string>, m map<int, string>, r array<int>|id|struct<",
                    "quoted", "id int NOT NULL COMMENT 'it''s \"quoted\" `here`', v int COMMENT '), ('|id|quoted"));

    @ParameterizedTest
    @MethodSource("fronts")
    void definitions_areRead(Front front) throws Exception {
        Set<String> made = new HashSet<>();
        Map<String, String> definitions = DEFINITIONS.getOrDefault(front.dialect, Map.of());
        for (Map.Entry<String, String> entry : definitions.entrySet()) {
            String[] parts = entry.getValue().split("\\|", 3);
            String partitions = entry.getKey().equals("truncated") ? " PARTITION BY date_trunc('day', day)" : "";
            front.root("DROP TABLE IF EXISTS kl_fe.def_" + entry.getKey() + " FORCE");
            try (TestClient root = TestClient.connect(front.straight)) {
                String sql = "CREATE TABLE kl_fe.def_" + entry.getKey() + " (" + parts[0] + ")"
                        + front.keyed(parts[1], partitions);
                String error = String.valueOf(root.query(sql).error());
                assertThat(error).as(sql).containsAnyOf("null", "mismatched input 'timestamptz'");
                if (error.equals("null")) {
                    made.add(entry.getKey());
                }
            }
        }
        if (!front.isDoris()) {
            front.root("GRANT SELECT ON ALL TABLES IN DATABASE kl_fe TO USER '" + USER + "'@'%'");
        }
        try (Gateway fresh = gateway(front.straight);
                TestClient client = front.client(fresh.listening());
                TestClient straight = front.client(front.straight)) {
            for (String name : made) {
                String show = "SHOW CREATE TABLE def_" + name;
                String shown = client.query(show).rows().toString();
                assertThat(shown).isEqualTo(straight.query(show).rows().toString());
                assertThat(shown.replace("\\", ""))
                        .contains(definitions.getOrDefault(name, "").split("\\|", 3)[2]);
                String read = name.equals("truncated")
                        ? "SELECT v FROM def_truncated WHERE id = 1 AND day = '2026-01-02 00:00:00'"
                        : "SELECT id FROM def_" + name + " WHERE id = 1";
                assertThat(client.query("KEYLINE EXPLAIN " + read).rows().get(0))
                        .as(shown)
                        .satisfies(row -> assertThat(String.valueOf(row.get(1))).startsWith("SHORT-CIRCUIT"));
            }
            assertThat(client.query("SELECT table_name, kept_out FROM keyline.tables WHERE kept_out IS NOT NULL")
                            .rows()
                            .toString())
                    .doesNotContain("def_");
            LOG.log(System.Logger.Level.INFO, front + ": read " + made);
        }
    }

    /**
     * An idle client on these stores retains its store session, because another session might lack
     * its state.
     */
    @ParameterizedTest
    @MethodSource("fronts")
    void idleClient_keepsItsStoreSession_andIsResetThere(Front front, @TempDir Path directory) throws Exception {
        String users = "users: [{name: " + USER
                + ", plugin: mysql_native_password, hash: '*D821809F681A40A6E379B50D0463EFAE20BDD122'," + " storeUser: "
                + USER + ", storePassword: " + PASSWORD + "}]";
        Path file = Files.writeString(directory.resolve("keyline.yaml"), users + "\n");
        try (Gateway local = Gateway.start(loader(front.straight, "store.login=local", "store.idleSession=1s")
                        .file(file)
                        .load());
                TestClient client = front.client(local.listening())) {
            String there =
                    String.valueOf(client.query("SELECT CONNECTION_ID() + 0").rows());
            PreparedStatement read = client.prepare("SELECT v FROM items WHERE k = ? AND c = 'b' AND v + 0 IS NULL");
            assertThat(client.query("SET query_timeout = 77").error()).isNull();
            await().atMost(SOON)
                    .untilAsserted(
                            () -> assertThat(client.query("SELECT bound FROM keyline.clients WHERE store_session = 1")
                                            .rows())
                                    .hasToString("[[" + Binding.STORE.sentence() + "]]"));
            assertThat(String.valueOf(client.query("SELECT CONNECTION_ID() + 0").rows()))
                    .isEqualTo(there);
            assertThat(client.query("SHOW VARIABLES LIKE 'query_timeout'")
                            .rows()
                            .toString())
                    .contains("77");
            assertThat(client.execute(read, 1).rows()).hasToString("[[null]]");
            try (TestClient straight = front.client(front.straight)) {
                PreparedStatement same =
                        straight.prepare("SELECT v FROM items WHERE k = ? AND c = 'b' AND v + 0 IS NULL");
                assertThat(straight.query("SET query_timeout = 77").error()).isNull();
                assertThat(after(client, read)).isEqualTo(after(straight, same));
            }
        }
    }

    /** Returns the session's state after COM_RESET_CONNECTION, and after another USE. */
    private static List<String> after(TestClient client, PreparedStatement read) throws Exception {
        List<String> told = new ArrayList<>();
        TestClient.Answer reset = client.command(CommandCode.COM_RESET_CONNECTION, "");
        told.add(String.valueOf(reset.error()));
        told.add(client.query("SHOW VARIABLES LIKE 'query_timeout'").rows().toString());
        told.add(client.query("SELECT DATABASE()").rows().toString());
        told.add(client.execute(read, 1).rows() + "");
        told.add(String.valueOf(client.query("USE @none").error()));
        told.add(String.valueOf(client.query("USE kl_fe").error()));
        told.add(client.execute(read, 1).rows() + "");
        return told;
    }

    @AfterAll
    void stop() throws Exception {
        for (Front front : fronts) {
            front.gateway.close();
        }
    }
}
