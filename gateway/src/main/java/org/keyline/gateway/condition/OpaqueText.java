package org.keyline.gateway.condition;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.SlotValues;
import org.keyline.planner.OpaqueCondition;
import org.keyline.planner.OpaqueCondition.Value;
import org.keyline.planner.TableSchema;

/** Opaque conditions as SQL text with their values: what they are told apart by, and loaded with. Stateless. */
final class OpaqueText {
    /** Columns in whose character set every character has a place. */
    private static final String ALL_CHARACTERS = "utf8mb4_";

    private OpaqueText() {}

    /**
     * The text of a condition under a sql_mode in which a backslash escapes.
     *
     * @return null if it is not certain that the gateway's own session reads its values as the client's does
     */
    static @Nullable String of(OpaqueCondition condition, TableSchema table, SlotValues values) {
        StringBuilder text = new StringBuilder(condition.texts().get(0));
        boolean ascii = !condition.columns().stream().allMatch(column -> {
            String collation = table.columns().get(column).type().collation();
            return collation != null && collation.startsWith(ALL_CHARACTERS);
        });
        for (int i = 0; i < condition.values().size(); i++) {
            Value value = condition.values().get(i);
            SlotValues.Kind kind = values.kind(value.slot());
            if (kind != (value.text() ? SlotValues.Kind.TEXT : SlotValues.Kind.INTEGER)) {
                return null;
            }
            if (value.text()) {
                if (!appendText(value.slot(), values, ascii, text)) {
                    return null;
                }
            } else {
                text.append(values.integer(value.slot()));
            }
            text.append(condition.texts().get(i + 1));
        }
        return text.toString();
    }

    /**
     * A text that its column's character set has is compared by the column's collation. Any other one would be by the session's own
     * collation_connection.
     */
    private static boolean appendText(int slot, SlotValues values, boolean ascii, StringBuilder text) {
        int from = values.offset(slot);
        byte[] bytes = Arrays.copyOfRange(values.bytes(slot), from, from + values.length(slot));
        String value = new String(bytes, StandardCharsets.UTF_8);
        boolean certain = Arrays.equals(bytes, value.getBytes(StandardCharsets.UTF_8))
                && value.chars().allMatch(at -> at >= ' ' && at != 0x7F && (!ascii || at < 0x7F));
        text.append('\'').append(value.replace("\\", "\\\\").replace("'", "''")).append('\'');
        return certain;
    }
}
