package org.keyline.gateway.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;
import static org.keyline.gateway.fixtures.Lines.status;
import static org.keyline.gateway.tier.TierGateways.awaitLine;
import static org.keyline.gateway.tier.TierGateways.read;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RedisServer;

/**
 * A write through one gateway is read through another one, whose lines live longer than the
 * staleness because the others confirm freshness.
 */
final class TierIT {

    private static RedisServer redis;
    private static TierGateways gateways;
    private Connection writer;
    private Connection reader;

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(RedisServer.isInstalled(), "there is no redis-server");
        MariaDb store = MariaDb.get("second");
        store.run(
                "DROP DATABASE IF EXISTS tier",
                "CREATE DATABASE tier",
                "USE tier",
                "CREATE TABLE numbers (id INT PRIMARY KEY, n INT)",
                "CREATE TABLE plain (id INT PRIMARY KEY, n INT) ENGINE = MyISAM",
                "CREATE TABLE late (id INT, n INT)",
                "INSERT INTO numbers VALUES (1, 10), (2, 20)",
                "INSERT INTO plain VALUES (1, 10), (2, 20)",
                "INSERT INTO late VALUES (1, 10)");
        redis = RedisServer.start();
        gateways = new TierGateways(store, redis, "http=127.0.0.1:0");
    }

    @AfterAll
    static void stop() throws Exception {
        if (gateways != null) {
            gateways.close();
            redis.close();
        }
    }

    @BeforeEach
    void connect() throws SQLException {
        writer = gateways.connect(0, "tier");
        reader = gateways.connect(1, "tier");
    }

    @AfterEach
    void disconnect() throws SQLException {
        writer.close();
        reader.close();
    }

    private void sees(String sql, String answer) {
        soon("the other gateways").until(() -> read(reader, sql).equals(answer));
    }

    @Test
    void write_ofARow_isReadElsewhere_andLinesOfOtherRowsStay() throws SQLException {
        run(writer, "UPDATE numbers SET n = 10 WHERE id = 1");
        awaitLine(reader, "SELECT n FROM numbers WHERE id = 1", "10");
        awaitLine(reader, "SELECT n FROM numbers WHERE id = 2", "20");
        long loads = status(reader, "keyline_loads");
        run(writer, "UPDATE numbers SET n = 11 WHERE id = 1");
        sees("SELECT n FROM numbers WHERE id = 1", "11");
        awaitLine(reader, "SELECT n FROM numbers WHERE id = 1", "11");
        awaitLine(reader, "SELECT n FROM numbers WHERE id = 2", "20");
        assertThat(status(reader, "keyline_loads") - loads)
                .as("the written row was loaded anew, and no other")
                .isLessThanOrEqualTo(1);
    }

    @Test
    void page_isToldOfTheOtherGateways() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateways.http(1) + "/events"))
                .build();
        try (Stream<String> events = HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofLines())
                .body()) {
            ObjectMapper json = new ObjectMapper();
            Iterator<String> figures = events.filter(line -> line.startsWith("data: "))
                    .map(line -> line.substring("data: ".length()))
                    .iterator();
            soon("the other gateways").until(() -> {
                JsonNode members = json.readTree(figures.next()).get("members");
                assertThat(members.findValuesAsText("member")).containsExactlyInAnyOrder("a", "c");
                return members.findValues("linked").stream().allMatch(linked -> linked.asInt() == 1)
                        && members.findValues("freshness_lag_ms").stream().allMatch(vouched -> vouched.isNumber());
            });
        }
    }

    /** Its writes are visible at once, whether or not the transaction commits. */
    @Test
    void write_toATableWithoutTransactionsInAnOpenTransaction_isReadElsewhere() throws SQLException {
        run(writer, "UPDATE plain SET n = 10 WHERE id = 1");
        awaitLine(reader, "SELECT n FROM plain WHERE id = 1", "10");
        writer.setAutoCommit(false);
        run(writer, "UPDATE numbers SET n = n WHERE id = 9", "UPDATE plain SET n = 11 WHERE id = 1");
        sees("SELECT n FROM plain WHERE id = 1", "11");
        writer.rollback();
    }

    /** The client has the reply to the first statement while the second one runs. */
    @Test
    void write_asTheFirstOfSeveralStatements_isReadElsewhereBeforeTheLastEnds() throws Exception {
        run(writer, "UPDATE plain SET n = 20 WHERE id = 2");
        awaitLine(reader, "SELECT n FROM plain WHERE id = 2", "20");
        try (Connection several = DriverManager.getConnection(
                        writer.getMetaData().getURL() + "&allowMultiQueries=true", MariaDb.USER, MariaDb.PASSWORD);
                Connection straight = gateways.store.connect("tier")) {
            run(straight, "SELECT GET_LOCK('tier', 0)");
            CompletableFuture<Void> both = CompletableFuture.runAsync(() -> {
                try {
                    run(several, "UPDATE plain SET n = 21 WHERE id = 2; SELECT GET_LOCK('tier', 60)");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            sees("SELECT n FROM plain WHERE id = 2", "21");
            assertThat(both).isNotDone();
            run(straight, "SELECT RELEASE_LOCK('tier')");
            both.get();
        }
    }

    /**
     * Some statements end a transaction and begin the next one, which is open when they are
     * answered.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {"BEGIN", "START TRANSACTION READ ONLY", "COMMIT AND CHAIN", "COMMIT /* and then */ AND CHAIN"})
    void write_thatTheNextTransactionCommits_isReadElsewhereWhileThatIsOpen(String commits) throws Exception {
        run(writer, "UPDATE numbers SET n = 20 WHERE id = 2");
        awaitLine(reader, "SELECT n FROM numbers WHERE id = 2", "20");
        run(writer, "BEGIN", "UPDATE numbers SET n = 22 WHERE id = 2");
        awaitLine(reader, "SELECT n FROM numbers WHERE id = 2", "20");
        run(writer, commits);
        sees("SELECT n FROM numbers WHERE id = 2", "22");
        run(writer, "ROLLBACK");
        assertThat(read(reader, "SELECT n FROM numbers WHERE id = 2")).isEqualTo("22");
        run(writer, "UPDATE numbers SET n = 20 WHERE id = 2");
    }

    /** The writer's gateway does not know that the table now has a key. */
    @Test
    void write_toATableThatHasLinesElsewhereOnly_isReadThere() throws Exception {
        assertThat(read(writer, "SELECT n FROM late WHERE id = 1")).isEqualTo("10");
        try (Connection straight = gateways.store.connect("tier")) {
            run(straight, "ALTER TABLE late ADD PRIMARY KEY (id)");
        }
        gateways.stop(1);
        gateways.startAgain(1);
        reader.close();
        reader = gateways.connect(1, "tier");
        awaitLine(reader, "SELECT n FROM late WHERE id = 1", "10");
        run(writer, "UPDATE late SET n = 11 WHERE id = 1");
        sees("SELECT n FROM late WHERE id = 1", "11");
    }

    @Test
    void keylineFlush_reachesAllGateways() throws Exception {
        run(writer, "UPDATE numbers SET n = 10 WHERE id = 1");
        awaitLine(reader, "SELECT n FROM numbers WHERE id = 1", "10");
        try (Connection straight = gateways.store.connect("tier")) {
            for (String flush : new String[] {
                "KEYLINE FLUSH ALL", "KEYLINE FLUSH TABLE tier.numbers", "KEYLINE FLUSH ROWS tier.numbers WHERE id = 1"
            }) {
                run(straight, "UPDATE numbers SET n = n + 1 WHERE id = 1");
                String now = read(straight, "SELECT n FROM numbers WHERE id = 1");
                run(writer, flush);
                sees("SELECT n FROM numbers WHERE id = 1", now);
                awaitLine(reader, "SELECT n FROM numbers WHERE id = 1", now);
            }
        }
    }

    @Test
    void view_tellsWhatOthersVouchFor() throws SQLException {
        soon("the other gateways")
                .until(() -> read(
                                reader,
                                "SELECT COUNT(*) FROM keyline.tier WHERE member IN ('a', 'c') AND silent_ms < 200 AND freshness_lag_ms < 200 AND connected = 1")
                        .equals("2"));
        assertThat(status(reader, "keyline_tier_connected")).isEqualTo(1);
    }

    @Test
    void keylineTier_isThatView() throws SQLException {
        try (Statement statement = reader.createStatement()) {
            assertThat(statement.execute("KEYLINE TIER")).isTrue();
            List<String> members = new ArrayList<>();
            try (ResultSet rows = statement.getResultSet()) {
                assertThat(rows.getMetaData().getColumnCount()).isEqualTo(9);
                while (rows.next()) {
                    members.add(rows.getString("member"));
                }
            }
            assertThat(members).containsExactlyInAnyOrder("a", "c");
        }
    }
}
