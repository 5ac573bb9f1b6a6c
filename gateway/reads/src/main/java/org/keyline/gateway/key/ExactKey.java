package org.keyline.gateway.key;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Lenenc;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.KeyReader;

/** A key column of decimals with fixed scale, or integers beyond 64 bits. Immutable. */
final class ExactKey extends KeyColumn {
    private static final int MAX_DIGITS = 80;
    private static final int LARGEINT_BITS = 127;

    private final int scale;
    private final @Nullable BigInteger min;
    private final @Nullable BigInteger max;

    private ExactKey(int scale, @Nullable BigInteger min, @Nullable BigInteger max) {
        this.scale = scale;
        this.min = min;
        this.max = max;
    }

    /** @param precision total number of digits; 0 if unknown */
    static ExactKey decimal(int precision, int scale, boolean unsigned) {
        BigInteger max = precision == 0 ? null : BigInteger.TEN.pow(precision).subtract(BigInteger.ONE);
        BigInteger min = unsigned ? BigInteger.ZERO : max == null ? null : max.negate();
        return new ExactKey(scale, min, max);
    }

    static ExactKey largeint() {
        BigInteger bound = BigInteger.TWO.pow(LARGEINT_BITS);
        return new ExactKey(0, bound.negate(), bound.subtract(BigInteger.ONE));
    }

    @Override
    public boolean bind(SlotValues values, int slot, boolean negated, KeyEncoder key) {
        BigInteger unscaled = switch (values.kind(slot)) {
            case INTEGER -> BigInteger.valueOf(values.integer(slot)).multiply(BigInteger.TEN.pow(scale));
            case DECIMAL -> unscaled(values.bytes(slot), values.offset(slot), values.length(slot));
            default -> null;
        };
        if (unscaled == null) {
            return false;
        }
        BigInteger value = negated ? unscaled.negate() : unscaled;
        // An INSERT of a value out of range may store the nearest number in range instead, so such
        // a value gets no key bytes.
        if ((min != null && value.compareTo(min) < 0) || (max != null && value.compareTo(max) > 0)) {
            return false;
        }
        key.decimal(value);
        return true;
    }

    /**
     * Returns the text's number times ten to the power of {@code scale}; null if the text is no
     * number, or has more digits than {@code scale} after the point, not counting trailing zeros.
     */
    private @Nullable BigInteger unscaled(byte[] text, int offset, int length) {
        if (length == 0 || length > MAX_DIGITS) {
            return null;
        }
        StringBuilder digits = new StringBuilder(length + scale);
        int fraction = -1;
        int seen = 0;
        // True until a digit is appended. At scale 0, ".0" appends no digit.
        boolean none = true;
        for (int i = offset; i < offset + length; i++) {
            byte at = text[i];
            if (at == '.' && fraction < 0) {
                fraction = 0;
            } else if (at >= '0' && at <= '9') {
                seen++;
                if (fraction < scale) {
                    digits.append((char) at);
                    none = false;
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
        if (none && scale == 0) {
            digits.append('0');
        }
        return new BigInteger(digits.toString());
    }

    @Override
    public boolean text(byte[] row, int offset, int length, KeyEncoder key) {
        BigInteger unscaled = unscaled(row, offset, length);
        if (unscaled == null) {
            return false;
        }
        key.decimal(unscaled);
        return true;
    }

    @Override
    public boolean binary(byte[] row, int offset, int length, KeyEncoder key) {
        return text(row, offset, length, key);
    }

    private String digits(KeyReader key) {
        return new BigDecimal(key.decimal(), scale).toPlainString();
    }

    @Override
    public void literal(KeyReader key, ByteBuf sql) {
        ByteBufUtil.writeAscii(sql, digits(key));
    }

    @Override
    public int parameterType() {
        return TYPE_NEWDECIMAL;
    }

    @Override
    public void parameter(KeyReader key, ByteBuf values) {
        byte[] digits = digits(key).getBytes(StandardCharsets.US_ASCII);
        Lenenc.writeBytes(values, digits);
    }
}
