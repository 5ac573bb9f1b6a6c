package org.keyline.gateway.slow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.one;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.keyline.gateway.fixtures.Lines;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;

/**
 * Slow statements in front of MariaDB, in the file and in the view, with the parts of their time.
 */
final class SlowLogIT {
    private static final MariaDb STORE = MariaDb.get("second");

    @TempDir
    private Path directory;

    private Path file;
    private RelayGateway gateway;
    private Connection straight;
    private Connection client;

    @BeforeEach
    void start() throws Exception {
        straight = STORE.connect("");
        run(straight, "CREATE DATABASE IF NOT EXISTS slowness");
        run(straight, "CREATE OR REPLACE TABLE slowness.items (id INT PRIMARY KEY, v VARCHAR(20), w INT)");
        run(straight, "INSERT INTO slowness.items VALUES (1, 'one', 1), (2, 'two', 2)");
        file = directory.resolve("slow.json");
        gateway = RelayGateway.start(STORE, "log.slow.file=" + file, "log.slow.threshold=200ms", "store.refresh=1h");
        client = gateway.connect("slowness");
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        gateway.close();
        straight.close();
    }

    private List<JsonNode> lines() throws Exception {
        List<JsonNode> lines = new ArrayList<>();
        if (Files.exists(file)) {
            for (String line : Files.readAllLines(file)) {
                lines.add(new ObjectMapper().readTree(line));
            }
        }
        return lines;
    }

    /** Returns the only line; another thread writes it. */
    private JsonNode line() throws Exception {
        soon("a line of the slow log").until(() -> lines().size() == 1);
        return lines().get(0);
    }

    private static void atLeast(JsonNode line, String field, long millis) {
        assertThat(line.get(field).asLong()).as(field).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toMicros(millis));
    }

    private static void isSum(JsonNode line) {
        long sum = List.of("queue_us", "load_us", "store_us", "write_us").stream()
                .mapToLong(part -> line.get(part).asLong())
                .sum();
        assertThat(line.get("total_us").asLong()).isBetween(sum, sum + 4);
    }

    @Test
    void statementOfTheStore_isToldWithoutItsValues_inTheFileAndInTheView() throws Exception {
        run(client, "SELECT v FROM items WHERE v = 'hidden'");
        run(client, "SELECT v, SLEEP(0.25), 'hidden' FROM items WHERE v LIKE 'tw%' -- hidden");
        JsonNode line = line();
        assertThat(Files.readString(file)).doesNotContain("hidden", "tw%", "0.25");
        assertThat(line.get("user").asText()).isEqualTo(MariaDb.USER);
        assertThat(line.get("host").asText()).isEqualTo("127.0.0.1");
        assertThat(line.get("schema_name").asText()).isEqualTo("slowness");
        assertThat(line.get("text").asText()).contains("SLEEP").contains("?");
        assertThat(line.get("outcome").asText()).isEqualTo("store");
        assertThat(line.get("reason").asText()).isNotEmpty();
        assertThat(line.get("row_count").asLong()).isEqualTo(1);
        assertThat(line.get("byte_count").asLong()).isGreaterThan(50);
        assertThat(line.get("error").asInt()).isZero();
        atLeast(line, "store_us", 250);
        isSum(line);
        assertThat(one(
                        client,
                        "SELECT COUNT(*) FROM keyline.slow WHERE outcome = 'store' AND row_count = 1 AND store_us >= 250000"
                                + " AND user = '" + MariaDb.USER + "' AND reason = '"
                                + line.get("reason").asText()
                                + "' AND id = " + line.get("id").asInt()))
                .isEqualTo("1");
        assertThat(one(client, "SELECT COUNT(*) FROM keyline.slow WHERE text LIKE '%hidden%'"))
                .isEqualTo("0");
    }

    @Test
    void executionAndError_areTold() throws Exception {
        try (Connection prepares = DriverManager.getConnection(gateway.jdbc("slowness") + "&useServerPrepStmts=true");
                PreparedStatement statement = prepares.prepareStatement(
                        "SELECT (SELECT id FROM items WHERE id > ?) FROM items WHERE SLEEP(0.3) = 0 AND id = 1")) {
            statement.setInt(1, 0);
            Assertions.assertThatThrownBy(statement::executeQuery).isInstanceOf(SQLException.class);
        }
        JsonNode line = line();
        assertThat(line.get("error").asInt()).isEqualTo(1242);
        assertThat(line.get("row_count").asInt()).isZero();
        atLeast(line, "store_us", 200);
    }

    @Test
    void readThatWaitsForALine_isToldAsALoad_andAHitNever() throws Exception {
        // The store has to consent to the statement, and the gateway must know the table's
        // definition.
        Lines.warm(client, "SELECT v FROM items WHERE id = 2");
        run(straight, "LOCK TABLES slowness.items WRITE");
        CompletableFuture<String> read = CompletableFuture.supplyAsync(() -> {
            try {
                return one(client, "SELECT v FROM items WHERE id = 1");
            } catch (SQLException e) {
                throw new CompletionException(e);
            }
        });
        try (Connection other = STORE.connect("")) {
            soon("a load that waits for the lock")
                    .until(() -> one(
                                    other,
                                    "SELECT COUNT(*) FROM information_schema.processlist WHERE state LIKE 'Waiting for table%'")
                            .equals("1"));
            one(other, "SELECT SLEEP(0.3)");
        }
        run(straight, "UNLOCK TABLES");
        assertThat(read.get(1, TimeUnit.MINUTES)).isEqualTo("one");
        assertThat(Lines.source(client)).isEqualTo("load");
        JsonNode line = line();
        assertThat(line.get("outcome").asText()).isEqualTo("load");
        assertThat(line.get("reason").asText()).isEmpty();
        assertThat(line.get("row_count").asInt()).isEqualTo(1);
        assertThat(line.get("byte_count").asInt()).isGreaterThan(30);
        atLeast(line, "load_us", 300);
        isSum(line);
        run(client, "KEYLINE SET log.slow.threshold = '0s'");
        Lines.warm(client, "SELECT v FROM items WHERE id = 1");
        String count = "SELECT COUNT(*) FROM keyline.slow WHERE outcome <> 'store'";
        String before = one(client, count);
        for (int i = 0; i < 200; i++) {
            one(client, "SELECT v FROM items WHERE id = 1");
            assertThat(Lines.source(client)).isEqualTo("line");
        }
        assertThat(one(client, count)).isEqualTo(before);
    }

    @Test
    void clientThatDoesNotTakeItsReply_isWhereTheTimeWent() throws Exception {
        try (Connection lazy = DriverManager.getConnection(gateway.jdbc("slowness") + "&tcpRcvBuf=65536");
                Statement sql = lazy.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY)) {
            sql.setFetchSize(Integer.MIN_VALUE);
            try (ResultSet rows = sql.executeQuery("SELECT REPEAT('x', 100000) FROM seq_1_to_1000")) {
                assertThat(rows.next()).isTrue();
                one(straight, "SELECT SLEEP(0.5)");
                int read = 1;
                while (rows.next()) {
                    read++;
                }
                assertThat(read).isEqualTo(1_000);
            }
        }
        JsonNode line = line();
        atLeast(line, "write_us", 250);
        isSum(line);
        assertThat(line.get("row_count").asInt()).isEqualTo(1_000);
        assertThat(line.get("byte_count").asLong()).isGreaterThan(100_000_000);
    }

    @Test
    void threshold_off_tellsNothing() throws Exception {
        run(client, "KEYLINE SET log.slow.threshold = 'off'");
        run(client, "SELECT SLEEP(0.25)");
        assertThat(one(client, "SELECT COUNT(*) FROM keyline.slow")).isEqualTo("0");
        run(client, "KEYLINE SET log.slow.threshold = DEFAULT");
        run(client, "SELECT SLEEP(0.25)");
        assertThat(one(client, "SELECT COUNT(*) FROM keyline.slow")).isEqualTo("1");
        assertThat(line().get("text").asText()).contains("SLEEP");
    }
}
