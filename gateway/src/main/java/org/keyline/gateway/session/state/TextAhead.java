package org.keyline.gateway.session.state;

import io.netty.buffer.ByteBuf;

/** A place for a short statement's text, to digest it where the network's buffer has it. Confined to one event loop. */
public final class TextAhead {
    /** Statements that are longer are not looked at ahead: keys are short. */
    public static final int MAX_BYTES = 1024;

    private final byte[] bytes = new byte[MAX_BYTES];

    /** Copies the rest of a packet's payload, at most {@link #MAX_BYTES}; answers the array, which is good until the next call. */
    byte[] copy(ByteBuf payload, int at, int length) {
        payload.getBytes(at, bytes, 0, length);
        return bytes;
    }
}
