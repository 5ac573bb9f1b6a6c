package org.keyline.stores.duckdb.translate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.Literals;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.Token;

/** Reads the values of literal tokens. */
final class SlotReader {

    private static final int MAX_DIGITS = 1_000;
    private static final BigInteger MAX_UNSIGNED = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);

    private static final Map<Class<?>, ValueSlot.Kind> KINDS = Map.ofEntries(
            Map.entry(Long.class, ValueSlot.Kind.INTEGER),
            Map.entry(Integer.class, ValueSlot.Kind.INTEGER),
            Map.entry(BigInteger.class, ValueSlot.Kind.INTEGER),
            Map.entry(BigDecimal.class, ValueSlot.Kind.DECIMAL),
            Map.entry(Double.class, ValueSlot.Kind.DOUBLE),
            Map.entry(Float.class, ValueSlot.Kind.DOUBLE),
            Map.entry(byte[].class, ValueSlot.Kind.BYTES),
            Map.entry(LocalDate.class, ValueSlot.Kind.DATE),
            Map.entry(LocalDateTime.class, ValueSlot.Kind.DATETIME),
            Map.entry(String.class, ValueSlot.Kind.STRING));

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
                byte[] bytes = Literals.bytes(source, token, mode);
                value = isBinary(introducer) ? bytes : textOrBytes(bytes);
                kind = value instanceof String ? ValueSlot.Kind.STRING : ValueSlot.Kind.BYTES;
            }
            case HEX, BIT -> {
                value = Literals.bytes(source, token, mode);
                // In a numeric context, x'41' is a number in MySQL, but text in MariaDB. It becomes
                // BYTES, which Values refuses in a numeric context.
                boolean text = source[token.start()] == 'x' || source[token.start()] == 'X';
                kind = introducer.isEmpty() && !text ? ValueSlot.Kind.HEX : ValueSlot.Kind.BYTES;
                if (!introducer.isEmpty() && !isBinary(introducer)) {
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

    /**
     * Returns whether the string is binary. Refuses an introducer of a charset other than UTF-8.
     */
    private static boolean isBinary(String introducer) {
        return switch (introducer.toLowerCase(Locale.ROOT)) {
            case "_binary" -> true;
            case "", "n", "_utf8mb4", "_utf8mb3", "_utf8" -> false;
            default -> throw StatementRefusedException.unsupported("the introducer " + introducer);
        };
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
        ValueSlot.Kind kind = KINDS.get(value.getClass());
        if (kind == null) {
            throw new IllegalArgumentException("value of " + value.getClass());
        }
        return kind;
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
}
