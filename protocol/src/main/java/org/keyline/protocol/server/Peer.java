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

    EventLoop loop();

    ByteBufAllocator alloc();

    /**
     * Runs a step of this connection. If called on its loop, runs the step at once. If not,
     * schedules a task of the loop. If the step throws, the client gets an error and the connection
     * is closed. Call this method in every callback and task for the client.
     */
    void run(Runnable step);

    /** Returns the connection's memory account, which is closed with the connection. */
    MemoryAccount memory();

    /** Closes the connection after the output so far is sent. Idempotent and thread-safe. */
    void closeConnection();
}
