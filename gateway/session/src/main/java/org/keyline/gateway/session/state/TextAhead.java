package org.keyline.gateway.session.state;

import io.netty.buffer.ByteBuf;

/**
 * A buffer for the text of a short statement that is digested before its dispatch. Confined to one
 * event loop.
 */
public final class TextAhead {
    /** The maximum length. Longer statements are not prefetched, because keys are short. */
    public static final int MAX_BYTES = 1024;

    private final byte[] bytes = new byte[MAX_BYTES];

    /**
     * Copies the rest of a packet's payload, at most {@link #MAX_BYTES}. Returns the array, which
     * is valid until the next call.
     */
    byte[] copy(ByteBuf payload, int at, int length) {
        payload.getBytes(at, bytes, 0, length);
        return bytes;
    }
}
