package org.keyline.gateway.session.state;

import io.netty.buffer.ByteBuf;

/** A buffer for statements that are digested before dispatch. Confined to one event loop. */
public final class TextAhead {
    /** Maximum length of a statement whose lines are prefetched. Reads by key are short. */
    public static final int MAX_BYTES = 1024;

    private final byte[] bytes = new byte[MAX_BYTES];

    /** Copies at most {@link #MAX_BYTES}. The returned array is valid until the next call. */
    byte[] copy(ByteBuf payload, int at, int length) {
        payload.getBytes(at, bytes, 0, length);
        return bytes;
    }
}
