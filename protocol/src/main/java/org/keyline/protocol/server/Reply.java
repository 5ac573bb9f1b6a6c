package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.OkPacket;

/**
 * The reply to the current command. Confined to {@link #loop}.
 *
 * <p>Packets are sent in the order of the calls. One flush sends all output of a read batch, or of
 * one turn of the loop. {@link #end} is called exactly once per command, even if a command has no
 * reply packet; the next command is dispatched after it. On a closed connection, every method only
 * releases its arguments, so a late reply needs no check.
 */
public interface Reply extends Peer {
    /**
     * Returns the connection's output, to which the caller appends whole packets, headers included.
     * The first packet has the id {@link #nextSequenceId}, which the caller must read before it
     * appends anything. Borrowed until the next call of another method. Unless the caller reports
     * the next id ({@link #appended}), the packets are parsed to find it.
     */
    ByteBuf out();

    /** Reports the sequence id that follows the last packet appended to {@link #out}. */
    void appended(int nextSequenceId);

    /**
     * Returns the sequence id of the next packet in this reply. It is 1 for the first packet,
     * greater after a command over 16 MiB.
     */
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

    /** Writes a payload as one packet, or as several past 16 MiB. {@code payload} is borrowed. */
    void packet(ByteBuf payload);

    /**
     * Writes whole packets with headers. Ids that are not consecutive are rewritten in place, so a
     * store connection may number its packets from 1. {@code packets} is consumed.
     */
    void framed(ByteBuf packets);

    /** Ends the reply. */
    void end();

    /**
     * Passes the client's packets to {@code taker}, from the next one on. These packets are a file
     * of LOAD DATA LOCAL, an auth response, or the rest of a long command that was dispatched with
     * its first packet. The effect ends with the command's last packet, with the empty packet that
     * ends a file, and with the reply. After an empty auth response, the caller must call this
     * method again. Sequence ids continue from the last packet in either direction. This method
     * never calls {@code taker} before it returns.
     */
    void clientPackets(ClientPackets taker);

    /**
     * Stops reading from the client while {@link #clientPackets} is set; some 100 KiB may already
     * be read.
     */
    void pauseClient();

    /** Resumes reading from the client. */
    void resumeClient();

    /**
     * Returns whether the channel accepts more output. A producer that can wait should wait while
     * this is false.
     */
    boolean writable();

    /**
     * Runs {@code task} once, on the loop, when {@link #writable} becomes true; immediately if it
     * already is.
     */
    void onWritable(Runnable task);
}
