package org.keyline.protocol.server;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;

/** The client's end of a connection, for as long as it lives. */
public interface Peer {
    /** The id the greeting told, and that KILL takes. */
    int connectionId();

    /** Flags that both sides have; a bit set of {@link org.keyline.protocol.Capabilities}. */
    int capabilities();

    /** The loop that runs everything of this connection. */
    EventLoop loop();

    /** Where buffers for this client come from. */
    ByteBufAllocator alloc();

    /** Closes the connection after what is written so far; further calls do nothing. May be called on any thread. */
    void closeConnection();
}
