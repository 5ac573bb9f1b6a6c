package org.keyline.gateway.pipeline;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntPredicate;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.Lenenc;

/** Random commands of one session. For one thread. */
final class Commands {
    private static final int KEYS = 12;
    private static final byte[] NOTHING = {};

    /**
     * Statements to prepare, by their number of parameters; {@link #TEXTS} have a number and a
     * text.
     */
    private static final List<List<String>> PREPARED = List.of(
            List.of(
                    "SELECT 1",
                    "UPDATE cnt SET n = n + 1 WHERE id = 3",
                    "SELECT v FROM kv WHERE id = 2",
                    "SHOW WARNINGS"),
            List.of(
                    "SELECT v, s FROM kv WHERE id = ?",
                    "SELECT * FROM pair WHERE a = ? ORDER BY b",
                    "SELECT s FROM kv WHERE id = ? LIMIT 1",
                    "UPDATE cnt SET n = n + 1 WHERE id = ?",
                    "DELETE FROM kv WHERE id = ?",
                    "SELECT nothing FROM kv WHERE id = ?",
                    "SELECT COUNT(*) FROM kv WHERE v > ?"),
            List.of(
                    "SELECT t FROM pair WHERE a = ? AND b = ?",
                    "SELECT v FROM kv WHERE id IN (?, ?) ORDER BY id",
                    "UPDATE kv SET v = ? WHERE id = ?"));

    private static final List<String> TEXTS =
            List.of("REPLACE INTO kv (id, s, v) VALUES (?, ?, 1)", "SELECT id FROM kv WHERE id = ? AND s = ?");

    private static final List<String> ABOUT_THE_LAST = List.of(
            "SHOW WARNINGS",
            "SHOW WARNINGS",
            "SELECT FOUND_ROWS()",
            "SELECT FOUND_ROWS()",
            "SELECT ROW_COUNT()",
            "SELECT LAST_INSERT_ID()",
            "SHOW COUNT(*) WARNINGS",
            "SELECT @@warning_count, @@error_count",
            "SHOW ERRORS");

    private static final List<String> SETTINGS = List.of(
            "SET autocommit = 0",
            "SET autocommit = 1",
            "SET autocommit = 1",
            "SET NAMES utf8mb4",
            "SET NAMES latin1",
            "SET @a = 1",
            "SET @found = FOUND_ROWS()",
            "SELECT @found",
            "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
            "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
            "SET sql_select_limit = 2",
            "SET sql_select_limit = DEFAULT",
            "SET nothing = 1");

    private static final List<String> TRANSACTIONS = List.of(
            "BEGIN",
            "START TRANSACTION READ ONLY",
            "COMMIT",
            "COMMIT",
            "COMMIT",
            "ROLLBACK",
            "ROLLBACK",
            "SAVEPOINT p",
            "ROLLBACK TO SAVEPOINT p");

    private static final List<String> ERRORS = List.of(
            "SELEC 1",
            "",
            "SELECT v FROM nowhere WHERE id = 1",
            "SELECT nothing FROM kv WHERE id = 1",
            "INSERT INTO cnt VALUES (1, 1)",
            "DROP TABLE IF EXISTS nowhere",
            "SELECT 'x' + 1",
            "INSERT INTO kv (id) VALUES ('abc')");

    private static final List<String> OWN = List.of(
            "KEYLINE FLUSH ALL",
            "KEYLINE FLUSH ALL",
            "KEYLINE LAST",
            "KEYLINE EXPLAIN SELECT v FROM kv WHERE id = 1",
            "KEYLINE FLUSH TABLE kv",
            "KEYLINE FLUSH ROWS kv WHERE id = 1",
            "SHOW STATUS LIKE 'keyline_plan%'",
            "SELECT @@keyline_max_staleness");

    private final Random random;
    /** The number of parameters of each statement; 3 for a number and a text. */
    private final List<Integer> prepared = new ArrayList<>();

    /**
     * The type with which each statement's numbers were last sent; none before the first execution.
     */
    private final Map<Integer, Integer> types = new HashMap<>();

    private final List<Integer> open = new ArrayList<>();
    private final List<Integer> fresh = new ArrayList<>();
    private int last = Command.NONE;
    private boolean unread = true;

    Commands(Random random) {
        this.random = random;
    }

    /**
     * Returns the next pipeline. The one after it can use the statements that it prepares.
     *
     * @param accepted returns whether the last pipeline's PREPARE of this number succeeded
     */
    List<Command> pipeline(int depth, IntPredicate accepted) {
        fresh.stream().filter(accepted::test).forEach(open::add);
        fresh.clear();
        List<Command> commands = new ArrayList<>();
        while (commands.size() < depth) {
            commands.add(next());
        }
        return commands;
    }

    private Command next() {
        if (unread) {
            // A read resets the traces of the gateway's own statements at the store, such as those
            // for a session's variables before its first read.
            unread = false;
            return Command.query("SELECT v, s FROM kv WHERE id = " + key());
        }
        int kind = random.nextInt(1000);
        if (kind < 330) {
            return Command.query(read());
        }
        if (kind < 430) {
            return Command.query(write());
        }
        if (kind < 560) {
            return Command.query(any(ABOUT_THE_LAST));
        }
        if (kind < 620) {
            return prepare();
        }
        if (kind < 780) {
            return execute();
        }
        if (kind < 800) {
            return statementCommand();
        }
        if (kind < 840) {
            return Command.query(any(TRANSACTIONS));
        }
        if (kind < 880) {
            String setting = any(SETTINGS);
            if (setting.startsWith("SET NAMES")) {
                // An execution without types would get error 1615 if lines answered all earlier
                // ones.
                types.clear();
            }
            // After an error that follows a read from lines, the store first counts that read,
            // which has no warnings.
            unread |= setting.contains("FOUND_ROWS()");
            return Command.query(setting);
        }
        if (kind < 905) {
            return Command.query(any(ERRORS));
        }
        if (kind < 935) {
            return Command.query(read() + "; " + write() + "; " + any(ABOUT_THE_LAST));
        }
        if (kind < 965) {
            String own = any(OWN);
            // Statements about a table make the gateway ask the store for its consent. Afterwards
            // the store's SHOW WARNINGS is about that statement.
            unread |= own.contains(" kv");
            return Command.toGateway(own);
        }
        if (kind < 980) {
            String schema = random.nextInt(4) == 0 ? PipelineIT.SCHEMA + "2" : PipelineIT.SCHEMA;
            return random.nextBoolean() ? Command.of(CommandCode.COM_INIT_DB, schema) : Command.query("USE " + schema);
        }
        if (kind < 985) {
            open.clear();
            fresh.clear();
            last = Command.NONE;
            unread = true;
            return Command.of(CommandCode.COM_RESET_CONNECTION, "");
        }
        return Command.of(random.nextInt(8) == 0 ? 0x55 : CommandCode.COM_PING, "");
    }

    private String read() {
        return switch (random.nextInt(8)) {
            case 0 -> "SELECT * FROM pair WHERE a = " + key() + " ORDER BY b";
            case 1 -> "SELECT t FROM pair WHERE a = " + key() + " AND b = " + key();
            case 2 -> "SELECT id, v FROM kv WHERE id IN (" + key() + ", " + key() + ", " + key() + ") ORDER BY id";
            case 3 -> "SELECT n FROM cnt WHERE id = " + key();
            case 4 -> "SELECT v FROM kv WHERE id = '" + key() + "'";
            case 5 -> "SELECT SQL_CALC_FOUND_ROWS v FROM kv WHERE v < 5 ORDER BY id LIMIT 1";
            default -> "SELECT v, s FROM kv WHERE id = " + key();
        };
    }

    private String write() {
        return switch (random.nextInt(7)) {
            case 0 -> "REPLACE INTO kv (id, v, s) VALUES (" + key() + ", " + random.nextInt(9) + ", 'r')";
            case 1 -> "DELETE FROM kv WHERE id = " + key();
            case 2 -> "INSERT INTO pair (a, b, t) VALUES (" + key() + ", " + key() + ", 't')";
            case 3 -> "DELETE FROM pair WHERE a = " + key();
            case 4 -> "UPDATE kv SET s = 'u', v = v + 1 WHERE id = " + key();
            default -> "UPDATE cnt SET n = n + 1 WHERE id = " + key();
        };
    }

    private Command prepare() {
        int values = random.nextInt(4);
        String sql = values == 3 ? any(TEXTS) : any(PREPARED.get(values));
        last = prepared.size();
        fresh.add(prepared.size());
        prepared.add(values);
        return Command.of(CommandCode.COM_STMT_PREPARE, sql);
    }

    private Command execute() {
        boolean named = last == Command.NONE || random.nextInt(4) > 0;
        if (named && open.isEmpty()) {
            return prepare();
        }
        int statement = named ? open.get(random.nextInt(open.size())) : last;
        boolean typed = !types.containsKey(statement) || random.nextInt(3) > 0;
        int drawn = random.nextBoolean() ? ColumnType.LONGLONG : ColumnType.LONG;
        int type = typed ? drawn : types.getOrDefault(statement, drawn);
        types.put(statement, type);
        return Command.on(
                CommandCode.COM_STMT_EXECUTE,
                named ? statement : Command.LAST,
                values(prepared.get(statement), type, typed));
    }

    private byte[] values(int kind, int type, boolean typed) {
        ByteBuf out = Unpooled.buffer();
        out.writeByte(0).writeIntLE(1);
        int numbers = kind == 3 ? 1 : kind;
        if (kind > 0) {
            out.writeByte(0).writeByte(typed ? 1 : 0);
            for (int i = 0; i < numbers && typed; i++) {
                out.writeShortLE(type);
            }
            if (kind == 3 && typed) {
                out.writeShortLE(ColumnType.VAR_STRING);
            }
            for (int i = 0; i < numbers; i++) {
                if (type == ColumnType.LONG) {
                    out.writeIntLE(key());
                } else {
                    out.writeLongLE(key());
                }
            }
            if (kind == 3) {
                Lenenc.writeString(out, "text");
            }
        }
        return ByteBufUtil.getBytes(out);
    }

    private Command statementCommand() {
        if (open.isEmpty()) {
            return prepare();
        }
        int at = random.nextInt(open.size());
        int statement = open.get(at);
        switch (random.nextInt(3)) {
            case 0 -> {
                if (statement == last) {
                    last = Command.NONE;
                }
                open.remove(at);
                return Command.on(CommandCode.COM_STMT_CLOSE, statement, NOTHING);
            }
            case 1 -> {
                return Command.on(CommandCode.COM_STMT_RESET, statement, NOTHING);
            }
            default -> {
                if (prepared.get(statement) != 3) {
                    return Command.on(CommandCode.COM_STMT_RESET, statement, NOTHING);
                }
                // The store may have to prepare the statement first. Afterwards SHOW WARNINGS is
                // about that.
                unread = true;
                byte[] data = "\1\0long".getBytes(StandardCharsets.ISO_8859_1);
                return Command.on(CommandCode.COM_STMT_SEND_LONG_DATA, statement, data);
            }
        }
    }

    private int key() {
        return random.nextInt(KEYS);
    }

    private String any(List<String> texts) {
        return texts.get(random.nextInt(texts.size()));
    }
}
