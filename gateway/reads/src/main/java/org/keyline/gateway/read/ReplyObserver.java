package org.keyline.gateway.read;

import io.netty.buffer.ByteBuf;

/** Observes the store's reply to a forwarded point read. Confined to one event loop. */
public interface ReplyObserver {
    /** Receives whole packets of the reply. The buffer must not be changed or released. */
    void packets(ByteBuf framed);

    void end();

    /**
     * Called if the rest of the reply will not come, or may be delayed because the client does not
     * read.
     */
    void lost();
}
