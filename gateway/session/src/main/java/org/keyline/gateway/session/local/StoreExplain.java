package org.keyline.gateway.session.local;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnType;
import org.keyline.planner.Order;
import org.keyline.planner.PointRead;

/** Answers EXPLAIN of a point read on the embedded store in Doris's format, with SHORT-CIRCUIT. */
final class StoreExplain {
    static final List<String> COLUMNS = List.of("Explain String");

    /** Name of the row of KEYLINE EXPLAIN that shows how Doris itself would execute the read. */
    static final String AT_THE_STORE = "at the store";

    private static final String ANSWER = "answer";

    private StoreExplain() {}

    /** @param received the result of KEYLINE EXPLAIN for the same statement */
    static List<List<@Nullable String>> of(PointRead read, List<List<@Nullable String>> received) {
        List<List<@Nullable String>> lines = new ArrayList<>();
        lines.add(List.of("PLAN FRAGMENT 0"));
        lines.add(List.of("  TABLE: " + read.table().name()));
        lines.add(List.of("  COLUMNS: "
                + read.projection().stream()
                        .map(ordinal -> ordinal == PointRead.ONE
                                ? "1"
                                : read.table().columns().get(ordinal).name())
                        .collect(Collectors.joining(", "))));
        if (isShortCircuit(read)) {
            lines.add(List.of("  SHORT-CIRCUIT"));
        }
        for (List<@Nullable String> row : received) {
            if (!ANSWER.equals(row.get(0)) && !AT_THE_STORE.equals(row.get(0))) {
                lines.add(List.of("  " + row.get(0) + ": " + row.get(1)));
            }
        }
        return lines;
    }

    /** Returns whether Doris itself would short-circuit the read if it was forwarded. */
    static boolean isShortCircuit(PointRead read) {
        Map<String, String> properties = read.table().properties();
        boolean rows = isTrue(properties, "store_row_column", "false")
                || !properties.getOrDefault("row_store_columns", "").isEmpty();
        return rows
                && isTrue(properties, "enable_unique_key_merge_on_write", "true")
                && isTrue(properties, "light_schema_change", "true")
                && read.fullKey()
                && read.ranges().size() == 1
                && !read.hasBounds()
                && read.conditions().isEmpty()
                && read.answer() == PointRead.Answer.ROWS
                && read.order() == Order.NONE
                && read.limit() == null
                && read.table().columns().stream()
                        .noneMatch(column -> column.type().kind() == ColumnType.Kind.VARIANT);
    }

    private static boolean isTrue(Map<String, String> properties, String name, String otherwise) {
        return properties.getOrDefault(name, otherwise).equalsIgnoreCase("true");
    }
}
