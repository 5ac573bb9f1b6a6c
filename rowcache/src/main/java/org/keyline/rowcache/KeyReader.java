package org.keyline.rowcache;

import java.math.BigInteger;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads the cells of a key, first to last. Confined to one thread at a time. A key must come from a
 * {@link KeyEncoder}; other bytes cause an {@link IllegalArgumentException}.
 */
public final class KeyReader {
    public enum Cell {
        NULL,
        INT64,
        UINT64,
        INT128,
        DECIMAL,
        BYTES
    }

    private byte[] key = Bytes.NONE;
    private int position;
    private int end;

    /** Begins with another key. The array is borrowed until the next call. */
    public KeyReader wrap(byte[] key, int from, int to) {
        Objects.checkFromToIndex(from, to, key.length);
        this.key = key;
        this.position = from;
        this.end = to;
        return this;
    }

    public int position() {
        return position;
    }

    /** Returns the type of the next cell; null after the last one. */
    public @Nullable Cell next() {
        if (position == end) {
            return null;
        }
        return switch (key[position]) {
            case KeyEncoder.NULL_TAG -> Cell.NULL;
            case KeyEncoder.INT64_TAG -> Cell.INT64;
            case KeyEncoder.UINT64_TAG -> Cell.UINT64;
            case KeyEncoder.INT128_TAG -> Cell.INT128;
            case KeyEncoder.DECIMAL_TAG -> Cell.DECIMAL;
            case KeyEncoder.BYTES_TAG -> Cell.BYTES;
            default -> throw malformed();
        };
    }

    public void nullCell() {
        tag(KeyEncoder.NULL_TAG);
    }

    public long int64() {
        tag(KeyEncoder.INT64_TAG);
        return fixed64() ^ Long.MIN_VALUE;
    }

    public long uint64() {
        tag(KeyEncoder.UINT64_TAG);
        return fixed64();
    }

    public BigInteger int128() {
        tag(KeyEncoder.INT128_TAG);
        long high = fixed64() ^ Long.MIN_VALUE;
        long low = fixed64();
        BigInteger unsignedLow = BigInteger.valueOf(low >>> 1).shiftLeft(1).or(BigInteger.valueOf(low & 1));
        return BigInteger.valueOf(high).shiftLeft(Long.SIZE).or(unsignedLow);
    }

    /** Returns the unscaled value. */
    public BigInteger decimal() {
        tag(KeyEncoder.DECIMAL_TAG);
        need(1);
        int header = (key[position++] & 0xFF) - KeyEncoder.DECIMAL_ZERO;
        byte[] magnitude = new byte[Math.abs(header)];
        need(magnitude.length);
        for (int i = 0; i < magnitude.length; i++) {
            magnitude[i] = header < 0 ? (byte) ~key[position++] : key[position++];
        }
        return new BigInteger(Integer.signum(header), magnitude);
    }

    public byte[] bytes() {
        tag(KeyEncoder.BYTES_TAG);
        int from = position;
        int escapes = skipBytes();
        byte[] value = new byte[position - 2 - from - escapes];
        for (int i = from, to = 0; to < value.length; i++) {
            value[to++] = key[i];
            if (key[i] == KeyEncoder.ESCAPED) {
                i++;
            }
        }
        return value;
    }

    public void skip() {
        Cell cell = next();
        if (cell == null) {
            throw malformed();
        }
        position++;
        switch (cell) {
            case NULL -> {}
            case INT64, UINT64 -> pass(Long.BYTES);
            case INT128 -> pass(2 * Long.BYTES);
            case DECIMAL -> {
                need(1);
                pass(Math.abs((key[position++] & 0xFF) - KeyEncoder.DECIMAL_ZERO));
            }
            case BYTES -> skipBytes();
        }
    }

    private void pass(int bytes) {
        need(bytes);
        position += bytes;
    }

    /** Returns the number of escapes before the terminator. */
    private int skipBytes() {
        for (int escapes = 0; ; escapes++) {
            while (position < end && key[position] != KeyEncoder.ESCAPED) {
                position++;
            }
            need(2);
            byte after = key[position + 1];
            position += 2;
            if (after == KeyEncoder.TERMINATOR) {
                return escapes;
            }
            if (after != KeyEncoder.ESCAPED_ZERO) {
                throw malformed();
            }
        }
    }

    private long fixed64() {
        need(Long.BYTES);
        long value = (long) Bytes.BIG_ENDIAN_LONG.get(key, position);
        position += Long.BYTES;
        return value;
    }

    private void tag(byte tag) {
        need(1);
        if (key[position] != tag) {
            throw malformed();
        }
        position++;
    }

    private void need(int bytes) {
        if (end - position < bytes) {
            throw malformed();
        }
    }

    private IllegalArgumentException malformed() {
        return new IllegalArgumentException("not a key: stopped " + (end - position) + " bytes before its end");
    }
}
