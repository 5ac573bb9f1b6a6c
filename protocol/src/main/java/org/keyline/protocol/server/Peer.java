package org.keyline.protocol.server;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import org.keyline.protocol.memory.MemoryAccount;

/** The client of an open connection. */
public interface Peer {
    /** Returns the id in the greeting, which KILL accepts. */
    int connectionId();

    /** Returns a bit set of {@link org.keyline.protocol.Capabilities}. */
    int capabilities();

    EventLoop loop();

    ByteBufAllocator alloc();

    /**
     * Runs a step of this connection, immediately on its loop, otherwise as a task of the loop. If
     * the step throws, the client gets an error and the connection is closed. Every callback and
     * every task for a client runs within this method.
     */
    void run(Runnable step);

    /** Returns an account that is closed with the connection. */
    MemoryAccount memory();

    /** Closes after the output written so far. Idempotent and thread-safe. */
    void closeConnection();
}
