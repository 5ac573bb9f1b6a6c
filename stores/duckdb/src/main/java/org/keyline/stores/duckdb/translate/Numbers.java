package org.keyline.stores.duckdb.translate;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;

/** Converts values to numbers, and numbers to text, by MySQL's rules. */
final class Numbers {
    private static final Pattern NUMBER = Pattern.compile("\\s*+[-+]?(?:\\d++\\.?\\d*+|\\.\\d++)(?:[eE][-+]?\\d++)?");

    private static final int MAX_EXPONENT = 400;

    private Numbers() {}

    /**
     * Returns the value as a BigInteger, BigDecimal or Double. Text becomes the number at its
     * beginning.
     */
    static Object of(Object value) {
        if (value instanceof Long || value instanceof Integer) {
            return BigInteger.valueOf(((Number) value).longValue());
        }
        if (value instanceof BigInteger || value instanceof BigDecimal || value instanceof Double) {
            return value;
        }
        if (value instanceof Float single) {
            return (double) single;
        }
        if (value instanceof byte[] bytes) {
            return prefix(new String(bytes, ISO_8859_1));
        }
        if (value instanceof LocalDate || value instanceof LocalDateTime) {
            throw StatementRefusedException.unsupported("dates as numbers");
        }
        return prefix(value.toString());
    }

    static double toDouble(Object number) {
        return ((Number) number).doubleValue();
    }

    /**
     * Returns a number without decimals; null for an infinity or NaN. Decimals are rounded half up.
     */
    static @Nullable BigInteger rounded(Object number, RoundingMode ofDouble) {
        if (number instanceof BigInteger big) {
            return big;
        }
        if (number instanceof BigDecimal decimal) {
            return decimal.setScale(0, RoundingMode.HALF_UP).toBigInteger();
        }
        double real = (Double) number;
        return Double.isFinite(real)
                ? new BigDecimal(real).setScale(0, ofDouble).toBigInteger()
                : null;
    }

    /**
     * Returns the number at the beginning of a text, after white space; 0 if the text does not
     * begin with a number.
     */
    static Object prefix(String text) {
        int end = prefixEnd(text);
        String digits = text.substring(0, end).strip();
        if (digits.isEmpty()) {
            return BigInteger.ZERO;
        }
        if (digits.indexOf('e') >= 0 || digits.indexOf('E') >= 0) {
            return Double.parseDouble(digits);
        }
        if (digits.length() > MAX_EXPONENT) {
            return Double.parseDouble(digits);
        }
        return digits.indexOf('.') >= 0 ? new BigDecimal(withoutEndPoint(digits)) : new BigInteger(withoutPlus(digits));
    }

    /** Returns whether a whole text is a number, apart from surrounding white space. */
    static boolean isNumber(String text) {
        int end = prefixEnd(text);
        return end > 0
                && !text.substring(0, end).isBlank()
                && text.substring(end).isBlank();
    }

    static boolean beginsWithNumber(String text) {
        return !text.substring(0, prefixEnd(text)).isBlank();
    }

    private static String withoutPlus(String digits) {
        return digits.charAt(0) == '+' ? digits.substring(1) : digits;
    }

    private static String withoutEndPoint(String digits) {
        return digits.endsWith(".") ? digits.substring(0, digits.length() - 1) : digits;
    }

    /**
     * Returns the index after the number at the beginning of a text; 0 if the text does not begin
     * with a number.
     */
    private static int prefixEnd(String text) {
        Matcher number = NUMBER.matcher(text);
        return number.lookingAt() ? number.end() : 0;
    }

    /**
     * Returns the text of a double as MySQL prints it, with the fewest digits that identify it. The
     * text has an exponent if the magnitude is at least 1e15 or below 1e-15.
     */
    static String text(double value) {
        return text(value, Double.toString(value));
    }

    static String text(float value) {
        return text(value, Float.toString(value));
    }

    private static String text(double value, String shortest) {
        if (!Double.isFinite(value)) {
            return shortest;
        }
        if (value == 0) {
            return 1 / value < 0 ? "-0" : "0";
        }
        BigDecimal decimal = new BigDecimal(shortest).stripTrailingZeros();
        int exponent = decimal.precision() - decimal.scale() - 1;
        if (exponent >= 15 || exponent < -15) {
            String digits = decimal.unscaledValue().abs().toString();
            String mantissa = digits.length() == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
            return (value < 0 ? "-" : "") + mantissa + "e" + exponent;
        }
        return decimal.toPlainString();
    }
}
