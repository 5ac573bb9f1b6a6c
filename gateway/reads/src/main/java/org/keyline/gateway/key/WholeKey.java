package org.keyline.gateway.key;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.KeyReader;

/** A key column of integers up to 64 bits. Immutable; thread-safe. */
final class WholeKey extends KeyColumn {
    private final long min;
    private final long max;
    private final long unsignedMax;
    private final boolean unsigned;

    WholeKey(long min, long max, long unsignedMax, boolean unsigned) {
        this.min = min;
        this.max = max;
        this.unsignedMax = unsignedMax;
        this.unsigned = unsigned;
    }

    @Override
    public boolean bind(SlotValues values, int slot, boolean negated, KeyEncoder key) {
        if (values.kind(slot) == SlotValues.Kind.DECIMAL) {
            return unsigned && !negated && bindUnsigned(values, slot, key);
        }
        long value = switch (values.kind(slot)) {
            case INTEGER, WHOLE_DOUBLE -> values.integer(slot);
            case TEXT ->
                negated ? Long.MIN_VALUE : canonical(values.bytes(slot), values.offset(slot), values.length(slot));
            default -> Long.MIN_VALUE;
        };
        // The lowest long marks a value that is no number. Statements with this number are
        // therefore forwarded, too.
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

    /** Binds numbers between 2^63 and 2^64. */
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
     * Returns the whole number that a text spells canonically; {@link Long#MIN_VALUE} for other
     * texts. Numbers of more than 15 digits count as other texts, because stores compare
     * numbers with strings as doubles, which may not be exact.
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
    public boolean text(byte[] row, int offset, int length, KeyEncoder key) {
        boolean negative = length > 1 && row[offset] == '-';
        long value = 0;
        // Stored values are in range, so the sum overflows only for unsigned numbers from 2^63 on.
        // The bits of the sum are right nevertheless.
        for (int i = negative ? offset + 1 : offset; i < offset + length; i++) {
            if (row[i] < '0' || row[i] > '9') {
                return false;
            }
            value = value * 10 + (row[i] - '0');
        }
        append(negative ? -value : value, key);
        return true;
    }

    private void append(long value, KeyEncoder key) {
        if (unsigned) {
            key.uint64(value);
        } else {
            key.int64(value);
        }
    }

    @Override
    public boolean binary(byte[] row, int offset, int length, KeyEncoder key) {
        long value = 0;
        for (int i = length - 1; i >= 0; i--) {
            value = (value << 8) | (row[offset + i] & 0xFF);
        }
        int unused = Long.SIZE - 8 * length;
        append(unsigned ? value : (value << unused) >> unused, key);
        return true;
    }

    @Override
    public void literal(KeyReader key, ByteBuf sql) {
        String digits = unsigned ? Long.toUnsignedString(key.uint64()) : Long.toString(key.int64());
        ByteBufUtil.writeAscii(sql, digits);
    }

    @Override
    public int parameterType() {
        return unsigned ? TYPE_LONGLONG | (UNSIGNED << 8) : TYPE_LONGLONG;
    }

    @Override
    public void parameter(KeyReader key, ByteBuf values) {
        values.writeLongLE(unsigned ? key.uint64() : key.int64());
    }
}
