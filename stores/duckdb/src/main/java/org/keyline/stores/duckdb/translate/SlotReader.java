package org.keyline.stores.duckdb.translate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.Token;

/** Values of literal tokens. */
final class SlotReader {

    private static final int MAX_DIGITS = 1_000;
    private static final BigInteger MAX_UNSIGNED = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);

    private SlotReader() {}

    static ValueSlot read(byte[] source, Token token, SqlMode mode, String introducer) {
        Object value;
        ValueSlot.Kind kind;
        switch (token.type()) {
            case INTEGER -> {
                value = integer(token.text());
                kind = value instanceof BigDecimal ? ValueSlot.Kind.DECIMAL : ValueSlot.Kind.INTEGER;
            }
            case DECIMAL -> {
                value = new BigDecimal(bounded(token.text()));
                kind = ValueSlot.Kind.DECIMAL;
            }
            case FLOAT -> {
                value = Double.parseDouble(bounded(token.text()));
                kind = ValueSlot.Kind.DOUBLE;
                if (((Double) value).isInfinite()) {
                    throw new StatementRefusedException(
                            1367, "22007", "Illegal double '" + token.text() + "' value found during parsing");
                }
            }
            case STRING -> {
                byte[] bytes = unescaped(source, token.start(), token.end(), mode);
                boolean binary = introducer.toLowerCase(Locale.ROOT).equals("_binary");
                value = binary ? bytes : textOrBytes(bytes);
                kind = value instanceof String ? ValueSlot.Kind.STRING : ValueSlot.Kind.BYTES;
            }
            case HEX, BIT -> {
                value = digits(token.text());
                kind = introducer.isEmpty() ? ValueSlot.Kind.HEX : ValueSlot.Kind.BYTES;
                if (!introducer.isEmpty() && !introducer.equalsIgnoreCase("_binary")) {
                    value = textOrBytes((byte[]) value);
                    kind = value instanceof String ? ValueSlot.Kind.STRING : ValueSlot.Kind.BYTES;
                }
            }
            default -> {
                return new ValueSlot(ValueSlot.Kind.UNKNOWN, null, true, token.start(), token.end());
            }
        }
        return new ValueSlot(kind, value, false, token.start(), token.end());
    }

    static ValueSlot joined(ValueSlot first, ValueSlot second) {
        byte[] a = first.value() instanceof byte[] bytes
                ? bytes
                : String.valueOf(first.value()).getBytes(UTF_8);
        byte[] b = second.value() instanceof byte[] bytes
                ? bytes
                : String.valueOf(second.value()).getBytes(UTF_8);
        byte[] both = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, both, a.length, b.length);
        Object value = first.kind() == ValueSlot.Kind.BYTES ? both : textOrBytes(both);
        ValueSlot.Kind kind = value instanceof String ? ValueSlot.Kind.STRING : ValueSlot.Kind.BYTES;
        return new ValueSlot(kind, value, false, first.start(), second.end());
    }

    static ValueSlot.Kind kindOf(@Nullable Object value) {
        if (value == null) {
            return ValueSlot.Kind.NULL;
        }
        if (value instanceof Long || value instanceof BigInteger || value instanceof Integer) {
            return ValueSlot.Kind.INTEGER;
        }
        if (value instanceof BigDecimal) {
            return ValueSlot.Kind.DECIMAL;
        }
        if (value instanceof Double || value instanceof Float) {
            return ValueSlot.Kind.DOUBLE;
        }
        if (value instanceof byte[]) {
            return ValueSlot.Kind.BYTES;
        }
        if (value instanceof LocalDate) {
            return ValueSlot.Kind.DATE;
        }
        if (value instanceof LocalDateTime) {
            return ValueSlot.Kind.DATETIME;
        }
        if (value instanceof Duration) {
            return ValueSlot.Kind.TIME;
        }
        if (value instanceof String) {
            return ValueSlot.Kind.STRING;
        }
        throw new IllegalArgumentException("value of " + value.getClass());
    }

    private static String bounded(String digits) {
        if (digits.length() > MAX_DIGITS) {
            throw StatementRefusedException.unsupported("numbers of more than " + MAX_DIGITS + " digits");
        }
        return digits;
    }

    private static Object integer(String text) {
        if (text.length() <= 18) {
            return Long.parseLong(text);
        }
        BigInteger value = new BigInteger(bounded(text));
        if (value.bitLength() < 64) {
            return value.longValue();
        }
        return value.compareTo(MAX_UNSIGNED) <= 0 ? value : new BigDecimal(value);
    }

    private static Object textOrBytes(byte[] bytes) {
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            return bytes;
        }
    }

    /** {@code 0xAB}, {@code x'AB'}, {@code 0b01}, {@code b'01'} as bytes, most significant first. */
    private static byte[] digits(String text) {
        boolean hex = text.charAt(0) == 'x' || text.charAt(0) == 'X' || text.charAt(1) == 'x';
        String digits = text.charAt(0) == '0' ? text.substring(2) : text.substring(2, text.length() - 1);
        int perByte = hex ? 2 : 8;
        int length = (digits.length() + perByte - 1) / perByte;
        byte[] bytes = new byte[length];
        int end = digits.length();
        for (int i = length - 1; i >= 0; i--) {
            String part = digits.substring(Math.max(end - perByte, 0), end);
            bytes[i] = (byte) Integer.parseInt(part, hex ? 16 : 2);
            end -= perByte;
        }
        return bytes;
    }

    private static byte[] unescaped(byte[] source, int start, int end, SqlMode mode) {
        byte quote = source[start];
        byte[] value = new byte[end - start - 2];
        int length = 0;
        for (int i = start + 1; i < end - 1; i++) {
            byte b = source[i];
            if (b == quote) {
                i++;
            } else if (b == '\\' && !mode.noBackslashEscapes() && i + 1 < end - 1) {
                i++;
                b = source[i];
                if (b == '%' || b == '_') {
                    value[length++] = '\\';
                } else {
                    b = escape(b);
                }
            }
            value[length++] = b;
        }
        return Arrays.copyOf(value, length);
    }

    private static byte escape(byte b) {
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
}
