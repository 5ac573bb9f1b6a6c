package org.keyline.stores;

import io.netty.buffer.ByteBuf;

/**
 * Receives the reply to one command: any number of packets, then exactly one of {@code end} and
 * {@code lost}.
 */
public interface ReplyListener {
    /**
     * Receives part of the reply: one or more whole packets with headers, with sequence ids that
     * continue from 1.
     *
     * @param framed owned by the callee
     */
    void packets(ByteBuf framed);

    /**
     * Reports that the reply awaits packets from the client, after {@code packets} has delivered
     * the request.
     *
     * @return whether the listener sends them by {@link StoreSession#answer}; if false, the session
     *     sends an empty packet
     */
    default boolean awaited() {
        return false;
    }

    /** Reports that the reply is complete; also called for commands without a reply. */
    void end();

    /** Reports that the session is lost and the command's outcome is unknown. */
    void lost(Throwable cause);
}
