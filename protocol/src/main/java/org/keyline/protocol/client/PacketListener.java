package org.keyline.protocol.client;

import io.netty.buffer.ByteBuf;

/**
 * Receives the reply to one command as it came. Called on the connection's event loop: {@link #packets} any number of
 * times, then exactly one of {@link #end} and {@link #failed}.
 */
public interface PacketListener {
    /**
     * More of the reply: one or more whole packets, headers included; a payload over 16 MiB comes in its wire packets.
     *
     * @param framed consumed; writable, and shared with nobody
     * @param reply what is known of the reply after these packets; {@link ReplyScanner#ended} if they are its last
     */
    void packets(ByteBuf framed, ReplyScanner reply);

    /**
     * The reply awaits the client, after {@code packets} has delivered the request.
     *
     * @return whether the caller takes it on, by {@link ClientConnection#answer}; if not, an empty packet is sent: no
     *     file, no password
     */
    default boolean awaited(ReplyScanner reply) {
        return false;
    }

    /** The reply is complete; so too for a command without a reply, once it is written and its turn has come. */
    void end(ReplyScanner reply);

    /** The connection is lost, or the command was never sent; whether the server executed it is unknown. */
    void failed(Throwable cause);
}
