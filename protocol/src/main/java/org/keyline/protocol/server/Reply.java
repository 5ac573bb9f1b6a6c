package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.OkPacket;

/**
 * The answer to the command in hand, and the only way to give one. Confined to {@link #loop}.
 *
 * <p>Packets leave in the order of the calls. Nothing is flushed per packet: what was written during one read batch, or
 * one turn of the loop, leaves together. {@link #end} is called exactly once per command, also where a command has no
 * reply packet; the next command is dispatched after it. On a connection that is gone every method does nothing but
 * release what it was given, so that a late answer needs no care.
 */
public interface Reply extends Peer {
    /**
     * The connection's output: append whole packets, headers included, the first with {@link #nextSequenceId}, which is
     * asked for before anything is appended. Borrowed until the next call of another method. Who does not tell which id
     * is next ({@link #appended}) has the packets looked through for it.
     */
    ByteBuf out();

    /** Tells which sequence id follows on the last packet that was appended to {@link #out}. */
    void appended(int nextSequenceId);

    /** Sequence id that the next packet of this reply must have; 1 for the first, later for a command over 16 MiB. */
    int nextSequenceId();

    /** Writes an OK packet. */
    void ok(OkPacket ok);

    /** Writes an ERR packet. */
    void error(ErrPacket error);

    /** Ends column definitions: an EOF packet, or nothing under CLIENT_DEPRECATE_EOF. */
    void endOfColumns(int status, int warnings);

    /**
     * Ends rows, and answers COM_SET_OPTION: an EOF packet, or an OK packet with header 0xFE under
     * CLIENT_DEPRECATE_EOF.
     */
    void eof(int status, int warnings);

    /** Writes one payload as a packet or, past 16 MiB, several. {@code payload} is borrowed. */
    void packet(ByteBuf payload);

    /**
     * Writes whole packets that have headers already. Ids that do not follow on are rewritten in place, so a store
     * connection of its own may number them from 1. {@code packets} is consumed.
     */
    void framed(ByteBuf packets);

    /** Ends the reply. */
    void end();

    /**
     * From the next packet on, what the client sends goes to {@code taker}: the rest of a command of which only the first
     * wire packet was dispatched, a file of LOAD DATA LOCAL, an auth response. It ends with the command's last packet,
     * with the empty packet that ends a file (ask again for another auth response behind an empty one), and with the
     * reply. Ids must follow on from what the client sent and was sent last; what the reply writes after one of them
     * follows on in turn. Never calls {@code taker} before it returns.
     */
    void clientPackets(ClientPackets taker);

    /** Stops reading from the client while {@link #clientPackets} is set; some 100 KiB may be read ahead. */
    void pauseClient();

    /** Reads on. */
    void resumeClient();

    /** Whether the client takes more now; a producer that can wait should, where this is false. */
    boolean writable();

    /** Runs {@code task} once, on the loop, when {@link #writable} is true again; at once if it is. */
    void onWritable(Runnable task);
}
