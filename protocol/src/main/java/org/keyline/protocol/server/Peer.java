package org.keyline.protocol.server;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import org.keyline.protocol.memory.MemoryAccount;

/** The client of an open connection. */
public interface Peer {
    /** Returns the id in the greeting, which KILL accepts. */
    int connectionId();

    /** Returns the negotiated flags, a bit set of {@link org.keyline.protocol.Capabilities}. */
    int capabilities();

    /** Returns the loop that runs everything of this connection. */
    EventLoop loop();

    /** Returns the allocator for buffers of this client. */
    ByteBufAllocator alloc();

    /**
     * Runs a step of this connection, immediately on its loop, otherwise as a task of the loop. If
     * the step throws, the listener is notified, the client gets ERR 1105 or the code of a protocol
     * breach, and the connection is closed. Every callback and every task on behalf of a client
     * runs within this method.
     */
    void run(Runnable step);

    /** Returns the memory account of this client, which is closed with the connection. */
    MemoryAccount memory();

    /**
     * Closes the connection after the output written so far. Further calls have no effect. May be
     * called on any thread.
     */
    void closeConnection();
}
