package org.keyline.gateway.read;

import io.netty.buffer.ByteBuf;

/**
 * An observer of the store's reply to a forwarded point read on its way to the client. Confined to
 * one event loop.
 */
public interface ReplyObserver {
    /** Receives whole packets of the reply; {@code framed} is borrowed and must not change. */
    void packets(ByteBuf framed);

    /** Receives the end of the reply. */
    void end();

    /**
     * Reports that no further packets will come, or that they may be late because the client does
     * not read them.
     */
    void lost();
}
