package org.keyline.gateway.query;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.protocol.Lenenc;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.KeyReader;

/**
 * One key column between its three forms: a value in a statement, a cell in a row of the store, and canonical key bytes. Two values
 * get the same bytes exactly if the store calls them equal; a value for which that is not certain is refused and its statement
 * forwarded. Immutable; thread-safe.
 */
abstract sealed class KeyColumn {
    /** Wire types of the parameters that loads bind. */
    private static final int TYPE_LONGLONG = 0x08;

    private static final int TYPE_NEWDECIMAL = 0xF6;
    private static final int TYPE_VAR_STRING = 0xFD;
    private static final int UNSIGNED = 0x80;

    /** The column as a key column, or null where equality in the store can't be decided from bytes. */
    static @Nullable KeyColumn of(ColumnSchema column) {
        ColumnType type = column.type();
        return switch (type.kind()) {
            case BOOLEAN, TINYINT -> new Whole(Byte.MIN_VALUE, Byte.MAX_VALUE, 0xFF, type.unsigned());
            case SMALLINT -> new Whole(Short.MIN_VALUE, Short.MAX_VALUE, 0xFFFF, type.unsigned());
            case MEDIUMINT -> new Whole(-0x80_0000, 0x7F_FFFF, 0xFF_FFFF, type.unsigned());
            case INT -> new Whole(Integer.MIN_VALUE, Integer.MAX_VALUE, 0xFFFF_FFFFL, type.unsigned());
            case BIGINT -> new Whole(Long.MIN_VALUE, Long.MAX_VALUE, -1, type.unsigned());
            case LARGEINT -> new Exact(0);
            case DECIMAL -> new Exact(type.scale());
            case DATE -> new Day();
            case DATETIME -> new Moment(type.scale());
            case CHAR, VARCHAR, TEXT -> comparesBytes(type.collation()) ? new Text() : null;
            default -> null;
        };
    }

    private static boolean comparesBytes(@Nullable String collation) {
        return "utf8mb4_0900_bin".equals(collation);
    }

    /** Appends the slot's value as a cell; false, with nothing appended, if the statement must be forwarded. */
    abstract boolean bind(SlotValues values, int slot, boolean negated, KeyEncoder key);

    /** Appends the cell of a text row. */
    abstract void text(byte[] row, int offset, int length, KeyEncoder key);

    /** Appends the cell of a binary row; strings and decimals without their length. */
    abstract void binary(byte[] row, int offset, int length, KeyEncoder key);

    /** Writes the next cell of the key as a literal. */
    abstract void literal(KeyReader key, ByteBuf sql);

    /** The two type bytes of a parameter for this column, as a little-endian number. */
    abstract int parameterType();

    /** Writes the next cell of the key as a binary parameter of {@link #parameterType}. */
    abstract void parameter(KeyReader key, ByteBuf values);

    /** Integers up to 64 bits. */
    private static final class Whole extends KeyColumn {
        private final long min;
        private final long max;
        private final long unsignedMax;
        private final boolean unsigned;

        Whole(long min, long max, long unsignedMax, boolean unsigned) {
            this.min = min;
            this.max = max;
            this.unsignedMax = unsignedMax;
            this.unsigned = unsigned;
        }

        @Override
        boolean bind(SlotValues values, int slot, boolean negated, KeyEncoder key) {
            if (values.kind(slot) == SlotValues.Kind.DECIMAL) {
                return unsigned && !negated && bindUnsigned(values, slot, key);
            }
            long value = switch (values.kind(slot)) {
                case INTEGER -> values.integer(slot);
                case TEXT ->
                    negated ? Long.MIN_VALUE : canonical(values.bytes(slot), values.offset(slot), values.length(slot));
                default -> Long.MIN_VALUE;
            };
            // The lowest value of all stands for "none", so a key of just that value is forwarded.
            if (value == Long.MIN_VALUE) {
                return false;
            }
            if (negated) {
                value = -value;
            }
            if (unsigned) {
                if (value < 0 || (unsignedMax > 0 && value > unsignedMax)) {
                    return false;
                }
                key.uint64(value);
            } else {
                if (value < min || value > max) {
                    return false;
                }
                key.int64(value);
            }
            return true;
        }

        /** Whole numbers between 2^63 and 2^64. */
        private boolean bindUnsigned(SlotValues values, int slot, KeyEncoder key) {
            int length = values.length(slot);
            byte[] digits = values.bytes(slot);
            int offset = values.offset(slot);
            if (unsignedMax > 0 || length < 19 || length > 20) {
                return false;
            }
            for (int i = offset; i < offset + length; i++) {
                if (digits[i] < '0' || digits[i] > '9') {
                    return false;
                }
            }
            try {
                String text = new String(digits, offset, length, StandardCharsets.US_ASCII);
                key.uint64(Long.parseUnsignedLong(text));
                return true;
            } catch (NumberFormatException beyond64Bits) {
                return false;
            }
        }

        /**
         * A string of digits in its only canonical spelling and exact as a double, in which stores compare numbers with strings;
         * else {@link Long#MIN_VALUE}.
         */
        private static long canonical(byte[] text, int offset, int length) {
            boolean negative = length > 0 && text[offset] == '-';
            int from = negative ? offset + 1 : offset;
            int digits = offset + length - from;
            if (digits < 1 || digits > 15 || (text[from] == '0' && (digits > 1 || negative))) {
                return Long.MIN_VALUE;
            }
            long value = 0;
            for (int i = from; i < offset + length; i++) {
                if (text[i] < '0' || text[i] > '9') {
                    return Long.MIN_VALUE;
                }
                value = value * 10 + (text[i] - '0');
            }
            return negative ? -value : value;
        }

        @Override
        void text(byte[] row, int offset, int length, KeyEncoder key) {
            String digits = new String(row, offset, length, StandardCharsets.US_ASCII);
            if (unsigned) {
                key.uint64(Long.parseUnsignedLong(digits));
            } else {
                key.int64(Long.parseLong(digits));
            }
        }

        @Override
        void binary(byte[] row, int offset, int length, KeyEncoder key) {
            long value = 0;
            for (int i = length - 1; i >= 0; i--) {
                value = (value << 8) | (row[offset + i] & 0xFF);
            }
            if (unsigned) {
                key.uint64(value);
            } else {
                int unused = Long.SIZE - 8 * length;
                key.int64((value << unused) >> unused);
            }
        }

        @Override
        void literal(KeyReader key, ByteBuf sql) {
            String digits = unsigned ? Long.toUnsignedString(key.uint64()) : Long.toString(key.int64());
            ByteBufUtil.writeAscii(sql, digits);
        }

        @Override
        int parameterType() {
            return unsigned ? TYPE_LONGLONG | (UNSIGNED << 8) : TYPE_LONGLONG;
        }

        @Override
        void parameter(KeyReader key, ByteBuf values) {
            values.writeLongLE(unsigned ? key.uint64() : key.int64());
        }
    }

    /** Decimals of a fixed scale, and integers beyond 64 bits with scale 0. */
    private static final class Exact extends KeyColumn {
        private static final int MAX_DIGITS = 80;

        private final int scale;

        Exact(int scale) {
            this.scale = scale;
        }

        @Override
        boolean bind(SlotValues values, int slot, boolean negated, KeyEncoder key) {
            BigInteger unscaled = switch (values.kind(slot)) {
                case INTEGER -> BigInteger.valueOf(values.integer(slot)).multiply(BigInteger.TEN.pow(scale));
                case DECIMAL -> unscaled(values.bytes(slot), values.offset(slot), values.length(slot));
                default -> null;
            };
            if (unscaled == null) {
                return false;
            }
            key.decimal(negated ? unscaled.negate() : unscaled);
            return true;
        }

        /** The number times ten to the scale, or null if it isn't one or has more significant digits after the point. */
        private @Nullable BigInteger unscaled(byte[] text, int offset, int length) {
            if (length == 0 || length > MAX_DIGITS) {
                return null;
            }
            StringBuilder digits = new StringBuilder(length + scale);
            int fraction = -1;
            int seen = 0;
            for (int i = offset; i < offset + length; i++) {
                byte at = text[i];
                if (at == '.' && fraction < 0) {
                    fraction = 0;
                } else if (at >= '0' && at <= '9') {
                    seen++;
                    if (fraction < scale) {
                        digits.append((char) at);
                        fraction += fraction >= 0 ? 1 : 0;
                    } else if (at != '0') {
                        return null;
                    }
                } else if (i == offset && (at == '-' || at == '+')) {
                    digits.append((char) at);
                } else {
                    return null;
                }
            }
            if (seen == 0) {
                return null;
            }
            for (int i = Math.max(fraction, 0); i < scale; i++) {
                digits.append('0');
            }
            return new BigInteger(digits.toString());
        }

        @Override
        void text(byte[] row, int offset, int length, KeyEncoder key) {
            BigInteger unscaled = unscaled(row, offset, length);
            if (unscaled == null) {
                throw new IllegalStateException("not a decimal of scale " + scale + ": "
                        + new String(row, offset, length, StandardCharsets.UTF_8));
            }
            key.decimal(unscaled);
        }

        @Override
        void binary(byte[] row, int offset, int length, KeyEncoder key) {
            text(row, offset, length, key);
        }

        private String digits(KeyReader key) {
            return new java.math.BigDecimal(key.decimal(), scale).toPlainString();
        }

        @Override
        void literal(KeyReader key, ByteBuf sql) {
            ByteBufUtil.writeAscii(sql, digits(key));
        }

        @Override
        int parameterType() {
            return TYPE_NEWDECIMAL;
        }

        @Override
        void parameter(KeyReader key, ByteBuf values) {
            byte[] digits = digits(key).getBytes(StandardCharsets.US_ASCII);
            Lenenc.writeBytes(values, digits);
        }
    }

    /** Strings that the store compares byte by byte. */
    private static final class Text extends KeyColumn {
        @Override
        boolean bind(SlotValues values, int slot, boolean negated, KeyEncoder key) {
            if (negated || values.kind(slot) != SlotValues.Kind.TEXT) {
                return false;
            }
            int offset = values.offset(slot);
            key.bytes(values.bytes(slot), offset, offset + values.length(slot));
            return true;
        }

        @Override
        void text(byte[] row, int offset, int length, KeyEncoder key) {
            key.bytes(row, offset, offset + length);
        }

        @Override
        void binary(byte[] row, int offset, int length, KeyEncoder key) {
            key.bytes(row, offset, offset + length);
        }

        @Override
        void literal(KeyReader key, ByteBuf sql) {
            sql.writeByte('\'');
            for (byte at : key.bytes()) {
                if (at == '\'' || at == '\\') {
                    sql.writeByte('\\');
                }
                if (at == 0) {
                    sql.writeByte('\\').writeByte('0');
                } else {
                    sql.writeByte(at);
                }
            }
            sql.writeByte('\'');
        }

        @Override
        int parameterType() {
            return TYPE_VAR_STRING;
        }

        @Override
        void parameter(KeyReader key, ByteBuf values) {
            Lenenc.writeBytes(values, key.bytes());
        }
    }

    /** Dates. A string is compared as a date only in its canonical spelling. */
    private static final class Day extends KeyColumn {
        @Override
        boolean bind(SlotValues values, int slot, boolean negated, KeyEncoder key) {
            long packed = Temporal.NONE;
            if (values.kind(slot) == SlotValues.Kind.DATE) {
                packed = values.integer(slot);
            } else if (values.kind(slot) == SlotValues.Kind.TEXT) {
                packed = Temporal.parseDate(values.bytes(slot), values.offset(slot), values.length(slot));
            }
            if (negated || packed == Temporal.NONE) {
                return false;
            }
            key.int64(packed);
            return true;
        }

        @Override
        void text(byte[] row, int offset, int length, KeyEncoder key) {
            key.int64(checked(Temporal.parseDate(row, offset, length)));
        }

        @Override
        void binary(byte[] row, int offset, int length, KeyEncoder key) {
            key.int64(checked(binaryTemporal(row, offset, length)));
        }

        @Override
        void literal(KeyReader key, ByteBuf sql) {
            StringBuilder text = new StringBuilder().append('\'');
            Temporal.appendDate(text, key.int64());
            ByteBufUtil.writeAscii(sql, text.append('\''));
        }

        @Override
        int parameterType() {
            return TYPE_VAR_STRING;
        }

        @Override
        void parameter(KeyReader key, ByteBuf values) {
            StringBuilder text = new StringBuilder();
            Temporal.appendDate(text, key.int64());
            Lenenc.writeBytes(values, text.toString().getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Dates with time of day, without time zone. */
    private static final class Moment extends KeyColumn {
        /** Microseconds in the column's last digit. */
        private final int unit;

        Moment(int fractionDigits) {
            int micros = 1_000_000;
            for (int i = 0; i < fractionDigits; i++) {
                micros /= 10;
            }
            unit = micros;
        }

        @Override
        boolean bind(SlotValues values, int slot, boolean negated, KeyEncoder key) {
            long packed = Temporal.NONE;
            if (values.kind(slot) == SlotValues.Kind.DATETIME) {
                packed = values.integer(slot);
            } else if (values.kind(slot) == SlotValues.Kind.TEXT) {
                packed = Temporal.parseDateTime(values.bytes(slot), values.offset(slot), values.length(slot));
            }
            if (negated || packed == Temporal.NONE || Temporal.micros(packed) % unit != 0) {
                return false;
            }
            key.int64(packed);
            return true;
        }

        @Override
        void text(byte[] row, int offset, int length, KeyEncoder key) {
            key.int64(checked(Temporal.parseDateTime(row, offset, length)));
        }

        @Override
        void binary(byte[] row, int offset, int length, KeyEncoder key) {
            key.int64(checked(binaryTemporal(row, offset, length)));
        }

        @Override
        void literal(KeyReader key, ByteBuf sql) {
            StringBuilder text = new StringBuilder().append('\'');
            Temporal.appendDateTime(text, key.int64());
            ByteBufUtil.writeAscii(sql, text.append('\''));
        }

        @Override
        int parameterType() {
            return TYPE_VAR_STRING;
        }

        @Override
        void parameter(KeyReader key, ByteBuf values) {
            StringBuilder text = new StringBuilder();
            Temporal.appendDateTime(text, key.int64());
            Lenenc.writeBytes(values, text.toString().getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** A DATE or DATETIME value of a binary row or parameter, without its length byte. */
    static long binaryTemporal(byte[] row, int offset, int length) {
        if (length != 4 && length != 7 && length != 11) {
            return Temporal.NONE;
        }
        int year = (row[offset] & 0xFF) | ((row[offset + 1] & 0xFF) << 8);
        int micros = 0;
        if (length == 11) {
            for (int i = 10; i >= 7; i--) {
                micros = (micros << 8) | (row[offset + i] & 0xFF);
            }
        }
        boolean timed = length > 4;
        return Temporal.checked(
                year,
                row[offset + 2],
                row[offset + 3],
                timed ? row[offset + 4] : 0,
                timed ? row[offset + 5] : 0,
                timed ? row[offset + 6] : 0,
                micros);
    }

    /** A key cell of the store that has no place in the calendar makes its line impossible: its load fails. */
    private static long checked(long packed) {
        if (packed == Temporal.NONE) {
            throw new IllegalStateException("a key cell of the store is not a date of the calendar");
        }
        return packed;
    }
}
