package org.keyline.planner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.keyline.planner.Condition.Comparison;
import org.keyline.planner.WhereClauses.Clause;
import org.keyline.planner.digest.Digester;

/**
 * The plans of reads and the effects of writes with the same WHERE clause, compared with a model
 * that evaluates it for every possible row. A plan finds exactly the rows for which it is true, and
 * a write fences all rows for which it is true.
 */
@Tag("explores")
final class WherePropertyTest {
    private static final int CLAUSES = Integer.getInteger("keyline.where.clauses", 3_000);
    private static final List<int[]> ROWS = WhereClauses.rows();

    @Test
    void reads_findExactlyTheRows() {
        int[] members = new int[2];
        Seeds.forEach(1, CLAUSES, random -> {
            Clause clause = new WhereClauses(random).clause();
            String sql = "SELECT COUNT(*) FROM c WHERE " + clause.text();
            members[0] += check(sql, Plans.plan(sql), clause);
            members[1] += check(sql, Plans.planWithFilters(sql), clause);
        });
        // If all were forwarded, nothing would be tested.
        assertThat(members[0]).isGreaterThan(CLAUSES / 10);
        assertThat(members[1]).isGreaterThan(members[0]);
    }

    private static int check(String sql, Plan plan, Clause clause) {
        if (!(plan instanceof PointRead read)) {
            return 0;
        }
        Digester values = Plans.digest(sql);
        for (int[] row : ROWS) {
            boolean found = finds(read, row, values);
            if (found != clause.holds().test(row)) {
                throw new AssertionError(sql + " is read as " + Plans.text(plan) + ", which "
                        + (found ? "finds " : "does not find ") + List.of(row[0], row[1], row[2], row[3], row[4]));
            }
        }
        return 1;
    }

    private static boolean finds(PointRead read, int[] row, Digester values) {
        return read.ranges().stream().anyMatch(range -> within(range, row, values))
                && read.conditions().stream().allMatch(condition -> holds(condition, row, values));
    }

    /**
     * Rows are in key order, up or down, without ties, so a client cannot see that the store did
     * not sort them. If a plan has no order, ORDER BY has the same value for all rows, and LIMIT
     * removes none.
     */
    @Test
    void orders_areTheKeys() {
        int[] ordered = new int[1];
        Seeds.forEach(1, CLAUSES, random -> {
            Clause clause = new WhereClauses(random).conjuncts();
            List<int[]> table = table(random);
            List<Comparator<int[]>> orders = new ArrayList<>();
            StringBuilder sql = new StringBuilder("SELECT v, k3 FROM c WHERE ").append(clause.text());
            boolean ofKey = random.nextBoolean();
            boolean down = random.nextBoolean();
            int first = random.nextInt(3);
            for (int i = 0; i < (ofKey ? 3 - first : random.nextInt(4)); i++) {
                int column = ofKey ? first + i : random.nextInt(WhereClauses.COLUMNS.size());
                boolean descending = ofKey ? down : random.nextInt(4) == 0;
                Comparator<int[]> one = Comparator.comparingInt(row -> row[column]);
                sql.append(orders.isEmpty() ? " ORDER BY " : ", ")
                        .append(WhereClauses.COLUMNS.get(column))
                        .append(descending ? " DESC" : "");
                orders.add(descending ? one.reversed() : one);
            }
            boolean limited = random.nextInt(3) == 0;
            String text = sql.append(limited ? " LIMIT 2" : "").toString();
            if (Plans.plan(text) instanceof PointRead read) {
                Digester values = Plans.digest(text);
                List<int[]> found =
                        table.stream().filter(row -> finds(read, row, values)).toList();
                check(text, read, found, orders, limited);
                ordered[0] += read.order() == Order.NONE ? 0 : 1;
            }
        });
        assertThat(ordered[0]).isGreaterThan(CLAUSES / 50);
    }

    private static void check(
            String sql, PointRead read, List<int[]> found, List<Comparator<int[]>> orders, boolean limited) {
        if (found.size() < 2 || read.needsSingleRow()) {
            return;
        }
        assertThat(limited && read.order() == Order.NONE).as(sql).isFalse();
        for (int i = 1; i < found.size(); i++) {
            int sides = compare(found.get(i - 1), found.get(i), orders);
            boolean as = switch (read.order()) {
                case ASC -> sides < 0;
                case DESC -> sides > 0;
                case NONE -> sides == 0;
            };
            if (!as) {
                throw new AssertionError(sql + " is read as " + Plans.text(read) + ", which is another order");
            }
        }
    }

    private static int compare(int[] one, int[] other, List<Comparator<int[]>> orders) {
        for (Comparator<int[]> order : orders) {
            int sides = order.compare(one, other);
            if (sides != 0) {
                return sides;
            }
        }
        return 0;
    }

    /** Returns rows of all possible keys in key order, with some values each. */
    private static List<int[]> table(SplittableRandom random) {
        List<int[]> table = new ArrayList<>();
        for (int[] row : ROWS) {
            if (row[3] == WhereClauses.LOWEST && row[4] == WhereClauses.LOWEST) {
                int[] cells = row.clone();
                cells[3] = random.nextInt(WhereClauses.LOWEST, WhereClauses.HIGHEST + 1);
                cells[4] = random.nextInt(WhereClauses.LOWEST, WhereClauses.HIGHEST + 1);
                table.add(cells);
            }
        }
        return table;
    }

    @Test
    void writes_closeEveryRowThatTheyTouch() {
        int[] narrow = new int[1];
        Seeds.forEach(1, CLAUSES, random -> {
            Clause clause = new WhereClauses(random).clause();
            String sql = statement(random) + clause.text();
            Effect effect = ((Forward) Plans.plan(sql)).effect();
            if (effect instanceof Effect.Rows rows) {
                narrow[0]++;
                Digester values = Plans.digest(sql);
                for (int[] row : ROWS) {
                    boolean closed = rows.prefixes().stream().anyMatch(prefix -> starts(prefix, row, values));
                    if (clause.holds().test(row) && !closed) {
                        throw new AssertionError(sql + " closes " + Plans.text(effect) + ", which is without "
                                + List.of(row[0], row[1], row[2], row[3], row[4]));
                    }
                }
            } else {
                assertThat(Plans.text(effect)).as(sql).isEqualTo("d.c");
            }
        });
        assertThat(narrow[0]).isGreaterThan(CLAUSES / 10);
    }

    private static String statement(SplittableRandom random) {
        return random.nextBoolean() ? "DELETE FROM c WHERE " : "UPDATE c SET v = 7, w = w + 1 WHERE ";
    }

    private static boolean within(KeyRange range, int[] row, Digester values) {
        return starts(range.tuple(), row, values)
                && range.bounds().stream().allMatch(bound -> {
                    int sides = Integer.compare(row[bound.position()], value(bound.value(), values));
                    return sides == 0 ? bound.inclusive() : bound.lower() == (sides > 0);
                });
    }

    private static boolean starts(List<KeyPart> prefix, int[] row, Digester values) {
        for (int i = 0; i < prefix.size(); i++) {
            if (row[i] != value(prefix.get(i), values)) {
                return false;
            }
        }
        return true;
    }

    private static boolean holds(Condition condition, int[] row, Digester values) {
        int cell = row[condition.column()];
        return condition.alternatives().stream()
                .anyMatch(all -> all.stream().allMatch(comparison -> holds(comparison, cell, values)));
    }

    private static boolean holds(Comparison comparison, int cell, Digester values) {
        @Nullable KeyPart part = comparison.value();
        int sides = part == null ? 0 : Integer.compare(cell, value(part, values));
        return switch (comparison.operator()) {
            case EQUAL -> sides == 0;
            case NOT_EQUAL -> sides != 0;
            case BELOW -> sides < 0;
            case AT_MOST -> sides <= 0;
            case ABOVE -> sides > 0;
            case AT_LEAST -> sides >= 0;
            case NULL -> false;
            case NOT_NULL -> true;
        };
    }

    private static int value(KeyPart part, Digester values) {
        int value = Integer.parseInt(values.slotText(part.slot()));
        return part.negated() ? -value : value;
    }
}
