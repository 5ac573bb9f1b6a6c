package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.gateway.fixtures.TextLines;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.StatementArguments;

/**
 * Random writes of rows that are in lines, straight and through a gateway whose lines are patched: every reply and every row read back, as
 * text and by a handle, is the same, packet by packet; rows read back come from lines that were patched.
 *
 * <p>{@code -Dkeyline.writeThrough.sessions=N} sets how many sessions, {@code -Dkeyline.writeThrough.seed=N} which.
 */
class WriteThroughIT {
    private static final int SESSIONS = Integer.getInteger("keyline.writeThrough.sessions", 6);
    private static final long SEED = Long.getLong("keyline.writeThrough.seed", 17);
    private static final int WRITES = 25;
    private static final int KEYS = 3;

    /** Tables, and what is special about each. */
    private static final List<String> TABLES = List.of(
            "plain",
            "plain",
            "plain",
            "plain",
            "plain",
            "plain",
            "plain",
            "derived",
            "stamped",
            "triggered",
            "parent",
            "counted",
            "pairs");

    private static final List<String> COLUMNS = List.of(
            "tiny", "utiny", "small", "medium", "num", "unum", "big", "ubig", "name", "body", "filled", "latin",
            "fixed", "exact", "choice");

    private static final List<String> VALUES = TextLines.of(WriteThroughIT.class, "WriteThroughIT.VALUES.txt");

    /** Columns of which new cells are certain, and values for them. */
    private static final List<String> FITTING =
            List.of("tiny", "utiny", "small", "medium", "num", "unum", "big", "ubig", "name", "body");

    private static final List<String> TEXTS = List.of("name", "body");
    private static final List<String> SMALL_NUMBERS = List.of("0", "1", "17", "99", "127");
    private static final List<String> SHORT_TEXTS =
            List.of("'a'", "'b  '", "'\u00e4\u20ac'", "'\ud83d\ude00'", "'it''s'", "' '");

    private static final List<String> MODES = List.of(
            "STRICT_TRANS_TABLES",
            "STRICT_TRANS_TABLES",
            "",
            "STRICT_ALL_TABLES,EMPTY_STRING_IS_NULL",
            "ANSI_QUOTES",
            "NO_BACKSLASH_ESCAPES",
            "PAD_CHAR_TO_FULL_LENGTH");

    private static MultiThreadIoEventLoopGroup loops;

    @BeforeAll
    static void start() {
        loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    }

    @AfterAll
    static void stop() {
        loops.shutdownGracefully().awaitUninterruptibly();
    }

    private static ClientOptions options(boolean foundRows) {
        return ClientOptions.of("127.0.0.1", 1, MariaDb.USER)
                .password(MariaDb.PASSWORD)
                .capabilities(ClientOptions.DEFAULT_CAPABILITIES | (foundRows ? Capabilities.CLIENT_FOUND_ROWS : 0))
                .retrievePublicKey(true)
                .build();
    }

    @Test
    void writes_ofRowsInLines_areReadBackAsTheStoreHasThem() throws Exception {
        Random random = new Random(SEED);
        int patched = 0;
        int fromPatched = 0;
        int replies = 0;
        try (RelayGateway gateway = RelayGateway.start(
                MariaDb.get("second"), "cache.writeThrough=exact", "cache.ttl=1h", "tables.through.pairs.prefix=1")) {
            try (Twins twins = new Twins(MariaDb.get("first"), gateway.port(), options(false), loops.next())) {
                define(twins);
                await().until(() -> String.join(
                                "",
                                twins.throughOnly("KEYLINE EXPLAIN SELECT * FROM through.plain WHERE id = 1")
                                        .packets())
                        .contains(hex("SHORT-CIRCUIT")));
            }
            for (int session = 0; session < SESSIONS; session++) {
                try (Twins twins =
                        new Twins(MariaDb.get("first"), gateway.port(), options(random.nextBoolean()), loops.next())) {
                    twins.query("SET sql_mode = '" + any(random, MODES) + "'");
                    for (int i = 0; i < WRITES; i++) {
                        String table = any(random, TABLES);
                        int key = random.nextInt(KEYS);
                        Twins.Statement handle = twins.prepare("SELECT * FROM through." + table + " WHERE id = ?");
                        read(twins, handle, table, key);
                        boolean within = random.nextInt(12) == 0;
                        if (within) {
                            twins.query("BEGIN");
                        }
                        write(twins, random, table, key);
                        boolean through = last(twins).contains(hex("patched lines"));
                        if (within) {
                            twins.query(random.nextBoolean() ? "COMMIT" : "ROLLBACK");
                        }
                        patched += through ? 1 : 0;
                        fromPatched += read(twins, handle, table, key) && through ? 1 : 0;
                    }
                    replies += twins.replies();
                }
            }
        }
        System.out.printf(
                "%d replies the same, %d writes patched lines, %d rows read back from these%n",
                replies, patched, fromPatched);
        assertThat(patched).isGreaterThan(SESSIONS * WRITES / 10);
        assertThat(fromPatched).isEqualTo(patched);
    }

    private static void define(Twins twins) throws Exception {
        String columns =
                " tiny TINYINT, utiny TINYINT UNSIGNED, small SMALLINT, medium MEDIUMINT, num INT NOT NULL DEFAULT 4,"
                        + " unum INT UNSIGNED, big BIGINT, ubig BIGINT UNSIGNED, name VARCHAR(8), body TEXT, filled INT(5) ZEROFILL,"
                        + " latin VARCHAR(8) CHARACTER SET latin1, fixed CHAR(8), exact DECIMAL(6, 2), choice ENUM('a', 'b')";
        twins.query("DROP DATABASE IF EXISTS through");
        twins.query("CREATE DATABASE through CHARACTER SET utf8mb4");
        twins.query("CREATE TABLE through.plain (id INT PRIMARY KEY," + columns + ")");
        twins.query(
                "CREATE TABLE through.derived (id INT PRIMARY KEY," + columns + ", more BIGINT AS (num + 1) STORED)");
        twins.query("CREATE TABLE through.stamped (id INT PRIMARY KEY," + columns
                + ", changes INT DEFAULT 0, at DATETIME(6) DEFAULT '2026-01-01' ON UPDATE CURRENT_TIMESTAMP(6))");
        twins.query("CREATE TABLE through.triggered (id INT PRIMARY KEY," + columns + ", changes INT DEFAULT 0)");
        twins.query("CREATE TABLE through.parent (id INT PRIMARY KEY," + columns + ", UNIQUE KEY (num))");
        twins.query("CREATE TABLE through.child (id INT PRIMARY KEY, num INT,"
                + " FOREIGN KEY (num) REFERENCES through.parent (num) ON UPDATE CASCADE)");
        twins.query("CREATE TABLE through.counted (id INT PRIMARY KEY," + columns + ") ENGINE = MyISAM");
        twins.query("CREATE TABLE through.pairs (id INT, b INT," + columns + ", PRIMARY KEY (id, b))");
        twins.query("CREATE TRIGGER through.counts BEFORE UPDATE ON through.triggered FOR EACH ROW"
                + " SET NEW.changes = OLD.changes + 1, NEW.name = UPPER(NEW.name)");
        for (int key = 0; key < KEYS; key++) {
            for (String table : List.of("plain", "derived", "stamped", "triggered", "parent", "counted")) {
                twins.query("INSERT INTO through." + table + " (id, num) VALUES (" + key + ", " + key + ")");
            }
            twins.query("INSERT INTO through.child VALUES (" + key + ", " + key + ")");
            twins.query("INSERT INTO through.pairs (id, b) VALUES (" + key + ", 1), (" + key + ", 2)");
        }
    }

    /** Reads a row as text and by a handle; whether all came from lines. */
    private static boolean read(Twins twins, Twins.Statement handle, String table, int key) throws Exception {
        // What ON UPDATE gives is not the same at both stores.
        boolean same = !table.equals("stamped");
        String sql = "SELECT * FROM through." + table + " WHERE id = " + key;
        boolean lines = true;
        for (int i = 0; i < 2; i++) {
            if (same) {
                twins.query(sql);
                lines &= last(twins).contains(hex("line"));
                StatementArguments value = new StatementArguments();
                value.addInt64(key);
                twins.execute(handle, value, ByteBufUtil.hexDump(encoded(value)));
                lines &= last(twins).contains(hex("line"));
            } else {
                twins.query(sql.replace("*", "id, num, name, at > '2026-01-01'"));
            }
        }
        return lines;
    }

    private static void write(Twins twins, Random random, String table, int key) throws Exception {
        if (random.nextInt(20) == 0) {
            String row = "(id, num) VALUES (" + key + ", " + random.nextInt(1000) + ")";
            switch (random.nextInt(3)) {
                case 0 -> twins.query("DELETE FROM through." + table + " WHERE id = " + key);
                case 1 -> twins.query("REPLACE INTO through." + table + " " + row);
                default ->
                    twins.query("INSERT INTO through." + table + " " + row + " ON DUPLICATE KEY UPDATE big = big + 1");
            }
            return;
        }
        String where = " WHERE id = " + key + (table.equals("pairs") && random.nextBoolean() ? " AND b = 1" : "")
                + any(random, List.of("", "", "", "", "", " AND num < 100", " OR id = 1", " LIMIT 1"));
        if (random.nextInt(3) == 0) {
            String column = any(random, random.nextBoolean() ? FITTING : COLUMNS);
            Twins.Statement update = twins.prepare("UPDATE through." + table + " SET " + column + " = ?" + where);
            StatementArguments value = new StatementArguments();
            switch (random.nextInt(4)) {
                case 0 ->
                    value.addText(
                            any(random, List.of("", "a", "b ", "\u00e4\ud83d\ude00", "12", "longer than it can hold")));
                case 1 -> value.addNull();
                case 2 -> value.addInt64(any(random, List.of(0L, -1L, 127L, 128L, 70_000L, Long.MAX_VALUE)));
                default -> value.addFloat64(random.nextInt(3) / 2.0);
            }
            twins.execute(update, value, ByteBufUtil.hexDump(encoded(value)));
            return;
        }
        StringBuilder sql =
                new StringBuilder(random.nextInt(12) == 0 ? "UPDATE IGNORE through." : "UPDATE through.").append(table);
        String next = " SET ";
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            boolean fits = random.nextInt(6) > 0;
            String column = fits ? any(random, FITTING) : any(random, COLUMNS);
            List<String> values = !fits ? VALUES : TEXTS.contains(column) ? SHORT_TEXTS : SMALL_NUMBERS;
            sql.append(next).append(column).append(" = ").append(any(random, values));
            next = ", ";
        }
        twins.query(sql + where);
    }

    private static <T> T any(Random random, List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    private static String last(Twins twins) throws Exception {
        return String.join("", twins.throughOnly("KEYLINE LAST").packets());
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] encoded(StatementArguments value) {
        ByteBuf out = Unpooled.buffer();
        value.encode(out, 0);
        return ByteBufUtil.getBytes(out);
    }
}
