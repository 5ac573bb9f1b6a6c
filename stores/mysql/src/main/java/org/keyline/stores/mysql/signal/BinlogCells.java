package org.keyline.stores.mysql.signal;

import java.io.Serializable;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnType;

/**
 * Converts values of row events to exact cells of the text protocol in UTF-8. Stateless.
 *
 * @see <a
 * href="https://dev.mysql.com/doc/dev/mysql-server/latest/classmysql_1_1binlog_1_1event_1_1Rows__event.html">Rows_event</a>
 */
final class BinlogCells {
    private static final DateTimeFormatter MOMENT = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS");
    private static final long MICROS_PER_DAY = TimeUnit.DAYS.toMicros(1);

    /** The first exact day. For earlier days, the client library uses the Julian calendar. */
    private static final long FIRST_DAY = LocalDate.of(1582, 10, 15).toEpochDay();

    private static final int MOST_DAYS = 31;

    private BinlogCells() {}

    /**
     * Returns the value as text; null if the text is not exact.
     *
     * @param type the column's type in the catalog
     * @param value the value as the client library returns it, never NULL. Integers are signed,
     * text and bytes are as stored, dates are in microseconds
     */
    static byte @Nullable [] text(ColumnType type, Serializable value) {
        boolean unsigned = type.unsigned();
        return switch (type.kind()) {
            case BOOLEAN, TINYINT -> whole(value, unsigned ? 0xFFL : -1);
            case SMALLINT -> whole(value, unsigned ? 0xFFFFL : -1);
            case MEDIUMINT -> whole(value, unsigned ? 0xFF_FFFFL : -1);
            case INT -> whole(value, unsigned ? 0xFFFF_FFFFL : -1);
            case BIGINT ->
                value instanceof Long number
                        ? ascii(unsigned ? Long.toUnsignedString(number) : Long.toString(number))
                        : null;
            case DECIMAL -> value instanceof BigDecimal number ? ascii(number.toPlainString()) : null;
            case DATE, DATETIME ->
                value instanceof Long micros ? moment(type.kind() == ColumnType.Kind.DATE, micros) : null;
            case CHAR, VARCHAR, TEXT -> value instanceof byte[] text ? utf8(type.collation(), text) : null;
            // The log omits trailing zero bytes.
            case BINARY ->
                value instanceof byte[] bytes ? Arrays.copyOf(bytes, Math.max(bytes.length, type.length())) : null;
            case VARBINARY -> value instanceof byte[] bytes ? bytes : null;
            default -> null;
        };
    }

    private static byte @Nullable [] whole(Serializable value, long mask) {
        return value instanceof Integer number ? ascii(Long.toString(number & mask)) : null;
    }

    private static byte @Nullable [] moment(boolean date, long micros) {
        long day = Math.floorDiv(micros, MICROS_PER_DAY);
        if (day < FIRST_DAY) {
            return null;
        }
        LocalDate calendar = LocalDate.ofEpochDay(day);
        if (mayBeNoDate(calendar)) {
            return null;
        }
        if (date) {
            return ascii(calendar.toString());
        }
        long second = Math.floorDiv(micros, 1_000_000L);
        int nanos = (int) Math.floorMod(micros, 1_000_000L) * 1_000;
        return ascii(MOMENT.format(LocalDateTime.ofEpochSecond(second, nanos, ZoneOffset.UTC)));
    }

    /**
     * Returns whether the store's date is possibly invalid, such as February 30
     * (ALLOW_INVALID_DATES). The library reads an invalid date as a day of the next month.
     */
    private static boolean mayBeNoDate(LocalDate day) {
        int beyond = MOST_DAYS - day.minusMonths(1).withDayOfMonth(1).lengthOfMonth();
        return day.getDayOfMonth() <= beyond;
    }

    private static byte @Nullable [] utf8(@Nullable String collation, byte[] text) {
        String name = String.valueOf(collation);
        if (name.startsWith("utf8") || name.startsWith("ascii_")) {
            return text;
        }
        if (!name.startsWith("latin1_")) {
            return null;
        }
        for (byte at : text) {
            // In this range, the store's latin1 is Windows-1252, which differs from ISO 8859-1.
            if ((at & 0xE0) == 0x80) {
                return null;
            }
        }
        return new String(text, StandardCharsets.ISO_8859_1).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
