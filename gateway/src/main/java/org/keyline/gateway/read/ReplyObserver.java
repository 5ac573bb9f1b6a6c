package org.keyline.gateway.read;

import io.netty.buffer.ByteBuf;

/** Sees the store's reply to a forwarded point read while it passes to the client. Confined to one event loop. */
public interface ReplyObserver {
    /** Sees whole packets of the reply; {@code framed} is borrowed and stays as it is. */
    void packets(ByteBuf framed);

    /** The reply is complete. */
    void end();

    /** There will be no reply, or no more of it, or not soon, since the client does not take it. */
    void lost();
}
