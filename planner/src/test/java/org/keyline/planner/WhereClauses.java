package org.keyline.planner;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Random conditions on table {@code d.c}: the text of each, and the rows that meet it. Their
 * operators bind as in MySQL's manual ("Operator Precedence"). Parentheses are added where
 * necessary, and sometimes elsewhere.
 */
final class WhereClauses {
    static final List<String> COLUMNS = List.of("k1", "k2", "k3", "v", "w");
    /** The values of cells and of literals. */
    static final int LOWEST = -1;

    static final int HIGHEST = 2;

    private static final int OR = 1;
    private static final int XOR = 2;
    private static final int AND = 3;
    private static final int NOT = 4;
    private static final int BETWEEN = 5;
    private static final int COMPARISON = 6;

    /**
     * @param binds the precedence; an operand with a lower one than its place requires has
     *     parentheses
     */
    record Clause(String text, int binds, Predicate<int[]> holds) {}

    private final SplittableRandom random;

    WhereClauses(SplittableRandom random) {
        this.random = random;
    }

    /** Returns mostly {@link #conjuncts}, otherwise any clause. */
    Clause clause() {
        if (random.nextInt(4) == 0) {
            return any(3);
        }
        return conjuncts();
    }

    /** Returns conjuncts, most of which bind columns of the key. */
    Clause conjuncts() {
        List<Clause> conjuncts = new ArrayList<>();
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            conjuncts.add(random.nextInt(4) == 0 ? any(2) : random.nextInt(6) == 0 ? any(1) : comparison(3));
        }
        return joined(conjuncts, AND);
    }

    private Clause any(int depth) {
        if (depth == 0) {
            return comparison(COLUMNS.size());
        }
        return switch (random.nextInt(8)) {
            case 0, 1 -> joined(some(depth), AND);
            case 2, 3, 4 -> joined(some(depth), OR);
            case 5 -> joined(List.of(any(depth - 1), any(depth - 1)), XOR);
            case 6 -> {
                Clause inner = any(depth - 1);
                yield new Clause("NOT " + within(inner, NOT), NOT, inner.holds.negate());
            }
            default -> comparison(COLUMNS.size());
        };
    }

    private List<Clause> some(int depth) {
        List<Clause> some = new ArrayList<>();
        for (int i = 2 + random.nextInt(2); i > 0; i--) {
            some.add(any(depth - 1));
        }
        return some;
    }

    private Clause joined(List<Clause> operands, int operator) {
        String word = switch (operator) {
            case OR -> " OR ";
            case XOR -> " XOR ";
            default -> random.nextInt(12) == 0 ? " && " : " AND ";
        };
        // The operands of a chain may be chains of the same operator, which does not change the
        // result.
        String text = operands.stream().map(each -> within(each, operator)).collect(Collectors.joining(word));
        Predicate<int[]> holds = operands.get(0).holds;
        for (Clause operand : operands.subList(1, operands.size())) {
            Predicate<int[]> left = holds;
            holds = switch (operator) {
                case OR -> left.or(operand.holds);
                case XOR -> row -> left.test(row) != operand.holds.test(row);
                default -> left.and(operand.holds);
            };
        }
        return new Clause(text, operands.size() == 1 ? operands.get(0).binds : operator, holds);
    }

    private String within(Clause clause, int operator) {
        boolean has = clause.binds < operator || random.nextInt(6) == 0;
        return has ? '(' + clause.text + ')' : clause.text;
    }

    /** Returns a comparison of one of the first columns, or of a row of key columns. */
    private Clause comparison(int columns) {
        if (random.nextInt(8) == 0) {
            return ofRow();
        }
        int column = random.nextInt(columns);
        String name = (random.nextInt(8) == 0 ? "c." : "") + COLUMNS.get(column);
        int value = value();
        switch (random.nextInt(10)) {
            case 0 -> {
                List<Integer> values = values();
                boolean not = random.nextInt(4) == 0;
                return new Clause(
                        name + (not ? " NOT IN " : " IN ") + list(values),
                        COMPARISON,
                        row -> values.contains(row[column]) != not);
            }
            case 1 -> {
                int high = value();
                boolean not = random.nextInt(4) == 0;
                return new Clause(
                        name + (not ? " NOT BETWEEN " : " BETWEEN ") + value + " AND " + high,
                        BETWEEN,
                        row -> (row[column] >= value && row[column] <= high) != not);
            }
            default -> {
                String operator = random.nextInt(3) > 0
                        ? "="
                        : List.of("<>", "<", "<=", ">", ">=", "<=>").get(random.nextInt(6));
                boolean first = random.nextInt(6) > 0;
                String text = first ? name + ' ' + operator + ' ' + value : value + " " + operator + ' ' + name;
                return new Clause(text, COMPARISON, row -> {
                    int sides = first ? Integer.compare(row[column], value) : Integer.compare(value, row[column]);
                    return holds(operator, sides);
                });
            }
        }
    }

    private Clause ofRow() {
        int from = random.nextInt(2);
        List<Integer> one = List.of(value(), value());
        List<Integer> other = List.of(value(), value());
        String names = '(' + COLUMNS.get(from) + ", " + COLUMNS.get(from + 1) + ')';
        if (random.nextInt(2) == 0) {
            return new Clause(
                    names + " IN (" + list(one) + ", " + list(other) + ')',
                    COMPARISON,
                    row -> compare(row, from, one) == 0 || compare(row, from, other) == 0);
        }
        String operator = List.of("=", "<", "<=", ">", ">=").get(random.nextInt(5));
        return new Clause(
                names + ' ' + operator + ' ' + list(one), COMPARISON, row -> holds(operator, compare(row, from, one)));
    }

    private static int compare(int[] row, int from, List<Integer> values) {
        int first = Integer.compare(row[from], values.get(0));
        return first == 0 ? Integer.compare(row[from + 1], values.get(1)) : first;
    }

    private static boolean holds(String operator, int sides) {
        return switch (operator) {
            case "=", "<=>" -> sides == 0;
            case "<>" -> sides != 0;
            case "<" -> sides < 0;
            case "<=" -> sides <= 0;
            case ">" -> sides > 0;
            default -> sides >= 0;
        };
    }

    private int value() {
        return random.nextInt(LOWEST, HIGHEST + 1);
    }

    private List<Integer> values() {
        List<Integer> values = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            values.add(value());
        }
        return values;
    }

    private static String list(List<Integer> values) {
        return values.stream().map(String::valueOf).collect(Collectors.joining(", ", "(", ")"));
    }

    /** Returns all possible rows. */
    static List<int[]> rows() {
        List<int[]> rows = new ArrayList<>();
        int[] row = new int[COLUMNS.size()];
        fill(row, 0, rows);
        return rows;
    }

    private static void fill(int[] row, int column, List<int[]> rows) {
        if (column == row.length) {
            rows.add(row.clone());
            return;
        }
        for (int value = LOWEST; value <= HIGHEST; value++) {
            row[column] = value;
            fill(row, column + 1, rows);
        }
    }
}
