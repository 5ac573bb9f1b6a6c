package org.keyline.stores.duckdb.translate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.LocalDateTime;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.StatementRefusedException;

/**
 * Converts the values of parameters by MySQL's rules to values for DuckDB: Long, BigInteger,
 * BigDecimal, Double, String, byte[], LocalDate, LocalDateTime or null.
 */
public final class Values {

    /** A time before the first date that a column can hold. */
    private static final LocalDateTime NO_MOMENT = LocalDateTime.of(0, 1, 1, 0, 0);

    private static final int MAX_DECIMAL_DIGITS = 38;
    private static final int MAX_INTEGER_BITS = 127;
    private static final BigInteger MIN_LONG = BigInteger.valueOf(Long.MIN_VALUE);
    private static final BigInteger MAX_LONG = BigInteger.valueOf(Long.MAX_VALUE);

    private Values() {}

    /** Returns the converted value of a literal or placeholder. */
    public static @Nullable Object of(ValueSlot slot, Parameter parameter) {
        boolean number =
                slot.value() instanceof byte[] && parameter.conversion().isNumeric();
        if (number && slot.kind() != ValueSlot.Kind.HEX && !slot.placeholder()) {
            throw StatementRefusedException.unsupported("x'…' as a number; write 0x…");
        }
        number &= slot.kind() == ValueSlot.Kind.HEX;
        return converted(
                number && slot.value() instanceof byte[] bytes ? new BigInteger(1, bytes) : slot.value(), parameter);
    }

    /** Returns a value, converted for a parameter. */
    public static @Nullable Object converted(@Nullable Object value, Parameter parameter) {
        @Nullable Object signed = parameter.negated() ? negated(value) : value;
        ColumnSchema column = parameter.column();
        return switch (parameter.conversion()) {
            case STORE -> column == null ? plain(signed) : StoredValues.of(signed, column);
            case NONE -> plain(signed);
            case NUMBER -> signed == null ? null : narrowed(Numbers.of(signed));
            case EQUAL, UNEQUAL, FLOOR, CEILING ->
                signed == null
                        ? null
                        : narrowed(comparable(Numbers.of(signed), parameter.peer(), parameter.conversion()));
            case DOUBLE -> signed == null ? null : (Object) Numbers.toDouble(Numbers.of(signed));
            case INTEGER -> signed == null ? null : integer(Numbers.of(signed));
            case STRING -> signed == null ? null : text(signed);
            case BYTES -> signed == null ? null : bytes(signed);
            case DATETIME -> signed == null ? null : Temporals.dateOrTime(signed);
            case SAME_MOMENT ->
                signed == null ? null : Objects.requireNonNullElse(Temporals.dateOrTime(signed), NO_MOMENT);
            case MOMENT -> signed == null ? null : present(Temporals.dateOrTime(signed), signed);
        };
    }

    private static Object present(@Nullable Object value, Object given) {
        if (value == null) {
            throw new StatementRefusedException(1525, "HY000", "Incorrect DATETIME value: '" + text(given) + "'");
        }
        return value;
    }

    private static @Nullable Object plain(@Nullable Object value) {
        if (value instanceof BigInteger big) {
            return narrowed(big);
        }
        if (value instanceof Float single) {
            return (double) single;
        }
        return value instanceof Integer small ? (Object) small.longValue() : value;
    }

    private static @Nullable Object negated(@Nullable Object value) {
        if (value == null) {
            return null;
        }
        Object number = Numbers.of(value);
        if (number instanceof BigInteger big) {
            return narrowed(big.negate());
        }
        if (number instanceof BigDecimal decimal) {
            return decimal.negate();
        }
        return 0.0 - (Double) number;
    }

    /**
     * Converts a BigInteger that fits into a Long to a Long, and a whole BigDecimal with too many
     * digits for DuckDB's DECIMAL to a BigInteger. Returns other numbers unchanged.
     */
    static Object narrowed(Object number) {
        if (number instanceof BigDecimal decimal
                && decimal.precision() > MAX_DECIMAL_DIGITS
                && decimal.stripTrailingZeros().scale() <= 0) {
            return decimal.toBigIntegerExact();
        }
        if (number instanceof BigInteger big && big.compareTo(MIN_LONG) >= 0 && big.compareTo(MAX_LONG) <= 0) {
            return big.longValue();
        }
        return number;
    }

    /**
     * Returns a number with the scale of the exact type that it is compared with. Returns infinity
     * if the number is beyond that type. For an equality, returns NaN if the number is between two
     * values of that type.
     */
    private static Object comparable(Object number, @Nullable SqlType peer, Conversion conversion) {
        if (peer == null || number instanceof Double) {
            return number;
        }
        BigDecimal exact = number instanceof BigInteger big ? new BigDecimal(big) : (BigDecimal) number;
        RoundingMode rounding = conversion == Conversion.CEILING ? RoundingMode.CEILING : RoundingMode.FLOOR;
        BigDecimal scaled = exact.setScale(peer.scale(), rounding);
        boolean whole = peer.family() == SqlType.Family.INTEGER;
        if (whole ? scaled.toBigInteger().bitLength() > MAX_INTEGER_BITS : scaled.precision() > MAX_DECIMAL_DIGITS) {
            return scaled.signum() < 0 ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        }
        boolean equality = conversion == Conversion.EQUAL || conversion == Conversion.UNEQUAL;
        if (equality && scaled.compareTo(exact) != 0) {
            return Double.NaN;
        }
        return whole ? scaled.toBigInteger() : scaled;
    }

    private static Object integer(Object number) {
        BigInteger rounded =
                Objects.requireNonNullElse(Numbers.rounded(number, RoundingMode.HALF_EVEN), BigInteger.ZERO);
        return rounded.max(MIN_LONG).min(MAX_LONG).longValue();
    }

    /** Returns the text of a value as MySQL prints it. */
    public static String text(Object value) {
        if (value instanceof byte[] bytes) {
            return characters(bytes);
        }
        if (value instanceof Double d) {
            return Numbers.text(d);
        }
        if (value instanceof Float f) {
            return Numbers.text(f);
        }
        if (value instanceof BigDecimal decimal) {
            return decimal.toPlainString();
        }
        return value instanceof LocalDateTime time ? Temporals.text(time) : value.toString();
    }

    private static String characters(byte[] bytes) {
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw StatementRefusedException.unsupported("bytes that are not UTF-8 as text");
        }
    }

    /** Returns the bytes of a binary value, or of the value's text in UTF-8. */
    public static byte[] bytes(Object value) {
        return value instanceof byte[] bytes ? bytes.clone() : text(value).getBytes(UTF_8);
    }
}
