package org.keyline.gateway.change;

import java.nio.charset.StandardCharsets;
import org.keyline.gateway.key.SlotValues;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.KeyPart;

/**
 * Decides which assigned values the store stores unchanged: NULL, whole numbers in the range of
 * their column, and UTF-8 text that fits its column. Excluded are CHAR (trailing spaces), DECIMAL
 * and approximate numbers (rounding), dates and times (rounding, time zones), ENUM and SET
 * (spelling), BIT and JSON. Empty text is excluded because some settings make it NULL.
 */
final class ExactValues {
    private static final int MAX_TEXT_BYTES = 16 << 10;
    private static final int MIN_TEXT_CAPACITY = 255;
    private static final int MEDIUMINT_BITS = 24;

    private ExactValues() {}

    static boolean isExact(ColumnSchema column, KeyPart value, SlotValues values) {
        if (column.autoIncrement() || column.computed()) {
            return false;
        }
        return switch (column.type().kind()) {
            case TINYINT, SMALLINT, MEDIUMINT, INT, BIGINT ->
                isNull(column, value, values) || isNumber(column.type(), value, values);
            case VARCHAR, TEXT -> isNull(column, value, values) || isText(column.type(), value, values);
            default -> false;
        };
    }

    private static boolean isNull(ColumnSchema column, KeyPart value, SlotValues values) {
        return column.nullable() && !value.negated() && values.kind(value.slot()) == SlotValues.Kind.NULL;
    }

    private static boolean isNumber(ColumnType type, KeyPart value, SlotValues values) {
        if (values.kind(value.slot()) != SlotValues.Kind.INTEGER) {
            return false;
        }
        long given = values.integer(value.slot());
        if (value.negated() && given == Long.MIN_VALUE) {
            return false;
        }
        long number = value.negated() ? -given : given;
        int bits = bits(type.kind());
        long max = bits == Long.SIZE ? Long.MAX_VALUE : (1L << (type.unsigned() ? bits : bits - 1)) - 1;
        long min = type.unsigned() ? 0 : bits == Long.SIZE ? Long.MIN_VALUE : -(1L << (bits - 1));
        return number >= min && number <= max;
    }

    private static int bits(ColumnType.Kind kind) {
        return switch (kind) {
            case TINYINT -> Byte.SIZE;
            case SMALLINT -> Short.SIZE;
            case MEDIUMINT -> MEDIUMINT_BITS;
            case INT -> Integer.SIZE;
            default -> Long.SIZE;
        };
    }

    private static boolean isText(ColumnType type, KeyPart value, SlotValues values) {
        boolean unicode = type.collation() != null && type.collation().startsWith("utf8mb4_");
        if (!unicode || value.negated() || values.kind(value.slot()) != SlotValues.Kind.TEXT) {
            return false;
        }
        int length = values.length(value.slot());
        if (length == 0 || length > MAX_TEXT_BYTES) {
            return false;
        }
        if (type.kind() == ColumnType.Kind.TEXT) {
            return length <= (type.length() == 0 ? MIN_TEXT_CAPACITY : type.length());
        }
        String text =
                new String(values.bytes(value.slot()), values.offset(value.slot()), length, StandardCharsets.UTF_8);
        return text.codePointCount(0, text.length()) <= type.length();
    }
}
