package org.keyline.planner.digest;

import java.util.Arrays;

/** Decodes the values of literals from a statement's bytes. */
public final class Literals {
    /** The digits of the largest unsigned 64-bit integer. */
    private static final byte[] MAX = {
        '1', '8', '4', '4', '6', '7', '4', '4', '0', '7', '3', '7', '0', '9', '5', '5', '1', '6', '1', '5'
    };

    private Literals() {}

    /** Returns the bytes of a string, hexadecimal or bit literal. */
    public static byte[] bytes(byte[] sql, Token token, SqlMode mode) {
        byte[] target = new byte[token.end() - token.start()];
        int length = switch (token.type()) {
            case STRING -> unescape(sql, token.start(), token.end(), !mode.noBackslashEscapes(), target, 0);
            case HEX -> unhex(sql, token.start(), token.end(), target, 0);
            case BIT -> unbit(sql, token.start(), token.end(), target, 0);
            default -> throw new IllegalArgumentException("token: " + token.type() + " (expected: STRING, HEX or BIT)");
        };
        return Arrays.copyOf(target, length);
    }

    static boolean fitsLong(byte[] sql, int start, int end) {
        int from = start;
        while (from < end && sql[from] == '0') {
            from++;
        }
        int digits = end - from;
        if (digits != MAX.length) {
            return digits < MAX.length;
        }
        for (int i = 0; i < digits; i++) {
            if (sql[from + i] != MAX[i]) {
                return sql[from + i] < MAX[i];
            }
        }
        return true;
    }

    /** Returns the value of these digits, which must fit an unsigned 64-bit integer. */
    static long parseLong(byte[] sql, int start, int end) {
        long value = 0;
        for (int i = start; i < end; i++) {
            value = 10 * value + (sql[i] - '0');
        }
        return value;
    }

    /**
     * Writes the value of a string literal. Returns the number of bytes written.
     *
     * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/string-literals.html">String
     * Literals</a>
     */
    static int unescape(byte[] sql, int start, int end, boolean backslashEscapes, byte[] target, int at) {
        int quote = sql[start];
        int out = at;
        for (int i = start + 1; i < end - 1; i++) {
            int b = sql[i];
            if (b == quote) {
                i++;
            } else if (b == '\\' && backslashEscapes) {
                i++;
                b = escaped(sql[i]);
                if (b == '%' || b == '_') {
                    target[out++] = '\\';
                }
            }
            target[out++] = (byte) b;
        }
        return out - at;
    }

    private static int escaped(int b) {
        return switch (b) {
            case '0' -> 0;
            case 'b' -> '\b';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'Z' -> 0x1A;
            default -> b;
        };
    }

    /** Reads {@code 0x1F}, possibly with an odd number of digits, or {@code x'1F'}. */
    static int unhex(byte[] sql, int start, int end, byte[] target, int at) {
        return pack(sql, start + 2, last(sql, end), 4, target, at);
    }

    /** Reads {@code 0b101} or {@code b'101'}; leading bits are zero. */
    static int unbit(byte[] sql, int start, int end, byte[] target, int at) {
        return pack(sql, start + 2, last(sql, end), 1, target, at);
    }

    private static int last(byte[] sql, int end) {
        return sql[end - 1] == '\'' ? end - 1 : end;
    }

    private static int pack(byte[] sql, int from, int to, int bitsPerDigit, byte[] target, int at) {
        int bytes = (to - from) * bitsPerDigit;
        bytes = (bytes + 7) / 8;
        int value = 0;
        int bits = 0;
        int out = at + bytes;
        for (int i = to - 1; i >= from; i--) {
            value |= Character.digit(sql[i], 16) << bits;
            bits += bitsPerDigit;
            if (bits == 8 || i == from) {
                target[--out] = (byte) value;
                value = 0;
                bits = 0;
            }
        }
        return bytes;
    }
}
