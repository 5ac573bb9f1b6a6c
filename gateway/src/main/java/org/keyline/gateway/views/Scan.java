package org.keyline.gateway.views;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a plain read of a view asks for. Immutable.
 *
 * @param picked places of the columns that are told
 * @param labels of them
 * @param exact whether the embedded store would tell the same, if {@link #comparesExactly} as well
 */
record Scan(
        View view,
        List<Integer> picked,
        List<String> labels,
        List<Condition> conditions,
        List<Order> orders,
        long limit,
        boolean exact) {
    private List<ViewResult.Picked> columns() {
        List<ViewResult.Picked> columns = new ArrayList<>();
        for (int i = 0; i < picked.size(); i++) {
            columns.add(new ViewResult.Picked(view.name(), view.columns().get(picked.get(i)), labels.get(i)));
        }
        return columns;
    }

    ViewResult described() {
        return ViewResult.of(columns(), List.of(), false);
    }

    boolean comparesExactly(List<List<@Nullable Object>> rows) {
        return conditions.stream().allMatch(condition -> rows.stream().allMatch(condition::isExactFor));
    }

    ViewResult result(List<List<@Nullable Object>> rows, boolean binary) {
        List<List<@Nullable Object>> kept = new ArrayList<>();
        for (List<@Nullable Object> row : rows) {
            if (conditions.stream().allMatch(condition -> condition.holds(row))) {
                kept.add(row);
            }
        }
        orders.stream().map(Order::comparator).reduce(Comparator::thenComparing).ifPresent(kept::sort);
        List<List<@Nullable Object>> told = new ArrayList<>();
        for (List<@Nullable Object> row : kept.subList(0, (int) Math.min(kept.size(), limit))) {
            List<@Nullable Object> cells = new ArrayList<>();
            picked.forEach(column -> cells.add(row.get(column)));
            told.add(cells);
        }
        return ViewResult.of(columns(), told, binary);
    }

    /** How a cell compares with a value. */
    enum Operator {
        EQUAL("="),
        LESS("<"),
        AT_MOST("<="),
        GREATER(">"),
        AT_LEAST(">=");

        private final String symbol;

        Operator(String symbol) {
            this.symbol = symbol;
        }

        String symbol() {
            return symbol;
        }

        private boolean holds(int comparison) {
            return switch (this) {
                case EQUAL -> comparison == 0;
                case LESS -> comparison < 0;
                case AT_MOST -> comparison <= 0;
                case GREATER -> comparison > 0;
                case AT_LEAST -> comparison >= 0;
            };
        }
    }

    /** A condition on the cell at a place; a placeholder that has no value yet is an empty text. */
    record Condition(int column, Operator operator, String value) {
        boolean holds(List<@Nullable Object> row) {
            Object cell = row.get(column);
            if (cell == null) {
                return false;
            }
            if (cell instanceof String text) {
                // As MySQL compares text by default: whatever the letter case, and spaces at the end.
                return withoutSpaces(text).equalsIgnoreCase(withoutSpaces(value));
            }
            try {
                return operator.holds(new BigDecimal(cell.toString()).compareTo(new BigDecimal(value)));
            } catch (NumberFormatException noNumber) {
                return false;
            }
        }

        private static String withoutSpaces(String text) {
            int end = text.length();
            while (end > 0 && text.charAt(end - 1) == ' ') {
                end--;
            }
            return text.substring(0, end);
        }

        /** The embedded store tells letter cases and spaces at the end apart: whether that makes no difference here. */
        boolean isExactFor(List<@Nullable Object> row) {
            return !(row.get(column) instanceof String text) || text.equals(value) == holds(row);
        }
    }

    /** A column to sort by. */
    record Order(int column, boolean descending) {
        Comparator<List<@Nullable Object>> comparator() {
            Comparator<List<@Nullable Object>> ascending = (one, other) -> compare(one.get(column), other.get(column));
            return descending ? ascending.reversed() : ascending;
        }

        /** NULL comes first. */
        private static int compare(@Nullable Object one, @Nullable Object other) {
            if (one == null || other == null) {
                return Boolean.compare(one != null, other != null);
            }
            if (one instanceof Long whole && other instanceof Long than) {
                return Long.compare(whole, than);
            }
            if (one instanceof Double number && other instanceof Double than) {
                return Double.compare(number, than);
            }
            return String.CASE_INSENSITIVE_ORDER.compare(one.toString(), other.toString());
        }
    }
}
