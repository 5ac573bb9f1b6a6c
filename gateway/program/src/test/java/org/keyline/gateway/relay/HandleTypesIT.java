package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.gateway.fixtures.RelayGateway;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.StatementArguments;

/**
 * Statement handles whose parameters change types: text, integers, exact and approximate numbers,
 * dates and times, NULL, and values sent before the execution. MySQL continues to compare by an
 * earlier type. Directly and through the gateway, the packets are the same, and so are the rows
 * after every write.
 *
 * <p>{@code -Dkeyline.handles.sessions=N} sets the number of sessions,
 * {@code -Dkeyline.handles.seed=N} the seed.
 */
class HandleTypesIT {
    private static final int SESSIONS = Integer.getInteger("keyline.handles.sessions", 25);
    private static final long SEED = Long.getLong("keyline.handles.seed", 1);
    private static final int EXECUTIONS = 10;

    private static final List<String> TEXTS = List.of("5", "05", "5.0", "x", "", "2024-01-01");
    private static final List<String> NUMBERS = List.of("0", "5", "77", "9007199254740992", "9007199254740993");
    /**
     * The number of keys that are distinct as doubles, too. Handles read no other keys: a handle
     * compares by the types of earlier executions at the store, which does not see those that lines
     * answer.
     */
    private static final int EXACT_AS_DOUBLE = 3;

    private static final List<String> EXACT = List.of("5.00", "5.01", "77.00");

    /** A table, and the literals of its keys. */
    private record Keyed(String table, String type, List<String> keys) {
        List<String> literals() {
            return type.startsWith("VARCHAR")
                    ? keys.stream().map(key -> "'" + key + "'").toList()
                    : keys;
        }
    }

    private static final List<Keyed> TABLES = List.of(
            new Keyed("texts", "VARCHAR(20) COLLATE utf8mb4_bin", TEXTS),
            new Keyed("wholes", "BIGINT", NUMBERS),
            new Keyed("unsigned_wholes", "BIGINT UNSIGNED", NUMBERS),
            new Keyed("exact", "DECIMAL(10, 2)", EXACT));

    @Test
    void handles_whoseParametersChangeTheirTypes_readAndWriteWhatTheStoreDoes() throws Exception {
        MariaDb first = MariaDb.get("first");
        ClientOptions options = ClientOptions.of("127.0.0.1", 1, MariaDb.USER)
                .password(MariaDb.PASSWORD)
                .retrievePublicKey(true)
                .build();
        Random random = new Random(SEED);
        int lines = 0;
        int replies = 0;
        try (RelayGateway gateway = RelayGateway.start(MariaDb.get("second"))) {
            try (Twins twins = new Twins(first, gateway.port(), options)) {
                twins.query("DROP DATABASE IF EXISTS handles");
                twins.query("CREATE DATABASE handles CHARACTER SET utf8mb4");
                for (Keyed keyed : TABLES) {
                    twins.query("CREATE TABLE handles." + keyed.table() + " (k " + keyed.type()
                            + " PRIMARY KEY, v INT NOT NULL)");
                    for (String key : keyed.literals()) {
                        twins.query("INSERT INTO handles." + keyed.table() + " VALUES (" + key + ", 1)");
                    }
                }
            }
            for (int session = 0; session < SESSIONS; session++) {
                try (Twins twins = new Twins(first, gateway.port(), options)) {
                    Keyed keyed = TABLES.get(random.nextInt(TABLES.size()));
                    String table = "handles." + keyed.table();
                    boolean writes = random.nextBoolean();
                    Twins.Statement handle = twins.prepare(
                            writes
                                    ? "UPDATE " + table + " SET v = v + 100 WHERE k = ?"
                                    : "SELECT k, v FROM " + table + " WHERE k = ?");
                    for (int i = 0; i < EXECUTIONS; i++) {
                        lines += readAll(twins, table, keyed.literals());
                        execute(twins, handle, random, writes ? NUMBERS : NUMBERS.subList(0, EXACT_AS_DOUBLE));
                    }
                    lines += readAll(twins, table, keyed.literals());
                    replies += twins.replies();
                }
            }
        }
        System.getLogger("keyline.handles")
                .log(System.Logger.Level.INFO, "{0} replies the same, {1} reads from lines", replies, lines);
        assertThat(lines).isGreaterThan(replies / 10);
    }

    private static int readAll(Twins twins, String table, List<String> keys) throws Exception {
        int lines = 0;
        for (String key : keys) {
            twins.query("SELECT v FROM " + table + " WHERE k = " + key);
            String last = String.join("", twins.throughOnly("KEYLINE LAST").packets());
            lines += last.contains(HexFormat.of().formatHex("line".getBytes(StandardCharsets.US_ASCII))) ? 1 : 0;
        }
        return lines;
    }

    private static void execute(Twins twins, Twins.Statement handle, Random random, List<String> numbers)
            throws Exception {
        StatementArguments value = new StatementArguments();
        String text = TEXTS.get(random.nextInt(TEXTS.size()));
        long number = Long.parseLong(numbers.get(random.nextInt(numbers.size())));
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> value.addText(text);
            case 3, 4 -> value.addInt64(number);
            case 5 -> value.addUint64(number);
            case 6 -> value.add(ColumnType.LONG, new byte[] {77, 0, 0, 0});
            case 7 -> value.addFloat64((double) number);
            case 8 -> value.add(ColumnType.NEWDECIMAL, new byte[] {4, '5', '.', '0', '0'});
            case 9 -> value.add(ColumnType.DATETIME, new byte[] {4, (byte) 0xE8, 7, 1, 1});
            case 10 -> value.addNull();
            default -> {
                // Sent before an execution whose type is a number.
                twins.sendAhead(handle, Twins.longData(text));
                value.add(ColumnType.LONGLONG, new byte[0]);
            }
        }
        twins.execute(handle, value, ByteBufUtil.hexDump(encoded(value)));
    }

    private static byte[] encoded(StatementArguments value) {
        ByteBuf out = Unpooled.buffer();
        value.encode(out, 0);
        return ByteBufUtil.getBytes(out);
    }
}
