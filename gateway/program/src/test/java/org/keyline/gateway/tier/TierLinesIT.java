package org.keyline.gateway.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.keyline.gateway.fixtures.Lines.run;
import static org.keyline.gateway.fixtures.Lines.soon;
import static org.keyline.gateway.fixtures.Lines.status;
import static org.keyline.gateway.tier.TierGateways.read;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RedisServer;

/** Lines that one gateway has loaded answer at another one, unless a write has made them old. */
final class TierLinesIT {

    private static RedisServer redis;
    private static TierGateways gateways;
    private Connection first;
    private Connection second;

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(RedisServer.isInstalled(), "there is no redis-server");
        MariaDb store = MariaDb.get("second");
        store.run(
                "DROP DATABASE IF EXISTS tierlines",
                "CREATE DATABASE tierlines",
                "USE tierlines",
                "CREATE TABLE numbers (id INT PRIMARY KEY, n INT, name VARCHAR(20))",
                "CREATE TABLE pairs (a INT, b VARBINARY(9), n INT, PRIMARY KEY (a, b))",
                "CREATE TABLE own (id INT PRIMARY KEY, n INT)",
                "INSERT INTO own SELECT seq, 10 * seq FROM seq_0_to_4999",
                "INSERT INTO numbers SELECT seq, 10 * seq, CONCAT('n', seq) FROM seq_0_to_4999",
                "INSERT INTO pairs SELECT seq, 'a\\0{b}', seq FROM seq_0_to_4999",
                "INSERT INTO pairs SELECT seq, 'b', 2 * seq FROM seq_0_to_4999");
        redis = RedisServer.start();
        gateways =
                new TierGateways(store, redis, "tables.tierlines.pairs.prefix=1", "tables.tierlines.own.tierUse=local");
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
        first = gateways.connect(0, "tierlines");
        second = gateways.connect(1, "tierlines");
    }

    @AfterEach
    void disconnect() throws SQLException {
        first.close();
        second.close();
    }

    private static String byId(int id) {
        return "SELECT n FROM numbers WHERE id = " + id;
    }

    private static String source(Connection client) throws SQLException {
        return read(client, "SELECT source FROM keyline.last");
    }

    /** A read of a row by a number in the statement. */
    private interface Read {
        String answer(Connection client, int id) throws SQLException;
    }

    /** Reads new rows at the second gateway until the tier answers one; returns its number. */
    private int awaitLent(Read read, int from) throws SQLException {
        // The first answers of a statement, and of a table in a row format, come from the store.
        for (Connection client : new Connection[] {first, second}) {
            soon("the other gateways").until(() -> {
                read.answer(client, 0);
                return source(client).equals("line");
            });
        }
        AtomicInteger id = new AtomicInteger(from);
        soon("the other gateways").until(() -> {
            String answer = read.answer(first, id.incrementAndGet());
            assertThat(read.answer(second, id.get())).isEqualTo(answer);
            return source(second).equals("tier");
        });
        return id.get();
    }

    /** Returns the number of statements that the store has answered. */
    private static long selects() throws SQLException {
        try (Connection straight = gateways.store.connect("tierlines")) {
            return Long.parseLong(read(
                    straight,
                    "SELECT CAST(variable_value AS SIGNED) FROM information_schema.global_status"
                            + " WHERE variable_name = 'COM_SELECT'"));
        }
    }

    @Test
    void misses_ofLinesThatAnotherGatewayLoaded_askNotTheStore() throws SQLException {
        int from = awaitLent((client, id) -> read(client, byId(id)), 0) + 1;
        int count = 50;
        for (int id = from; id < from + count; id++) {
            read(first, byId(id));
        }
        long loads = status(second, "keyline_loads");
        long hits = status(second, "keyline_tier_hits");
        long selects = selects();
        Map<String, Integer> answers = new TreeMap<>();
        for (int id = from; id < from + count; id++) {
            assertThat(read(second, byId(id))).isEqualTo(String.valueOf(10 * id));
            answers.merge(source(second), 1, Integer::sum);
        }
        long asked = selects() - selects;
        int lent = answers.getOrDefault("tier", 0);
        int loaded = answers.getOrDefault("load", 0);
        // A few reads are forwarded to measure the store. If the tier is late, the store answers.
        int forwarded = answers.getOrDefault("NOT_ADMITTED", 0);
        assertThat(lent + loaded + forwarded).as("answers by %s", answers).isEqualTo(count);
        assertThat(status(second, "keyline_loads") - loads).isEqualTo(lent + loaded);
        assertThat(status(second, "keyline_tier_hits") - hits).isEqualTo(lent);
        assertThat(lent).as("answers by %s", answers).isGreaterThan((count - forwarded) / 2);
        // In addition to these queries, and the gateways' own periodic ones.
        assertThat(asked).isLessThanOrEqualTo(loaded + forwarded + 5);
        // Lines live while the others confirm freshness, which on a busy machine they do not at
        // every moment.
        soon("the other gateways").until(() -> {
            assertThat(read(second, byId(from))).isEqualTo(String.valueOf(10 * from));
            return source(second).equals("line");
        });
    }

    @Test
    void lines_ofSeveralRows_andOfNone_areLent() throws SQLException {
        Read rows = (client, id) -> read(client, "SELECT n FROM pairs WHERE a = " + id + " AND b = 'b'");
        int id = awaitLent(rows, 0);
        assertThat(rows.answer(second, id)).isEqualTo(String.valueOf(2 * id));
        assertThat(read(second, "SELECT n FROM pairs WHERE a = " + id)).isEqualTo(String.valueOf(id));
        assertThat(rows.answer(second, awaitLent(rows, 5_000))).isEqualTo("none");
    }

    @Test
    void lines_ofPreparedStatements_areLent() throws SQLException {
        try (Connection one = DriverManager.getConnection(first.getMetaData().getURL() + "&useServerPrepStmts=true");
                Connection other =
                        DriverManager.getConnection(second.getMetaData().getURL() + "&useServerPrepStmts=true")) {
            first.close();
            second.close();
            first = one;
            second = other;
            int last = awaitLent(
                    (client, id) -> {
                        try (PreparedStatement statement =
                                client.prepareStatement("SELECT name FROM numbers WHERE id = ?")) {
                            statement.setInt(1, id);
                            try (ResultSet rows = statement.executeQuery()) {
                                return rows.next() ? rows.getString(1) : "none";
                            }
                        }
                    },
                    3_000);
            assertThat(last).isGreaterThan(3_000);
        }
    }

    /**
     * The tier returns its values from before the writes, to gateways without lines of these rows,
     * whose only evidence are the reported writes.
     */
    @Test
    void values_fromBeforeAWrite_thatComeBack_areNotUsed() throws Exception {
        int from = awaitLent((client, id) -> read(client, byId(id)), 1_000) + 1;
        int count = 20;
        for (int id = from; id <= from + count; id++) {
            read(first, byId(id));
        }
        redis.saveValues();
        long refused = status(second, "keyline_tier_refused");
        for (int id = from; id <= from + count; id++) {
            run(first, "UPDATE numbers SET n = -1 WHERE id = " + id);
            redis.putValuesBack();
            assertThat(read(first, byId(id)))
                    .as("through the gateway of the write")
                    .isEqualTo("-1");
        }
        // Writes are reported in order.
        soon("the other gateways").until(() -> read(second, byId(from + count)).equals("-1"));
        for (int id = from; id < from + count; id++) {
            redis.putValuesBack();
            assertThat(read(second, byId(id))).as("through another gateway").isEqualTo("-1");
        }
        assertThat(status(second, "keyline_tier_refused") - refused).isGreaterThan(count / 2);
    }

    @Test
    void values_ofAnotherDefinition_areNotUsed() throws Exception {
        int id = awaitLent((client, at) -> read(client, byId(at)), 2_000) + 1;
        read(first, byId(id));
        run(first, "ALTER TABLE numbers MODIFY n BIGINT");
        run(first, "UPDATE numbers SET n = 1 << 40 WHERE id = " + id);
        soon("the other gateways").until(() -> read(second, byId(id)).equals(String.valueOf(1L << 40)));
    }

    @Test
    void lines_ofATableThatIsNotLent_areTheGatewaysOwn() throws SQLException {
        // Reads in which the tier would be in time.
        int unused = awaitLent((client, id) -> read(client, byId(id)), 4_400);
        Read own = (client, id) -> read(client, "SELECT n FROM own WHERE id = " + id);
        for (Connection client : new Connection[] {first, second}) {
            soon("the other gateways").until(() -> {
                own.answer(client, 0);
                return source(client).equals("line");
            });
        }
        long puts = status(first, "keyline_tier_puts");
        long asked = status(second, "keyline_tier_misses") + status(second, "keyline_tier_hits");
        for (int id = 1; id < 30; id++) {
            assertThat(own.answer(first, id)).isEqualTo(String.valueOf(10 * id));
            assertThat(own.answer(second, id)).isEqualTo(String.valueOf(10 * id));
            assertThat(source(second)).isNotEqualTo("tier");
        }
        assertThat(status(first, "keyline_tier_puts")).isEqualTo(puts);
        assertThat(status(second, "keyline_tier_misses") + status(second, "keyline_tier_hits"))
                .isEqualTo(asked);
    }

    @Test
    void view_tellsOfLinesThatWereLent() throws SQLException {
        int unused = awaitLent((client, id) -> read(client, byId(id)), 4_000);
        assertThat(read(second, "SELECT hits FROM keyline.tier ORDER BY hits LIMIT 1"))
                .isNotEqualTo("0");
        assertThat(read(first, "SELECT puts FROM keyline.tier ORDER BY puts LIMIT 1"))
                .isNotEqualTo("0");
    }
}
