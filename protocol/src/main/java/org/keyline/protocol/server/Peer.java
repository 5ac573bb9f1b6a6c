package org.keyline.protocol.server;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import org.keyline.protocol.memory.MemoryAccount;

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

    /**
     * Runs a step of this connection's, now if this is its loop, else by a task of the loop. Whatever the step throws is told to the
     * listener and ends the connection: ERR 1105, or the code of a breach of the protocol, then close. Every callback and every task
     * that acts for a client does so within this.
     */
    void run(Runnable step);

    /** What is kept for this client; closed with the connection. */
    MemoryAccount memory();

    /** Closes the connection after what is written so far; further calls do nothing. May be called on any thread. */
    void closeConnection();
}
