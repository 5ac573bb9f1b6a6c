package org.keyline.gateway.read;

import io.netty.buffer.ByteBuf;

/** Observes the store's reply to a forwarded point read. Confined to one event loop. */
public interface ReplyObserver {
    /** Receives whole packets of the reply. Must neither change nor release the buffer. */
    void packets(ByteBuf framed);

    void end();

    /**
     * Called when no further packets will come, or when they might come late because the client
     * does not read them.
     */
    void lost();
}
