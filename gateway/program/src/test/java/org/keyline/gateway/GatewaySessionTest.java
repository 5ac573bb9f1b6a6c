package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.fixtures.ItemStore;
import org.keyline.gateway.fixtures.TestClient;
import org.keyline.protocol.client.PreparedStatement;

/**
 * A whole gateway in front of a small store: which statements of a client are forwarded to the
 * store, and which are not.
 */
final class GatewaySessionTest {
    private static final String READ = "SELECT name FROM items WHERE id = 1 AND sku = 2";

    private ItemStore store;
    private Gateway gateway;
    private TestClient client;

    @BeforeEach
    void start() throws Exception {
        start("cache.ttl=1h", "cache.prefix=1");
    }

    private void start(String... settings) throws Exception {
        fill();
        ConfigLoader loader = new ConfigLoader(Map.of())
                .set("listen=127.0.0.1:0")
                .set("http=off")
                .set("eventLoops=1");
        for (String setting : settings) {
            loader.set(setting);
        }
        GatewayConfig config = loader.load();
        gateway = new Gateway(config, store);
        client = TestClient.connect(gateway.listening(), "shop");
        store.log.clear();
    }

    private void fill() {
        store = new ItemStore();
        store.put(1, 1, "one");
        store.put(1, 2, "two");
    }

    @AfterEach
    void stop() {
        client.close();
        gateway.close();
    }

    private void restart(String... settings) throws Exception {
        stop();
        start(settings);
    }

    /**
     * A reply from lines is sent only when it is complete. A reply from the store waits at the
     * store while the client does not read.
     */
    @Test
    void read_withALongReply_isForwarded() throws Exception {
        restart("limits.memory=16 MiB", "cache.ttl=1h", "cache.prefix=1");
        for (int sku = 1; sku <= 6; sku++) {
            store.put(5, sku, "x".repeat(250_000));
        }
        String all = "SELECT name FROM items WHERE id = 5 LIMIT 9";
        String one = "SELECT name FROM items WHERE id = 5 AND sku = 1";
        for (int i = 0; i < 3; i++) {
            client.query(one);
            assertThat(client.query(all).rows()).hasSize(6);
        }
        assertThat(store.count("QUERY " + one)).isEqualTo(1);
        assertThat(store.count("QUERY " + all)).isEqualTo(3);
    }

    @Test
    void connectionLostInATransaction_opensItsFence() throws Exception {
        warm();
        try (TestClient other = TestClient.connect(gateway.listening(), "shop")) {
            other.query("BEGIN");
            other.query("INSERT INTO items VALUES (1, 2, 'lost')");
        }
        await().until(() -> store.count(" END ") >= 1);
        await().until(() -> {
            client.query(READ);
            store.log.clear();
            client.query(READ);
            return store.log.isEmpty();
        });
        assertThat(client.query(READ).rows()).isEqualTo(List.of(List.of("two")));
    }

    @Test
    void prepare_ofAKnownShape_isAnsweredHereAndPreparedThereWhenNeeded() throws Exception {
        String sql = "SELECT name FROM items WHERE id = ? AND sku = ?";
        PreparedStatement first = client.prepare(sql);
        client.execute(first, 1, 2);
        client.execute(first, 1, 2);
        store.log.clear();
        try (TestClient other = TestClient.connect(gateway.listening(), "shop")) {
            PreparedStatement second = other.prepare(sql);
            assertThat(second.parameters()).hasSize(2);
            assertThat(second.columns()).isEqualTo(first.columns());
            assertThat(other.execute(second, 1, 2).rows()).isEqualTo(List.of(List.of("two")));
            assertThat(store.count("PREPARE " + sql)).isZero();
            other.query("SET keyline_max_staleness = 0");
            assertThat(other.execute(second, 1, 1).rows()).isEqualTo(List.of(List.of("one")));
            assertThat(store.count("PREPARE " + sql)).isEqualTo(1);
            assertThat(store.count("EXECUTE " + sql)).isEqualTo(1);
        }
    }

    @Test
    void showStatus_isTheGatewaysInTextAndBinary() throws Exception {
        warm();
        client.query(READ);
        assertThat(status("Keyline_hits")).isPositive();
        assertThat(status("Keyline_lines")).isEqualTo(1);
        assertThat(status("Keyline_loads")).isEqualTo(1);
        assertThat(status("Keyline_rows_loaded")).isEqualTo(2);
        assertThat(status("Keyline_forwarded")).isPositive();
        PreparedStatement statement = client.prepare("SHOW STATUS LIKE 'keyline\\_lines'");
        assertThat(client.execute(statement).rows()).isEqualTo(List.of(List.of("Keyline_lines", "1")));
        assertThat(store.count("SHOW")).isZero();
    }

    @Test
    void explain_tellsKeyGranularityAndLine() throws Exception {
        Map<String, String> before = properties("KEYLINE EXPLAIN " + READ);
        assertThat(before).containsEntry("line", "not in memory").containsKey("because");
        warm();
        Map<String, String> after = properties("KEYLINE EXPLAIN " + READ);
        assertThat(after)
                .containsEntry("answer", "SHORT-CIRCUIT")
                .containsEntry("table", "shop.items")
                .containsEntry("key", "id = 1 AND sku = 2")
                .containsEntry("load granularity", "1 of 2 key columns");
        assertThat(after.get("line")).startsWith("in memory, age ").endsWith(" 2 rows");
        assertThat(properties("KEYLINE EXPLAIN " + READ + " LIMIT 18446744073709551615"))
                .containsEntry("answer", "SHORT-CIRCUIT after forwarding");
        assertThat(properties("KEYLINE EXPLAIN " + READ + " LIMIT 18446744073709551616"))
                .containsEntry("reason", "LIMIT_VALUE");
        assertThat(properties("KEYLINE EXPLAIN SELECT name FROM items WHERE name < 'x'"))
                .containsEntry("answer", "FORWARD")
                .containsKeys("reason", "because");
    }

    @Test
    void last_readsThatNoLineAnswers_haveEachItsReason() throws Exception {
        assertThat(missed("SELECT sku, name FROM items WHERE id = 1 AND sku = 2"))
                .isEqualTo("NO_TEMPLATE");
        warm();
        assertThat(missed("SELECT name FROM items WHERE name < 'x'")).isEqualTo("VALUE_COLUMN_CONDITION");
        assertThat(
                        properties(
                                "KEYLINE EXPLAIN SELECT name FROM items WHERE id = 1 AND name >= 'x' AND name NOT IN ('y', 'z')"))
                .containsEntry("key", "id = 1")
                .containsEntry("conditions", "name >= 'x' AND name <> 'y' AND name <> 'z' (exact)");
        assertThat(missed(READ + " /* keyline_max_staleness = 0 */")).isEqualTo("STALENESS");
        client.query("BEGIN");
        client.query("UPDATE items SET name = 'x' WHERE id = 1 AND sku = 2");
        try (TestClient other = TestClient.connect(gateway.listening(), "shop")) {
            other.query(READ);
            other.query(READ);
            assertThat(other.query("KEYLINE LAST").rows().get(1)).containsExactly("reason", "FENCED");
        }
        client.query("ROLLBACK");
        client.query("SET optimizer_switch = 'mrr=on'");
        assertThat(missed(READ)).isEqualTo("SESSION");
        assertThat(properties("KEYLINE EXPLAIN " + READ)).containsEntry("reason", "SESSION");
    }

    private String missed(String sql) throws Exception {
        client.query(sql);
        assertThat(properties("KEYLINE LAST")).containsEntry("source", "store").containsKey("because");
        return String.valueOf(properties("KEYLINE LAST").get("reason"));
    }

    @Test
    void maxStaleness_zero_asksTheStore() throws Exception {
        warm();
        store.put(1, 2, "new");
        assertThat(client.query(READ).rows()).isEqualTo(List.of(List.of("two")));
        PreparedStatement hinted = client.prepare(READ + " /* keyline_max_staleness = 0 */");
        for (String own : List.of("0", "'0'", "0ms", "nonsense", "")) {
            assertThat(client.query(READ + " /* keyline_max_staleness = " + own + " */")
                            .rows())
                    .as(own)
                    .isEqualTo(List.of(List.of("new")));
        }
        assertThat(client.execute(hinted).rows()).isEqualTo(List.of(List.of("new")));
        assertThat(properties("KEYLINE LAST")).containsEntry("source", "store").containsKey("because");
        client.query("SET keyline_max_staleness = 0");
        assertThat(client.query(READ).rows()).isEqualTo(List.of(List.of("new")));
        assertThat(client.query("/* keyline_max_staleness = 1h */ " + READ).rows())
                .isEqualTo(List.of(List.of("two")));
        client.query("SET keyline_max_staleness = DEFAULT");
        assertThat(client.query(READ).rows()).isEqualTo(List.of(List.of("two")));
    }

    @Test
    void maxStaleness_olderLine_isLoadedAnew() throws Exception {
        warm();
        store.put(1, 2, "new");
        client.query("SET keyline_max_staleness = '1ms'");
        await().untilAsserted(() -> assertThat(client.query(READ).rows()).isEqualTo(List.of(List.of("new"))));
        assertThat(properties("KEYLINE LAST").get("source")).isNotEqualTo("store");
        client.query("SET keyline_max_staleness = DEFAULT");
        assertThat(client.query(READ).rows()).isEqualTo(List.of(List.of("new")));
    }

    @Test
    void audit_wrongLine_isFoundAndItsTableSwitchedOff() throws Exception {
        stop();
        start("cache.ttl=100ms", "cache.prefix=1", "cache.refreshAhead=false", "cache.auditOneIn=1");
        warm();
        store.lie();
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> {
                    client.query(READ);
                    return status("Keyline_audit_mismatches") == 1;
                });
        for (int i = 0; i < 3; i++) {
            assertThat(client.query(READ).rows()).isEqualTo(List.of(List.of("two")));
            assertThat(properties("KEYLINE LAST")).containsEntry("source", "store");
        }
        assertThat(properties("KEYLINE EXPLAIN " + READ).get("because")).contains("wrong");
        client.query("KEYLINE FLUSH TABLE items");
        client.query(READ);
        assertThat(properties("KEYLINE LAST").get("source")).isNotEqualTo("store");
    }

    @Test
    void maxStaleness_isAVariableOfTheSession() throws Exception {
        assertThat(client.query("SELECT @@keyline_max_staleness").rows()).isEqualTo(List.of(List.of("DEFAULT")));
        client.query("SET SESSION keyline_max_staleness = '1500ms'");
        assertThat(client.query("SHOW VARIABLES LIKE 'keyline%'").rows())
                .isEqualTo(List.of(List.of("keyline_max_staleness", "1500ms")));
        assertThat(client.query("SET keyline_max_staleness = 'soon'").error())
                .satisfies(error -> assertThat(error.code()).isEqualTo(1231));
        assertThat(client.query("SELECT @@session.keyline_max_staleness").rows())
                .isEqualTo(List.of(List.of("1500ms")));
        assertThat(store.count("keyline")).isZero();
    }

    @Test
    void flush_inEachForm_dropsLines() throws Exception {
        for (String flush : List.of(
                "KEYLINE FLUSH ALL",
                "KEYLINE FLUSH TABLE items",
                "KEYLINE FLUSH TABLE shop.items",
                "KEYLINE FLUSH ROWS items WHERE id = 1",
                "KEYLINE FLUSH ROWS items WHERE id = 1 AND sku = 2")) {
            warm();
            store.put(1, 2, flush);
            assertThat(client.query(flush).error()).as(flush).isNull();
            assertThat(client.query(READ).rows()).as(flush).isEqualTo(List.of(List.of(flush)));
        }
        assertThat(client.query("KEYLINE FLUSH TABLE nothing").error())
                .satisfies(error -> assertThat(error.code()).isEqualTo(1146));
        assertThat(client.query("KEYLINE FROBNICATE").error())
                .satisfies(error -> assertThat(error.code()).isEqualTo(1064));
    }

    @Test
    void cacheOff_everythingGoesToTheStore() throws Exception {
        restart("cache.enabled=off");
        for (int i = 0; i < 3; i++) {
            client.query(READ);
        }
        assertThat(store.count("QUERY " + READ)).isEqualTo(3);
    }

    /** Afterwards, the template exists and the line is cached. */
    private void warm() throws Exception {
        client.query(READ);
        client.query(READ);
    }

    private long status(String variable) throws Exception {
        return Long.parseLong(client.query("SHOW STATUS LIKE '" + variable + "'")
                .rows()
                .get(0)
                .get(1));
    }

    private Map<String, String> properties(String sql) throws Exception {
        Map<String, String> properties = new java.util.HashMap<>();
        for (List<@Nullable String> row : client.query(sql).rows()) {
            properties.put(row.get(0), row.get(1));
        }
        return properties;
    }
}
