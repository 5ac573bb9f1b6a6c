package org.keyline.stores;

import io.netty.buffer.ByteBuf;

/** Hears the reply to one command: any number of packets, then exactly one of {@code end} and {@code lost}. */
public interface ReplyListener {
    /**
     * Part of the reply: one or more whole packets with headers, sequence ids continuing from 1.
     *
     * @param framed owned by the callee
     */
    void packets(ByteBuf framed);

    /**
     * The reply goes on after packets from the client, which {@code packets} has delivered the request for.
     *
     * @return whether they will come, by {@link StoreSession#answer}; if not, the store is told that there is nothing
     */
    default boolean awaited() {
        return false;
    }

    /** The reply is complete; also called for commands that have none. */
    void end();

    /** The session is gone and the command's outcome is unknown. */
    void lost(Throwable cause);
}
