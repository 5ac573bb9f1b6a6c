package org.keyline.protocol.codec;

import io.netty.buffer.ByteBuf;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;

/**
 * Formats numbers as MySQL prints them in text rows. Integers and times are written digit by digit;
 * only the formatting of floating-point numbers allocates memory.
 *
 * <p>MySQL prints a DOUBLE with the fewest digits that read back as the same number, and a FLOAT
 * with at most six digits. Both use plain notation if the decimal point is within 15 places of the
 * first digit. If not, they use the forms {@code 1.5e20} and {@code 1e-16}.
 *
 * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/floating-point-types.html">Floating-point
 * types</a>
 */
final class NumberText {
    /** The decimals of a FLOAT or DOUBLE column whose values can have any number of decimals. */
    static final int NOT_FIXED_DECIMALS = 31;

    private static final int MAX_PLAIN_PLACES = 15;
    private static final int FLOAT_DIGITS = 6;
    private static final int EXACT_DOUBLE_DIGITS = 15;
    private static final int MIN_PRINTED_DIGITS = 2;
    private static final byte[] MIN_VALUE = "-9223372036854775808".getBytes(StandardCharsets.US_ASCII);

    private NumberText() {}

    static void int64(ByteBuf out, long value, int minDigits) {
        if (value == Long.MIN_VALUE) {
            out.writeBytes(MIN_VALUE);
            return;
        }
        long magnitude = value;
        if (value < 0) {
            out.writeByte('-');
            magnitude = -value;
        }
        digits(out, magnitude, Math.max(digitCount(magnitude), minDigits));
    }

    static void uint64(ByteBuf out, long value, int minDigits) {
        if (value >= 0) {
            int64(out, value, minDigits);
            return;
        }
        long head = Long.divideUnsigned(value, 10);
        digits(out, head, Math.max(digitCount(head), minDigits - 1));
        out.writeByte((int) ('0' + (value - head * 10)));
    }

    /** Writes a non-negative number with leading zeros, as {@code count} digits. */
    static void digits(ByteBuf out, long value, int count) {
        int from = out.writerIndex();
        out.ensureWritable(count);
        out.writerIndex(from + count);
        long rest = value;
        for (int i = from + count - 1; i >= from; i--) {
            long head = rest / 10;
            out.setByte(i, (int) ('0' + (rest - head * 10)));
            rest = head;
        }
    }

    static void fraction(ByteBuf out, int micros, int decimals) {
        if (decimals <= 0) {
            return;
        }
        out.writeByte('.');
        int shown = micros;
        for (int i = decimals; i < 6; i++) {
            shown /= 10;
        }
        digits(out, shown, Math.min(decimals, 6));
    }

    private static int digitCount(long value) {
        int count = 1;
        for (long bound = 10; count < 19 && value >= bound; bound *= 10) {
            count++;
        }
        return count;
    }

    static String float64(double value, int decimals) {
        if (!Double.isFinite(value)) {
            return notFinite(value);
        }
        if (decimals < NOT_FIXED_DECIMALS) {
            return new BigDecimal(value)
                    .setScale(decimals, RoundingMode.HALF_EVEN)
                    .toPlainString();
        }
        return value == 0 ? zero(value) : plainOrScientific(shortest(value));
    }

    static String float32(float value, int decimals) {
        if (!Float.isFinite(value)) {
            return notFinite(value);
        }
        if (decimals < NOT_FIXED_DECIMALS) {
            return new BigDecimal(value)
                    .setScale(decimals, RoundingMode.HALF_EVEN)
                    .toPlainString();
        }
        MathContext digits = new MathContext(FLOAT_DIGITS, RoundingMode.HALF_EVEN);
        return value == 0 ? zero(value) : plainOrScientific(new BigDecimal(value).round(digits));
    }

    /**
     * Returns the decimal number with the fewest digits that reads back as {@code value}.
     * Double.toString prints at least two digits, and before JDK 19 sometimes one digit too many.
     */
    private static BigDecimal shortest(double value) {
        BigDecimal printed = new BigDecimal(Double.toString(value));
        int precision = printed.precision();
        if (precision > MIN_PRINTED_DIGITS && precision <= EXACT_DOUBLE_DIGITS) {
            return printed;
        }
        BigDecimal exact = new BigDecimal(value);
        for (int digits = precision > EXACT_DOUBLE_DIGITS ? EXACT_DOUBLE_DIGITS : 1; digits < precision; digits++) {
            BigDecimal shorter = exact.round(new MathContext(digits, RoundingMode.HALF_EVEN));
            if (shorter.doubleValue() == value) {
                return shorter;
            }
        }
        return printed;
    }

    private static String plainOrScientific(BigDecimal value) {
        BigDecimal digits = value.stripTrailingZeros();
        int point = digits.precision() - digits.scale();
        if (point <= MAX_PLAIN_PLACES && point > -MAX_PLAIN_PLACES) {
            return digits.toPlainString();
        }
        String unscaled = digits.unscaledValue().abs().toString();
        StringBuilder text = new StringBuilder(unscaled.length() + 8);
        if (digits.signum() < 0) {
            text.append('-');
        }
        text.append(unscaled.charAt(0));
        if (unscaled.length() > 1) {
            text.append('.').append(unscaled, 1, unscaled.length());
        }
        return text.append('e').append(point - 1).toString();
    }

    private static String zero(double value) {
        return 1 / value < 0 ? "-0" : "0";
    }

    /**
     * Returns the text of an infinite value or NaN. MySQL has no such values, but other stores with
     * this protocol do.
     */
    private static String notFinite(double value) {
        return Double.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
    }
}
