package org.keyline.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.keyline.gateway.fixtures.Lines.soon;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Generated reads of several rows without an order, of tables with generated indexes. Whatever
 * index a MariaDB reads, a gateway with default settings answers the same packets, also from lines.
 *
 * <p>{@code -Dkeyline.orders.tables=N} sets the number of tables, {@code -Dkeyline.orders.seed=N}
 * the seed.
 */
class IndexOrderIT {
    private static final int TABLES = Integer.getInteger("keyline.orders.tables", 12);
    private static final long SEED = Long.getLong("keyline.orders.seed", 20_261_128);
    private static final int QUESTIONS = 20;
    private static final int ROUNDS = 3;
    private static final int ROWS = 300;
    private static final int VALUES = 6;

    private static final List<String> COLUMNS = List.of("k", "l", "a", "b", "c", "d");
    private static final List<String> PARTS = List.of("l", "a", "b", "c", "d", "d(2)", "a DESC", "k", "c DESC");

    @RegisterExtension
    static final TwinSessions SESSIONS = new TwinSessions();

    private final Random random = new Random(SEED);

    @Test
    void severalRowsWithoutAnOrder_comeAsTheStoreAnswersThem() throws Exception {
        try (Twins owner = SESSIONS.open()) {
            owner.run("DROP DATABASE IF EXISTS orders");
            owner.run("CREATE DATABASE orders CHARACTER SET utf8mb4");
            for (int table = 0; table < TABLES; table++) {
                owner.run("CREATE TABLE orders.t" + table + definition(table));
                owner.run("INSERT IGNORE INTO orders.t" + table + rows());
                owner.run("ANALYZE TABLE orders.t" + table);
            }
        }
        int hits = 0;
        int several = 0;
        try (Twins twins = SESSIONS.open().withAnyIndex()) {
            for (int table = 0; table < TABLES; table++) {
                String known = "KEYLINE EXPLAIN SELECT * FROM orders.t" + table + " WHERE k = 1 AND l = 1";
                soon(known).until(() -> twins.readable(known).contains("SHORT-CIRCUIT"));
                for (int i = 0; i < QUESTIONS; i++) {
                    String question = question(table);
                    for (int round = 0; round < ROUNDS; round++) {
                        twins.query(question);
                    }
                    String last = twins.readable("KEYLINE LAST");
                    hits += last.contains("filter line") ? 1 : 0;
                    several += last.contains("SEVERAL_ROWS") ? 1 : 0;
                }
            }
        }
        System.out.println(TABLES * QUESTIONS + " reads of several rows without an order: " + hits
                + " hits on filter lines, " + several + " whose order is an index's");
        // Without hits, the comparison would prove nothing; and not every order is the key's.
        assertThat(hits).isGreaterThan(TABLES * QUESTIONS / 8);
        assertThat(several).isPositive();
    }

    private String definition(int table) {
        StringBuilder sql = new StringBuilder("(k INT, l INT, a INT, b INT, c INT, d VARCHAR(20)"
                + " COLLATE utf8mb4_bin, e VARCHAR(90) DEFAULT 'eeeee', PRIMARY KEY (k, l)");
        for (int index = 0; index < table % 4; index++) {
            List<String> parts = new ArrayList<>();
            for (int part = 1 + random.nextInt(3); part > 0; part--) {
                String next = PARTS.get(random.nextInt(PARTS.size()));
                if (parts.stream().noneMatch(one -> one.charAt(0) == next.charAt(0))) {
                    parts.add(next);
                }
            }
            sql.append(", KEY i")
                    .append(index)
                    .append(" (")
                    .append(String.join(", ", parts))
                    .append(")");
        }
        return sql.append(")")
                .append(table % 5 == 4 ? " PARTITION BY HASH (k) PARTITIONS 3" : "")
                .toString();
    }

    private String rows() {
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            rows.add("(" + random.nextInt(60) + ", " + random.nextInt(9) + ", " + cell() + ", " + cell() + ", " + cell()
                    + ", 'dd" + cell() + "')");
        }
        return " (k, l, a, b, c, d) VALUES " + String.join(", ", rows);
    }

    private String cell() {
        return Integer.toString(random.nextInt(VALUES));
    }

    private String question(int table) {
        List<String> shown =
                COLUMNS.stream().filter(column -> random.nextInt(3) == 0).collect(Collectors.toList());
        String projection = shown.isEmpty() ? "*" : String.join(", ", shown);
        List<String> conditions = new ArrayList<>();
        List<String> columns = new ArrayList<>(COLUMNS.subList(1, COLUMNS.size()));
        for (int left = 1 + random.nextInt(2); left > 0; left--) {
            String column = columns.remove(random.nextInt(columns.size()));
            String quote = column.equals("d") ? "'dd" : "'";
            String value = column.equals("d") ? quote + cell() + "'" : cell();
            String other = column.equals("d") ? quote + cell() + "'" : cell();
            conditions.add(column + (random.nextInt(4) == 0 ? " IN (" + value + ", " + other + ")" : " = " + value));
        }
        String limit = random.nextInt(4) == 0 ? " LIMIT " + (1 + random.nextInt(9)) : "";
        return "SELECT " + projection + " FROM orders.t" + table + " WHERE " + String.join(" AND ", conditions) + limit;
    }
}
