package org.keyline.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.fixtures.ItemStore;
import org.keyline.gateway.fixtures.TestClient;
import org.keyline.gateway.fixtures.TestClient.Answer;
import org.keyline.protocol.client.ServerErrorException;

/**
 * More work than the store or the gateway can do. Hits continue, and statements that must wait do
 * not delay others.
 */
final class OverloadTest {
    private static final int CONNECTIONS = 4;

    private ItemStore store;
    private Gateway gateway;
    private TestClient client;

    private static String read(int id) {
        return "SELECT name FROM items WHERE id = " + id + " AND sku = 2";
    }

    private static boolean isLoad(String sql) {
        return sql.contains("items") && !sql.startsWith("SELECT name FROM items WHERE");
    }

    @BeforeEach
    void begin() throws Exception {
        start(1, "1m");
    }

    private void start(int loadConnections, String loadTimeout) throws Exception {
        store = new ItemStore();
        store.put(1, 2, "one");
        store.put(5, 2, "five");
        store.put(6, 2, "six");
        gateway = new Gateway(
                new ConfigLoader(Map.of())
                        .set("listen=127.0.0.1:0")
                        .set("http=off")
                        .set("eventLoops=1")
                        .set("loadConnections=" + loadConnections)
                        .set("limits.connections=" + CONNECTIONS)
                        .set("cache.ttl=1h")
                        .set("cache.loadTimeout=" + loadTimeout)
                        .set("cache.prefix=1")
                        .load(),
                store);
        client = TestClient.connect(gateway.listening(), "shop");
        for (int i = 0; i < 3; i++) {
            client.query(read(1));
        }
    }

    @AfterEach
    void stop() {
        store.release();
        client.close();
        gateway.close();
    }

    @Test
    void readsBeyondTheLoadingSessions_areForwardedAndHitsGoOn() throws Exception {
        store.hold(OverloadTest::isLoad);
        CompletableFuture<Answer> first = client.send(read(5));
        await().until(() -> store.heldReplies() == 1);
        try (TestClient other = TestClient.connect(gateway.listening(), "shop")) {
            other.query(read(1));
            assertThat(other.query(read(6)).rows()).isEqualTo(List.of(List.of("six")));
            store.log.clear();
            assertThat(other.query(read(1)).rows()).isEqualTo(List.of(List.of("one")));
            assertThat(store.log).as("a hit").isEmpty();
            assertThat(first).isNotDone();
            assertThat(store.heldReplies()).isEqualTo(1);
        }
        store.release();
        assertThat(first.get(10, TimeUnit.SECONDS).rows()).isEqualTo(List.of(List.of("five")));
        assertThat(client.query(read(6)).rows()).isEqualTo(List.of(List.of("six")));
        store.log.clear();
        client.query(read(5));
        client.query(read(6));
        assertThat(store.count("QUERY")).as("loads go on").isZero();
    }

    @Test
    void loadThatIsNotAnswered_endsTheIdleSessionsToo_soThatNoOtherReaderWaitsForThem() throws Exception {
        client.close();
        gateway.close();
        start(2, "1s");
        try (TestClient other = TestClient.connect(gateway.listening(), "shop")) {
            store.hold(OverloadTest::isLoad);
            CompletableFuture<Answer> five = client.send(read(5));
            CompletableFuture<Answer> six = other.send(read(6));
            await().until(() -> store.heldReplies() == 2);
            store.release();
            assertThat(five.get(10, TimeUnit.SECONDS).error()).isNull();
            assertThat(six.get(10, TimeUnit.SECONDS).error()).isNull();
            store.log.clear();
            store.hold(OverloadTest::isLoad);
            CompletableFuture<Answer> silent = client.send(read(7));
            await().until(() -> store.heldReplies() == 1);
            await().until(() -> store.count(" END ") == 2);
            Answer unused = silent.get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void clientsBeyondTheLimit_areToldSoAtOnceAndLetInWhenOthersLeave() throws Exception {
        List<TestClient> others = new java.util.ArrayList<>();
        for (int i = 1; i < CONNECTIONS; i++) {
            others.add(TestClient.connect(gateway.listening(), "shop"));
        }
        assertThatThrownBy(() -> TestClient.connect(gateway.listening(), "shop"))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        ServerErrorException.class,
                        e -> assertThat(e.error().code()).isEqualTo(1040));
        store.log.clear();
        assertThat(client.query(read(1)).rows()).isEqualTo(List.of(List.of("one")));
        assertThat(store.log).as("a hit").isEmpty();
        others.remove(0).close();
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(
                        () -> TestClient.connect(gateway.listening(), "shop").close());
        others.forEach(TestClient::close);
    }
}
