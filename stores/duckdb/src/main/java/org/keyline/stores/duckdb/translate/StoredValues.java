package org.keyline.stores.duckdb.translate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.temporal.ChronoField;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.StatementRefusedException;

/**
 * Converts values to those that a column stores. A value that does not fit causes the error of
 * MySQL's strict mode.
 */
final class StoredValues {

    private StoredValues() {}

    static @Nullable Object of(@Nullable Object value, ColumnSchema column) {
        if (value == null) {
            if (!column.nullable() && !column.autoIncrement()) {
                throw new StatementRefusedException(1048, "23000", "Column '" + column.name() + "' cannot be null");
            }
            return null;
        }
        ColumnType type = column.type();
        return switch (type.kind()) {
            case BOOLEAN -> truth(value, column);
            case TINYINT -> integer(value, column, 8);
            case SMALLINT -> integer(value, column, 16);
            case MEDIUMINT -> integer(value, column, 24);
            case INT -> integer(value, column, 32);
            case BIGINT -> integer(value, column, 64);
            case LARGEINT -> integer(value, column, 128);
            case BIT -> bits(value, column);
            case FLOAT, DOUBLE -> real(value, column);
            case DECIMAL -> decimal(value, column);
            case DATE -> date(value, column);
            case DATETIME, TIMESTAMP -> dateTime(value, column);
            case CHAR, VARCHAR, TEXT, JSON -> text(value, column);
            case BINARY, VARBINARY, BLOB -> bytes(value, column);
            case ARRAY -> ArrayValues.of(value, column);
            case TIME, YEAR, ENUM, SET, IPV4, IPV6, MAP, STRUCT, VARIANT, GEOMETRY, OTHER ->
                throw new IllegalArgumentException("type: " + type);
        };
    }

    private static Object truth(Object value, ColumnSchema column) {
        if (value instanceof String word && word.equalsIgnoreCase("true")) {
            return true;
        }
        if (value instanceof String word && word.equalsIgnoreCase("false")) {
            return false;
        }
        return Numbers.toDouble(number(value, column, "boolean")) != 0;
    }

    private static Object real(Object value, ColumnSchema column) {
        double real = Numbers.toDouble(number(value, column, "double"));
        if (!Double.isFinite(real) || (column.type().unsigned() && real < 0)) {
            throw outOfRange(column);
        }
        return real;
    }

    private static Object number(Object value, ColumnSchema column, String kind) {
        if (value instanceof String text && !Numbers.isNumber(text)) {
            throw Numbers.beginsWithNumber(text) ? truncated(column) : incorrect(1366, "HY000", kind, text, column);
        }
        if (value instanceof byte[] bytes && !Numbers.isNumber(new String(bytes, UTF_8))) {
            return bytes.length <= 8 ? new BigInteger(1, bytes) : incorrectBytes(kind, bytes, column);
        }
        return Numbers.of(value);
    }

    private static Object incorrectBytes(String kind, byte[] bytes, ColumnSchema column) {
        throw incorrect(1366, "HY000", kind, new String(bytes, UTF_8), column);
    }

    private static Object integer(Object value, ColumnSchema column, int bits) {
        BigInteger whole = Numbers.rounded(number(value, column, "integer"), RoundingMode.HALF_EVEN);
        boolean unsigned = column.type().unsigned();
        boolean fits = whole != null
                && (unsigned ? whole.signum() >= 0 && whole.bitLength() <= bits : whole.bitLength() < bits);
        if (whole == null || !fits) {
            throw outOfRange(column);
        }
        return Values.narrowed(whole);
    }

    /** Returns a number as an integer for a BIT. A decimal is rounded, a double is truncated. */
    private static Object bits(Object value, ColumnSchema column) {
        Object number = value instanceof byte[] || value instanceof String
                ? new BigInteger(1, Values.bytes(value))
                : Numbers.of(value);
        boolean negative = number instanceof BigDecimal decimal && decimal.signum() < 0;
        BigInteger bits = negative ? null : Numbers.rounded(number, RoundingMode.DOWN);
        if (bits == null) {
            throw outOfRange(column);
        }
        if (bits.signum() < 0 || bits.bitLength() > Math.max(column.type().length(), 1)) {
            throw tooLong(column);
        }
        return Values.narrowed(bits);
    }

    private static Object decimal(Object value, ColumnSchema column) {
        Object number = number(value, column, "decimal");
        if (number instanceof Double d && !Double.isFinite(d)) {
            throw outOfRange(column);
        }
        BigDecimal decimal = number instanceof BigInteger big ? new BigDecimal(big) : new BigDecimal(number.toString());
        if (Math.abs((long) decimal.scale()) > 1_000) {
            throw outOfRange(column);
        }
        BigDecimal rounded = decimal.setScale(column.type().scale(), RoundingMode.HALF_UP);
        boolean tooLong = rounded.precision() > column.type().length();
        if (tooLong || (column.type().unsigned() && rounded.signum() < 0)) {
            throw outOfRange(column);
        }
        return rounded;
    }

    private static LocalDate date(Object value, ColumnSchema column) {
        @Nullable LocalDateTime moment = Temporals.dateTime(value);
        if (moment == null) {
            throw incorrect(1292, "22007", "date", Values.text(value), column);
        }
        return moment.toLocalDate();
    }

    private static LocalDateTime dateTime(Object value, ColumnSchema column) {
        @Nullable LocalDateTime moment = Temporals.dateTime(value);
        if (moment == null) {
            throw incorrect(1292, "22007", "datetime", Values.text(value), column);
        }
        LocalDateTime rounded = rounded(moment, column.type().scale());
        if (rounded.getYear() > Temporals.MAX_YEAR) {
            throw incorrect(1292, "22007", "datetime", Values.text(value), column);
        }
        return rounded;
    }

    private static LocalDateTime rounded(LocalDateTime moment, int digits) {
        long unit = (long) Math.pow(10, 9 - digits);
        return moment.withNano(0).plusNanos((moment.get(ChronoField.NANO_OF_SECOND) + unit / 2) / unit * unit);
    }

    private static String text(Object value, ColumnSchema column) {
        String text = Values.text(value);
        int max = column.type().length();
        int excess = max == 0 ? 0 : text.codePointCount(0, text.length()) - max;
        boolean fixed = column.type().kind() == ColumnType.Kind.CHAR;
        if (fixed || excess > 0) {
            String stripped = text.replaceAll(" +$", "");
            if (fixed) {
                text = stripped;
            } else if (stripped.codePointCount(0, stripped.length()) <= max) {
                text = text.substring(0, text.offsetByCodePoints(0, max));
            }
        }
        if (max > 0 && text.codePointCount(0, text.length()) > max) {
            throw tooLong(column);
        }
        return text;
    }

    private static byte[] bytes(Object value, ColumnSchema column) {
        byte[] bytes = Values.bytes(value);
        int max = column.type().length();
        if (max > 0 && bytes.length > max) {
            throw tooLong(column);
        }
        return column.type().kind() == ColumnType.Kind.BINARY
                ? Arrays.copyOf(bytes, Math.max(max, bytes.length))
                : bytes;
    }

    /** Returns the error for text that has other characters after a number at its beginning. */
    private static StatementRefusedException truncated(ColumnSchema column) {
        return new StatementRefusedException(
                1265, "01000", "Data truncated for column '" + column.name() + "' at row 1");
    }

    private static StatementRefusedException tooLong(ColumnSchema column) {
        return new StatementRefusedException(
                1406, "22001", "Data too long for column '" + column.name() + "' at row 1");
    }

    private static StatementRefusedException outOfRange(ColumnSchema column) {
        return new StatementRefusedException(
                1264, "22003", "Out of range value for column '" + column.name() + "' at row 1");
    }

    private static StatementRefusedException incorrect(
            int code, String state, String kind, String value, ColumnSchema column) {
        String shown = value.length() > 64 ? value.substring(0, 64) : value;
        return new StatementRefusedException(
                code,
                state,
                "Incorrect " + kind + " value: '" + shown + "' for column '" + column.name() + "' at row 1");
    }
}
