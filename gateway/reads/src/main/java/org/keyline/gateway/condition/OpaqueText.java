package org.keyline.gateway.condition;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.SlotValues;
import org.keyline.planner.OpaqueCondition;
import org.keyline.planner.OpaqueCondition.Value;
import org.keyline.planner.TableSchema;

/** Writes opaque conditions, which only the store can evaluate, as SQL text for loads. */
final class OpaqueText {
    /** Prefix of the collations whose character set has every character. */
    private static final String ALL_CHARACTERS = "utf8mb4_";

    private OpaqueText() {}

    /**
     * Returns the condition as SQL text, for a sql_mode in which a backslash escapes.
     *
     * @return null if the gateway's own session might read a value differently than the client's
     * session
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
     * Appends a string literal. Returns false if the comparison can depend on the session. If the
     * column's character set lacks a character of the text, the store compares by
     * collation_connection.
     */
    private static boolean appendText(int slot, SlotValues values, boolean ascii, StringBuilder text) {
        int from = values.offset(slot);
        byte[] bytes = Arrays.copyOfRange(values.bytes(slot), from, from + values.length(slot));
        String value = new String(bytes, StandardCharsets.UTF_8);
        boolean exact = Arrays.equals(bytes, value.getBytes(StandardCharsets.UTF_8))
                && value.chars().allMatch(at -> at >= ' ' && at != 0x7F && (!ascii || at < 0x7F));
        text.append('\'').append(value.replace("\\", "\\\\").replace("'", "''")).append('\'');
        return exact;
    }
}
