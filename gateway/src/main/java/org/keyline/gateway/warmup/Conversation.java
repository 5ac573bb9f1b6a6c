package org.keyline.gateway.warmup;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/** What one client says, over and over: reads, writes and what comes between them, as text and as prepared statements. */
final class Conversation implements AutoCloseable {
    /** Rows that are read again and again: few, so that most reads are hits from the first second on. */
    private static final int HOT = 8;
    /** So many conversations have statements that are planned anew: planning takes longer than all else that a conversation does. */
    private static final int NEW_SHAPES = 400;
    /** Of so many conversations one writes, and another one has a new statement. */
    private static final int WRITES = 4;

    /** A statement with its values for a number. */
    private record Said(String sql, LongFunction<List<Object>> values) {
        static Said ofNumbers(String sql, int count) {
            return new Said(sql, number -> {
                List<Object> values = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    values.add(number + i);
                }
                return values;
            });
        }

        static Said ofPart(String sql) {
            return new Said(sql, number -> List.of(number, number % CannedTable.PARTS_ROWS));
        }

        static Said ofUser(String sql) {
            return new Said(sql, number -> List.of("user" + number));
        }

        String text(long number) {
            StringBuilder text = new StringBuilder(sql);
            for (Object value : values.apply(number)) {
                int place = text.indexOf("?");
                text.replace(place, place + 1, value instanceof Long ? value.toString() : "'" + value + "'");
            }
            return text.toString();
        }
    }

    private static final List<Said> READS = List.of(
            Said.ofNumbers("SELECT name, note FROM items WHERE id = ?", 1),
            Said.ofNumbers("SELECT * FROM items WHERE id = ?", 1),
            Said.ofUser("SELECT * FROM users WHERE name = ?"),
            Said.ofUser("SELECT field0, field3 FROM users WHERE name = ?"),
            Said.ofNumbers("SELECT stock FROM items WHERE id IN (?, ?, ?)", 3),
            Said.ofNumbers("SELECT part, stock FROM parts WHERE item = ? ORDER BY part", 1),
            Said.ofPart("SELECT * FROM parts WHERE item = ? AND part = ?"),
            Said.ofPart("SELECT part, note FROM parts WHERE item = ? AND part > ? ORDER BY part LIMIT 3"),
            Said.ofNumbers("SELECT COUNT(*) FROM parts WHERE item = ?", 1));

    private static final List<Said> FORWARDS = List.of(
            Said.ofNumbers("UPDATE items SET stock = ? WHERE id = ?", 2),
            new Said("UPDATE users SET field0 = ? WHERE name = ?", number -> List.of("y", "user" + number)),
            Said.ofNumbers("INSERT INTO items (id, stock, name) VALUES (?, ?, 'a')", 2),
            Said.ofPart("DELETE FROM parts WHERE item = ? AND part = ?"),
            Said.ofNumbers("SELECT name FROM items WHERE stock > ? FOR UPDATE", 1));

    private final WarmUpClient client;
    private final int[] prepared = new int[READS.size() + FORWARDS.size()];

    Conversation(WarmUpClient client) {
        this.client = client;
    }

    /** Says everything once. */
    void say(int turn) {
        long hot = turn % HOT;
        // Nobody has read this one yet.
        long cold = 1_000 + 2L * turn;
        for (int i = 0; i < READS.size(); i++) {
            Said read = READS.get(i);
            client.query(read.text(hot + i));
            execute(i, read, hot + i);
        }
        client.query(READS.get(turn % READS.size()).text(cold));
        execute(turn % READS.size(), READS.get(turn % READS.size()), cold + 1);
        client.queries(List.of(
                READS.get(1).text(hot), READS.get(2).text(hot + 1), READS.get(6).text(hot)));
        if (turn % WRITES == 0) {
            write(turn, hot);
        }
        if (turn % WRITES == 1 && turn < NEW_SHAPES) {
            client.query("SELECT name, stock AS stock" + turn + " FROM items WHERE id = " + hot);
        }
    }

    private void write(int turn, long hot) {
        for (int i = 0; i < FORWARDS.size(); i++) {
            Said forward = FORWARDS.get(i);
            client.query(forward.text(hot));
            execute(READS.size() + i, forward, hot);
        }
        if (turn % (2 * WRITES) == 0) {
            client.ping();
            client.query("SET NAMES utf8mb4");
            client.query("BEGIN");
            client.query(READS.get(0).text(hot));
            client.query(FORWARDS.get(0).text(hot));
            client.query("COMMIT");
        }
    }

    private void execute(int place, Said said, long number) {
        if (prepared[place] == 0) {
            prepared[place] = client.prepare(said.sql());
        }
        client.execute(prepared[place], said.values().apply(number));
    }

    @Override
    public void close() {
        client.close();
    }
}
