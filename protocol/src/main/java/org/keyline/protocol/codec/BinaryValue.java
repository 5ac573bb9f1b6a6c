package org.keyline.protocol.codec;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.ProtocolException;

final class BinaryValue {
    private BinaryValue() {}

    /** Returns how many bytes the value's length occupies; 0 if the type has a fixed width. */
    static int prefixBytes(byte[] source, int offset, int limit, int type) {
        int width = ColumnType.binaryLength(type);
        if (width >= 0) {
            return 0;
        }
        if (width == ColumnType.UNKNOWN) {
            throw new ProtocolException("type: " + type + " (expected: a column type)");
        }
        if (offset >= limit) {
            throw new ProtocolException("value starts at the end");
        }
        return width == ColumnType.LENGTH_BYTE ? 1 : lenencBytes(source[offset] & 0xFF);
    }

    /** Returns the value's length in bytes, checked against {@code limit}. */
    static int valueBytes(byte[] source, int offset, int limit, int type, int prefix) {
        if (prefix > limit - offset) {
            throw new ProtocolException("length of a value ends early");
        }
        long length = prefix == 0 ? ColumnType.binaryLength(type) : length(source, offset, prefix);
        if (length < 0 || length > limit - offset - prefix) {
            throw new ProtocolException("value: " + Long.toUnsignedString(length) + " bytes (expected: <= "
                    + (limit - offset - prefix) + ")");
        }
        return (int) length;
    }

    static int lenencBytes(int first) {
        return switch (first) {
            case 0xFC -> 3;
            case 0xFD -> 4;
            case 0xFE -> 9;
            case 0xFB, 0xFF -> throw new ProtocolException("length-encoded integer starts with " + first);
            default -> 1;
        };
    }

    static long length(byte[] source, int offset, int bytes) {
        return switch (bytes) {
            case 1 -> source[offset] & 0xFF;
            case 3 -> LittleEndian.uint16(source, offset + 1);
            case 4 -> LittleEndian.uint24(source, offset + 1);
            default -> LittleEndian.int64(source, offset + 1);
        };
    }

    /** Returns an integer. An unsigned value above {@link Long#MAX_VALUE} becomes negative. */
    static long int64(byte[] source, int offset, int type, boolean unsigned) {
        return switch (type) {
            case ColumnType.TINY, ColumnType.BOOL -> unsigned ? source[offset] & 0xFF : source[offset];
            case ColumnType.YEAR -> LittleEndian.uint16(source, offset);
            case ColumnType.SHORT ->
                unsigned ? LittleEndian.uint16(source, offset) : (short) LittleEndian.uint16(source, offset);
            case ColumnType.LONG, ColumnType.INT24 ->
                unsigned ? LittleEndian.int32(source, offset) & 0xFFFF_FFFFL : LittleEndian.int32(source, offset);
            case ColumnType.LONGLONG -> LittleEndian.int64(source, offset);
            default -> throw new IllegalStateException("type " + type + " is no integer");
        };
    }

    static float float32(byte[] source, int offset) {
        return Float.intBitsToFloat(LittleEndian.int32(source, offset));
    }

    static double float64(byte[] source, int offset) {
        return Double.longBitsToDouble(LittleEndian.int64(source, offset));
    }

    static String text(
            byte[] source, int offset, int length, int type, boolean unsigned, int decimals, Charset charset) {
        switch (type) {
            case ColumnType.TINY,
                    ColumnType.BOOL,
                    ColumnType.SHORT,
                    ColumnType.LONG,
                    ColumnType.INT24,
                    ColumnType.LONGLONG -> {
                long value = int64(source, offset, type, unsigned);
                return unsigned ? Long.toUnsignedString(value) : Long.toString(value);
            }
            case ColumnType.YEAR -> {
                String year = Long.toString(int64(source, offset, type, true));
                return "0".repeat(Math.max(0, 4 - year.length())) + year;
            }
            case ColumnType.FLOAT -> {
                return NumberText.float32(float32(source, offset), decimals);
            }
            case ColumnType.DOUBLE -> {
                return NumberText.float64(float64(source, offset), decimals);
            }
            default -> {
                return ColumnType.binaryLength(type) == ColumnType.LENGTH_BYTE
                        ? temporalText(source, offset, length, type, decimals)
                        : new String(source, offset, length, charset);
            }
        }
    }

    private static String temporalText(byte[] source, int offset, int length, int type, int decimals) {
        Temporal temporal = new Temporal();
        StringBuilder text = new StringBuilder(26);
        int fraction = decimals > 6 ? 0 : decimals;
        if (type == ColumnType.TIME || type == ColumnType.TIME2) {
            temporal.readTime(source, offset, length);
            temporal.appendTime(text, fraction);
        } else {
            temporal.readDateTime(source, offset, length);
            if (type == ColumnType.DATE || type == ColumnType.NEWDATE) {
                temporal.appendDate(text);
            } else {
                temporal.appendDateTime(text, fraction);
            }
        }
        return text.toString();
    }

    static String ascii(byte[] source, int offset, int length) {
        return new String(source, offset, length, StandardCharsets.US_ASCII);
    }
}
