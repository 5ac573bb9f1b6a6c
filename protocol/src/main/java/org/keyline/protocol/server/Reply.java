package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.OkPacket;

/**
 * The reply to the current command. Confined to {@link #loop}.
 *
 * The session calls {@link #end} exactly once per command, even if the command has no reply packet.
 * On a closed connection, every method only releases its arguments. So the session need not check
 * whether the client still waits.
 */
public interface Reply extends Peer {
    /**
     * Returns the connection's output, to which the caller appends whole packets, headers included.
     * The caller must read {@link #nextSequenceId} first. The buffer is borrowed until the next
     * call of another method. If the caller then calls {@link #appended}, the connection does not
     * parse the appended packets to find the next sequence id.
     */
    ByteBuf out();

    void appended(int nextSequenceId);

    /** Returns the sequence id of the next packet. */
    int nextSequenceId();

    void ok(OkPacket ok);

    void error(ErrPacket error);

    /** Ends column definitions with an EOF packet. Has no effect under CLIENT_DEPRECATE_EOF. */
    void endOfColumns(int status, int warnings);

    /** Writes an EOF packet, or an OK packet with header 0xFE under CLIENT_DEPRECATE_EOF. */
    void eof(int status, int warnings);

    /** Writes a payload as one packet, or as several past 16 MiB. {@code payload} is borrowed. */
    void packet(ByteBuf payload);

    /**
     * Writes whole packets with headers. Wrong sequence ids are rewritten in place, so a store
     * connection may number its packets from 1. {@code packets} is consumed.
     */
    void framed(ByteBuf packets);

    void end();

    /**
     * Passes the client's packets to {@code taker}, beginning with the next one, after this method
     * returns. These packets are a file of LOAD DATA LOCAL, an auth response, or the rest of a long
     * command. The effect ends with the last packet of the command or file, or with the reply. An
     * empty auth response also ends it; the caller must then call this method again. Sequence ids
     * continue from the last packet in either direction.
     */
    void clientPackets(ClientPackets taker);

    /** Stops reading the packets of {@link #clientPackets}. Some 100 KiB can still arrive. */
    void pauseClient();

    void resumeClient();

    /**
     * Returns whether the output buffer has room. A sender that can wait should wait while this
     * method returns false.
     */
    boolean writable();

    /** Runs {@code task} once, on the loop, as soon as {@link #writable} is true. */
    void onWritable(Runnable task);
}
