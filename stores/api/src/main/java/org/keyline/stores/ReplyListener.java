package org.keyline.stores;

import io.netty.buffer.ByteBuf;

/** Receives any number of packets, then exactly one of {@code end} and {@code lost}. */
public interface ReplyListener {
    /**
     * Receives one or more whole packets with headers. Their sequence ids continue from 1.
     *
     * @param framed the packets, owned by the callee
     */
    void packets(ByteBuf framed);

    /**
     * Called when the store awaits packets from the client, after {@link #packets} has delivered
     * the store's request.
     *
     * @return whether the listener sends these packets by {@link StoreSession#answer}; if false,
     * the session sends an empty packet
     */
    default boolean awaited() {
        return false;
    }

    /** Called when the reply is complete. Also called for commands without a reply. */
    void end();

    /** Called when the session is lost, and the outcome of the command is unknown. */
    void lost(Throwable cause);
}
