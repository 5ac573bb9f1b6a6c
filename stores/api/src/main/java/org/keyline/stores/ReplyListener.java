package org.keyline.stores;

import io.netty.buffer.ByteBuf;

/**
 * A listener for the reply to one command. It receives any number of packets, then exactly one call
 * of {@code end} or {@code lost}.
 */
public interface ReplyListener {
    /**
     * Receives part of the reply: one or more whole packets with headers. Their sequence ids
     * continue from 1.
     *
     * @param framed owned by the callee
     */
    void packets(ByteBuf framed);

    /**
     * Reports that the store awaits packets from the client. {@code packets} has already delivered
     * the store's request.
     *
     * @return whether the listener sends them by {@link StoreSession#answer}; if false, the session
     *     sends an empty packet
     */
    default boolean awaited() {
        return false;
    }

    /** Reports that the reply is complete. Also called for commands without a reply. */
    void end();

    /** Reports that the session is lost and that the outcome of the command is unknown. */
    void lost(Throwable cause);
}
