package org.keyline.gateway.views;

import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoField;
import java.util.Locale;
import org.keyline.planner.digest.SlotKind;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.stores.StoreException;

/** Compares cells of views. Texts compare as in utf8mb4_general_ci, except that accents count. */
final class CellOrder {
    /** The format of times in comparisons, with up to nine decimals of a second. */
    private static final DateTimeFormatter MOMENT = new DateTimeFormatterBuilder()
            .appendPattern("yyyy-MM-dd")
            .optionalStart()
            .appendPattern(" HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
            .optionalEnd()
            .parseDefaulting(ChronoField.HOUR_OF_DAY, 0)
            .toFormatter(Locale.ROOT);

    private CellOrder() {}

    /** Compares two cells of one column, or a cell and an operand. */
    static int compare(Object one, Object other) {
        if (one instanceof Long whole && other instanceof Long than) {
            return Long.compare(whole, than);
        }
        if (one instanceof Double number) {
            return Double.compare(number, ((Number) other).doubleValue());
        }
        if (one instanceof Long whole) {
            return BigDecimal.valueOf(whole).compareTo((BigDecimal) other);
        }
        if (other instanceof LocalDateTime moment) {
            return Rows.time((String) one).compareTo(moment);
        }
        return compareTexts((String) one, (String) other);
    }

    /** Compares texts without case, as if the shorter text were padded with spaces. */
    private static int compareTexts(String one, String other) {
        int length = Math.max(one.length(), other.length());
        for (int i = 0; i < length; i++) {
            int difference = character(one, i) - character(other, i);
            if (difference != 0) {
                return difference;
            }
        }
        return 0;
    }

    private static char character(String text, int at) {
        return at < text.length() ? Character.toUpperCase(text.charAt(at)) : ' ';
    }

    /**
     * Converts an operand to the type that {@link #compare} expects.
     *
     * @throws StoreException if the value is not of the column's type
     */
    static Object operand(View.Column column, SlotKind kind, String text) {
        try {
            boolean readable = switch (column.type()) {
                case INTEGER, NUMBER -> kind != SlotKind.HEX && kind != SlotKind.BIT;
                case TEXT, TIME -> kind == SlotKind.STRING;
            };
            if (readable) {
                return switch (column.type()) {
                    case INTEGER, NUMBER -> new BigDecimal(text.strip());
                    case TEXT -> text;
                    case TIME -> LocalDateTime.parse(text.strip(), MOMENT);
                };
            }
        } catch (NumberFormatException | DateTimeParseException unreadable) {
            // The error below names the column and the expected operands.
        }
        throw new StoreException(ErrPacket.of(
                ErrorCode.ER_TRUNCATED_WRONG_VALUE,
                "Column '" + column.name() + "' of this view can be compared only with " + column.type().operands));
    }
}
