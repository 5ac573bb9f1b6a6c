package org.keyline.gateway.read;

import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import org.keyline.gateway.key.SlotValues;
import org.keyline.planner.Condition;
import org.keyline.planner.Condition.Comparison;
import org.keyline.planner.KeyBound;
import org.keyline.planner.KeyPart;
import org.keyline.planner.KeyRange;
import org.keyline.planner.PointRead;
import org.keyline.planner.TableSchema;

/** Describes reads as text for people, for example in KEYLINE EXPLAIN. */
final class ReadWords {
    private static final int MAX_SHOWN_KEYS = 3;

    private ReadWords() {}

    static String key(PointRead read, SlotValues values) {
        String shown = read.ranges().stream()
                .limit(MAX_SHOWN_KEYS)
                .map(range -> describe(read.table(), range, values))
                .collect(Collectors.joining("; "));
        int more = read.ranges().size() - MAX_SHOWN_KEYS;
        return more > 0 ? shown + "; and " + more + " more" : shown;
    }

    private static String describe(TableSchema table, KeyRange range, SlotValues values) {
        StringJoiner text = new StringJoiner(" AND ");
        for (int i = 0; i < range.tuple().size(); i++) {
            text.add(name(table, i) + " = " + text(range.tuple().get(i), values));
        }
        for (KeyBound bound : range.bounds()) {
            String comparison = (bound.lower() ? " >" : " <") + (bound.inclusive() ? "= " : " ");
            text.add(name(table, bound.position()) + comparison + text(bound.value(), values));
        }
        return text.length() == 0 ? "all rows" : text.toString();
    }

    /** Describes the conditions that do not bind the key; empty if the read has none. */
    static String conditions(PointRead read, SlotValues values) {
        return read.conditions().stream()
                .map(condition -> condition(read.table(), condition, values))
                .collect(Collectors.joining(" AND "));
    }

    /** Describes the conditions that only the store can evaluate; empty if there are none. */
    static String opaque(PointRead read, SlotValues values) {
        return read.opaque().stream()
                .map(condition -> {
                    StringBuilder text = new StringBuilder(condition.texts().get(0));
                    for (int i = 0; i < condition.values().size(); i++) {
                        KeyPart value = KeyPart.of(condition.values().get(i).slot());
                        text.append(text(value, values))
                                .append(condition.texts().get(i + 1));
                    }
                    return text.toString();
                })
                .collect(Collectors.joining(" AND "));
    }

    private static String condition(TableSchema table, Condition condition, SlotValues values) {
        String name = table.columns().get(condition.column()).name();
        String shown = condition.alternatives().stream()
                .limit(MAX_SHOWN_KEYS)
                .map(all -> all.stream()
                        .limit(MAX_SHOWN_KEYS)
                        .map(comparison -> name + comparison(comparison, values))
                        .collect(Collectors.joining(" AND ")))
                .collect(Collectors.joining(" OR "));
        int more = condition.alternatives().size() - MAX_SHOWN_KEYS;
        String all = more > 0 ? shown + " OR " + more + " more" : shown;
        return condition.alternatives().size() > 1 ? "(" + all + ")" : all;
    }

    private static String comparison(Comparison comparison, SlotValues values) {
        KeyPart value = comparison.value();
        String operator = switch (comparison.operator()) {
            case EQUAL -> " = ";
            case NOT_EQUAL -> " <> ";
            case BELOW -> " < ";
            case AT_MOST -> " <= ";
            case ABOVE -> " > ";
            case AT_LEAST -> " >= ";
            case NULL -> " IS NULL";
            case NOT_NULL -> " IS NOT NULL";
        };
        return value == null ? operator : operator + text(value, values);
    }

    private static String name(TableSchema table, int position) {
        return table.columns().get(table.keyColumns().get(position)).name();
    }

    private static String text(KeyPart part, SlotValues values) {
        int slot = part.slot();
        String sign = part.negated() ? "-" : "";
        return switch (values.kind(slot)) {
            case INTEGER, WHOLE_DOUBLE -> sign + values.integer(slot);
            case DECIMAL -> sign + bytes(slot, values);
            case TEXT, BYTES -> "'" + bytes(slot, values) + "'";
            case DATE, DATETIME, NULL, OTHER -> "?";
        };
    }

    private static String bytes(int slot, SlotValues values) {
        return new String(values.bytes(slot), values.offset(slot), values.length(slot), StandardCharsets.UTF_8);
    }
}
