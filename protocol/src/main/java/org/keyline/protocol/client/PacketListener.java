package org.keyline.protocol.client;

import io.netty.buffer.ByteBuf;

/**
 * Receives the reply to one command on the connection's event loop. {@link #end} or {@link #failed}
 * is last.
 */
public interface PacketListener {
    /**
     * Receives the next whole packets of the reply, headers included. A payload over 16 MiB arrives
     * as several packets.
     *
     * @param framed consumed by the listener; writable and not shared
     * @param reply the state of the reply after these packets; {@link ReplyScanner#ended} if they
     *     are its last
     */
    void packets(ByteBuf framed, ReplyScanner reply);

    /**
     * Reports that the server awaits packets of the client. {@code packets} has already delivered
     * the server's request.
     *
     * @return whether the listener answers by {@link ClientConnection#answer}; if false, the
     *     connection sends an empty packet: no file, no password
     */
    default boolean awaited(ReplyScanner reply) {
        return false;
    }

    /** Called when the reply, or a command without a reply, is complete. */
    void end(ReplyScanner reply);

    /** Called when the connection is lost. The server may have executed the command. */
    void failed(Throwable cause);
}
