package org.keyline.protocol.client;

import io.netty.buffer.ByteBuf;

/**
 * Receives the reply to one command on the connection's event loop. The last call is {@link #end}
 * or {@link #failed}.
 */
public interface PacketListener {
    /**
     * Receives the next whole packets of the reply, headers included. A payload over 16 MiB arrives
     * as several packets.
     *
     * @param framed consumed by the listener; writable and not shared
     * @param reply the state of the reply after these packets; {@link ReplyScanner#ended} returns
     *     true if these packets are the last
     */
    void packets(ByteBuf framed, ReplyScanner reply);

    /**
     * Called when the server awaits packets of the client. The listener has already received the
     * server's request by {@code packets}.
     *
     * @return whether the listener answers by {@link ClientConnection#answer}. If false, the
     *     connection sends an empty packet, which means no file or no password
     */
    default boolean awaited(ReplyScanner reply) {
        return false;
    }

    /** Called when the reply, or a command without a reply, is complete. */
    void end(ReplyScanner reply);

    /** Called when the connection is lost. The server may have executed the command. */
    void failed(Throwable cause);
}
