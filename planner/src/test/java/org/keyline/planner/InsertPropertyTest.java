package org.keyline.planner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.keyline.planner.digest.Digester;

/**
 * What an INSERT closes, held against the rows that were put into its text: each row is under a key prefix that the effect names, and the
 * prefixes are as long as the values allow.
 */
final class InsertPropertyTest {
    private static final int STATEMENTS = 20_000;
    private static final List<String> KEY = List.of("k1", "k2", "k3");
    private static final List<String> COLUMNS = List.of("k1", "k2", "k3", "v", "w");
    private static final String[] VERBS = {
        "INSERT INTO", "INSERT", "INSERT IGNORE INTO", "INSERT LOW_PRIORITY INTO", "REPLACE INTO", "REPLACE"
    };
    private static final String[] NO_VALUES = {"NULL", "DEFAULT", "1+1", "(1)", "CONCAT(1,2)", "'a' 'b'", "-1-1"};
    private static final String[] TAILS = {
        "", "", " ON DUPLICATE KEY UPDATE v=VALUES(v)", " ON DUPLICATE KEY UPDATE w=5, v=w+6", " RETURNING k1"
    };
    private static final String[] TAILS_THAT_WRITE_KEYS = {
        " ON DUPLICATE KEY UPDATE k3=7", " ON DUPLICATE KEY UPDATE v=1, k1=k1+1", " ON DUPLICATE KEY UPDATE none=1"
    };

    /** A cell as it is written; the value is null where it is not one. */
    private record Cell(String text, @Nullable Long value) {}

    private static String any(SplittableRandom random, String... texts) {
        return texts[random.nextInt(texts.length)];
    }

    private static Cell cell(SplittableRandom random) {
        if (random.nextInt(6) == 0) {
            return new Cell(any(random, NO_VALUES), null);
        }
        long value = random.nextInt(-50, 1_000);
        return new Cell(value < 0 && random.nextBoolean() ? "- " + -value : String.valueOf(value), value);
    }

    /** The order in which a statement names its columns, in which some may lack; empty where it names none. */
    private static List<String> columns(SplittableRandom random) {
        if (random.nextInt(3) == 0) {
            return List.of();
        }
        List<String> columns = new ArrayList<>(COLUMNS);
        Collections.shuffle(columns, new Random(random.nextLong()));
        return columns.subList(0, 2 + random.nextInt(COLUMNS.size() - 1));
    }

    private static String spelled(SplittableRandom random, String column) {
        return any(random, column, "`" + column + "`", column.toUpperCase(Locale.ROOT), "c." + column);
    }

    /** The values of the first key columns, up to the first that is not given as one. */
    private static List<Long> prefix(List<String> columns, List<Cell> row) {
        List<Long> prefix = new ArrayList<>();
        for (String key : KEY) {
            int at = columns.indexOf(key);
            Long value = at < 0 ? null : row.get(at).value();
            if (value == null) {
                break;
            }
            prefix.add(value);
        }
        return prefix;
    }

    private static List<Long> values(List<KeyPart> prefix, Digester digester) {
        return prefix.stream()
                .map(part -> Long.parseLong(digester.slotText(part.slot())) * (part.negated() ? -1 : 1))
                .toList();
    }

    @Test
    void rows_areUnderThePrefixesOfTheEffect() {
        int[] named = new int[1];
        Seeds.forEach(1, STATEMENTS, random -> {
            List<String> listed = columns(random);
            List<String> columns = listed.isEmpty() ? COLUMNS : listed;
            List<List<Cell>> rows = new ArrayList<>();
            for (int count = 1 + random.nextInt(4); count > 0; count--) {
                rows.add(columns.stream().map(column -> cell(random)).toList());
            }
            boolean writesKeys = random.nextInt(8) == 0;
            String sql = any(random, VERBS)
                    + any(random, " c", " d.c", " `c`")
                    + text(random, listed, columns, rows)
                    + (writesKeys ? any(random, TAILS_THAT_WRITE_KEYS) : any(random, TAILS));
            named[0] += check(sql, columns, rows, writesKeys) ? 1 : 0;
        });
        // Were tables closed only, no prefix would be tested.
        assertThat(named[0]).isGreaterThan(STATEMENTS / 4);
    }

    private static String text(
            SplittableRandom random, List<String> listed, List<String> columns, List<List<Cell>> rows) {
        if (rows.size() == 1 && random.nextInt(4) == 0) {
            List<String> assignments = new ArrayList<>();
            for (int i = 0; i < columns.size(); i++) {
                assignments.add(spelled(random, columns.get(i))
                        + any(random, "=", " = ")
                        + rows.get(0).get(i).text());
            }
            return " SET " + String.join(", ", assignments);
        }
        String names = listed.isEmpty()
                ? ""
                : listed.stream()
                        .map(column -> spelled(random, column))
                        .collect(Collectors.joining(any(random, ",", " , "), " (", ")"));
        return names
                + any(random, " VALUES ", " VALUE", "\nvalues ")
                + rows.stream()
                        .map(row -> row.stream().map(Cell::text).collect(Collectors.joining(",", "(", ")")))
                        .collect(Collectors.joining(any(random, ",", ", ")));
    }

    /** Whether the effect names prefixes, which are then right. */
    private static boolean check(String sql, List<String> columns, List<List<Cell>> rows, boolean writesKeys) {
        Effect effect = ((Forward) Plans.plan(sql)).effect();
        List<List<Long>> keys = rows.stream().map(row -> prefix(columns, row)).toList();
        int length = keys.stream().mapToInt(List::size).min().orElse(0);
        if (writesKeys || length == 0) {
            assertThat(effect).as(sql).isEqualTo(new Effect.Tables(List.of(new TableName("d", "c"))));
            return false;
        }
        assertThat(effect).as(sql).isInstanceOf(Effect.Rows.class);
        Digester digester = Plans.digest(sql);
        assertThat(((Effect.Rows) effect).prefixes().stream().map(prefix -> values(prefix, digester)))
                .as(sql)
                .containsExactlyElementsOf(
                        keys.stream().map(key -> key.subList(0, length)).toList());
        return true;
    }
}
