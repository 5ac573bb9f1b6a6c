package org.keyline.protocol.codec;

import io.netty.buffer.ByteBuf;

/** A reusable byte array. The next copy replaces an array that a large copy has enlarged. */
final class Scratch {
    static final byte[] NONE = {};

    private static final int MIN_BYTES = 256;
    private static final int MAX_RETAINED_BYTES = 64 * 1024;

    private byte[] bytes = NONE;

    /** Copies to index 0 of the array and returns the array, valid until the next call. */
    byte[] copy(ByteBuf from, int index, int length) {
        if (bytes.length < length || bytes.length > MAX_RETAINED_BYTES) {
            bytes = new byte
                    [length > MAX_RETAINED_BYTES ? length : Math.max(MIN_BYTES, Integer.highestOneBit(length) << 1)];
        }
        from.getBytes(index, bytes, 0, length);
        return bytes;
    }
}
