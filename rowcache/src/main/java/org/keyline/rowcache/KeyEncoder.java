package org.keyline.rowcache;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Objects;

/**
 * A reusable buffer that encodes the cells of a key as bytes whose unsigned order is the order of
 * the keys. The encoding of a key's first cells is a prefix of the encoding of the whole key.
 * Confined to one thread at a time. Allocates only when it grows.
 *
 * <p>The caller passes bytes and numbers that are already canonical (collation, time zone, scale).
 * All cells of one column must use the same method.
 *
 * <p>{@link #fits()} returns false if a key is too long, or if the store's comparison of a value
 * cannot be expressed in bytes. Rows with such a key are not cached.
 */
public final class KeyEncoder {
    /*
     * A cell is a tag byte and a body. NULL is only a tag, the lowest tag. Integers are big-endian,
     * signed ones with the sign bit flipped. A decimal is a length byte and the magnitude,
     * complemented if negative. The length byte is 0x80 plus the number of magnitude bytes, or 0x80
     * minus that number if negative. Each number therefore has one form. Bytes end in 00 01, and a
     * 00 within them is escaped as 00 FF. Therefore no encoding is a prefix of another encoding,
     * and "a" sorts below "a\0".
     *
     * Tags are below 0xFF, so that prefix + FF is above every key that begins with prefix.
     */

    public static final int MAX_BYTES = 16_384;

    public static final int MAX_CELLS = 64;

    /**
     * A byte that can follow the last cell. The result sorts above every key that begins with these
     * cells, and below all other greater keys.
     */
    public static final byte ABOVE = (byte) 0xFF;

    static final byte NULL_TAG = 0x10;
    static final byte INT64_TAG = 0x20;
    static final byte UINT64_TAG = 0x21;
    static final byte INT128_TAG = 0x22;
    static final byte DECIMAL_TAG = 0x23;
    static final byte BYTES_TAG = 0x30;

    static final byte ESCAPED = 0x00;
    static final byte ESCAPED_ZERO = (byte) 0xFF;
    static final byte TERMINATOR = 0x01;

    static final int DECIMAL_ZERO = 0x80;
    static final int MAX_DECIMAL_BYTES = 0x7F;

    private static final int INITIAL_BYTES = 128;

    private byte[] buffer = new byte[INITIAL_BYTES];
    private final int[] cellEnds = new int[MAX_CELLS];
    private int length;
    private int cells;
    private boolean fits = true;

    /** Begins a new key in the same buffer. */
    public KeyEncoder reset() {
        length = 0;
        cells = 0;
        fits = true;
        return this;
    }

    /** Appends NULL, which is lower than every value. */
    public KeyEncoder nullCell() {
        if (room(1)) {
            buffer[length++] = NULL_TAG;
            endCell();
        }
        return this;
    }

    public KeyEncoder int64(long value) {
        if (room(1 + Long.BYTES)) {
            buffer[length++] = INT64_TAG;
            fixed64(value ^ Long.MIN_VALUE);
            endCell();
        }
        return this;
    }

    public KeyEncoder uint64(long value) {
        if (room(1 + Long.BYTES)) {
            buffer[length++] = UINT64_TAG;
            fixed64(value);
            endCell();
        }
        return this;
    }

    /** Appends a signed 128-bit integer; the upper half is signed, the lower half is not. */
    public KeyEncoder int128(long high, long low) {
        if (room(1 + 2 * Long.BYTES)) {
            buffer[length++] = INT128_TAG;
            fixed64(high ^ Long.MIN_VALUE);
            fixed64(low);
            endCell();
        }
        return this;
    }

    /** Appends a decimal as the same bytes as {@link #decimal(BigInteger)}. */
    public KeyEncoder decimal(long unscaled) {
        // The magnitude of Long.MIN_VALUE is 2^63. As an unsigned number, it is correct.
        long magnitude = Math.abs(unscaled);
        int bytes = (Long.SIZE - Long.numberOfLeadingZeros(magnitude) + Byte.SIZE - 1) / Byte.SIZE;
        if (room(2 + bytes)) {
            buffer[length++] = DECIMAL_TAG;
            buffer[length++] = (byte) (unscaled < 0 ? DECIMAL_ZERO - bytes : DECIMAL_ZERO + bytes);
            int flip = unscaled < 0 ? 0xFF : 0;
            for (int shift = (bytes - 1) * Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
                buffer[length++] = (byte) ((magnitude >>> shift) ^ flip);
            }
            endCell();
        }
        return this;
    }

    /** Appends a decimal by its unscaled value (at most 127 bytes) at the column's scale. */
    public KeyEncoder decimal(BigInteger unscaled) {
        if (unscaled.bitLength() < Long.SIZE) {
            return decimal(unscaled.longValue());
        }
        byte[] magnitude = unscaled.abs().toByteArray();
        int from = magnitude[0] == 0 ? 1 : 0;
        int bytes = magnitude.length - from;
        if (bytes > MAX_DECIMAL_BYTES) {
            fits = false;
        } else if (room(2 + bytes)) {
            boolean negative = unscaled.signum() < 0;
            buffer[length++] = DECIMAL_TAG;
            buffer[length++] = (byte) (negative ? DECIMAL_ZERO - bytes : DECIMAL_ZERO + bytes);
            for (int i = from; i < magnitude.length; i++) {
                buffer[length++] = negative ? (byte) ~magnitude[i] : magnitude[i];
            }
            endCell();
        }
        return this;
    }

    /** Appends bytes, which compare as unsigned bytes. */
    public KeyEncoder bytes(byte[] source, int from, int to) {
        Objects.checkFromToIndex(from, to, source.length);
        if (to - from > MAX_BYTES || !room(1 + escapedLength(source, from, to) + 2)) {
            fits = false;
            return this;
        }
        buffer[length++] = BYTES_TAG;
        for (int i = from; i < to; i++) {
            byteOf(source[i]);
        }
        endBytes();
        return this;
    }

    /** Appends {@code map[byte]} for each byte, such as its weight in a collation. */
    public KeyEncoder bytes(byte[] source, int from, int to, byte[] map) {
        Objects.checkFromToIndex(from, to, source.length);
        if (to - from > MAX_BYTES || !room(1 + 2 * (to - from) + 2)) {
            fits = false;
            return this;
        }
        buffer[length++] = BYTES_TAG;
        for (int i = from; i < to; i++) {
            byteOf(map[source[i] & 0xFF]);
        }
        endBytes();
        return this;
    }

    private void byteOf(byte value) {
        buffer[length++] = value;
        if (value == ESCAPED) {
            buffer[length++] = ESCAPED_ZERO;
        }
    }

    private void endBytes() {
        buffer[length++] = ESCAPED;
        buffer[length++] = TERMINATOR;
        endCell();
    }

    /**
     * Appends the cells of {@code key[from..to)} unchanged.
     *
     * @param reader positioned at the first of these cells
     */
    public KeyEncoder cells(byte[] key, int from, int to, KeyReader reader) {
        int at = from;
        while (at < to) {
            reader.skip();
            if (!room(reader.position() - at)) {
                return this;
            }
            System.arraycopy(key, at, buffer, length, reader.position() - at);
            length += reader.position() - at;
            at = reader.position();
            endCell();
        }
        return this;
    }

    /** Removes all cells but the first {@code count}. */
    public KeyEncoder truncate(int count) {
        length = cellEnd(count);
        cells = count;
        return this;
    }

    /** Marks a key with a value whose comparison cannot be expressed in bytes. */
    public KeyEncoder unfit() {
        fits = false;
        return this;
    }

    public boolean fits() {
        return fits;
    }

    /** Returns the buffer, which is valid until the next change. Callers must not modify it. */
    public byte[] buffer() {
        return buffer;
    }

    public int length() {
        return length;
    }

    public int cells() {
        return cells;
    }

    /** Returns the length of the first {@code count} cells in bytes. */
    public int cellEnd(int count) {
        Objects.checkIndex(count, cells + 1);
        return count == 0 ? 0 : cellEnds[count - 1];
    }

    public byte[] toBytes() {
        return Arrays.copyOf(buffer, length);
    }

    private static int escapedLength(byte[] source, int from, int to) {
        int zeros = 0;
        for (int i = from; i < to; i++) {
            zeros += source[i] == ESCAPED ? 1 : 0;
        }
        return to - from + zeros;
    }

    private void fixed64(long value) {
        Bytes.BIG_ENDIAN_LONG.set(buffer, length, value);
        length += Long.BYTES;
    }

    private void endCell() {
        cellEnds[cells++] = length;
    }

    private boolean room(int bytes) {
        int needed = length + bytes;
        if (!fits || needed > MAX_BYTES || cells == MAX_CELLS) {
            fits = false;
            return false;
        }
        if (needed > buffer.length) {
            buffer = Arrays.copyOf(buffer, Math.min(MAX_BYTES, Math.max(needed, 2 * buffer.length)));
        }
        return true;
    }
}
