package org.keyline.gateway.session.relay;

import io.netty.buffer.ByteBuf;
import org.keyline.protocol.codec.Packets;

/** Compares a reply, up to its last row, with an earlier reply. Confined to one event loop. */
public final class ReplyCheck {
    private static final int EOF_HEADER = 0xFE;

    private static final int EOF_BYTES = 5;
    private static final int FLAGS_BYTES = 2;

    private final byte[] expected;
    private final int to;
    /** Index of the status flags after the columns; beyond the end if no flags follow. */
    private final int flagsAt;

    private int at;
    private boolean differs;

    // For the packet after the last row: the bytes received, and the length in its header.
    private int rest;
    private int restLength;

    /**
     * @param expected whole packets in {@code expected[from..to)}
     * @param rows the index in {@code expected} of the first row's packet
     */
    public ReplyCheck(byte[] expected, int from, int rows, int to) {
        this.expected = expected;
        int last = rows - Packets.HEADER_BYTES - EOF_BYTES;
        boolean eof = last > from
                && expected[last] == EOF_BYTES
                && (expected[last + Packets.HEADER_BYTES] & 0xFF) == EOF_HEADER;
        this.flagsAt = eof ? rows - FLAGS_BYTES : Integer.MAX_VALUE - FLAGS_BYTES;
        this.at = from;
        this.to = to;
    }

    /** Receives packets of the reply. Borrows them and must not change them. */
    void packets(ByteBuf framed) {
        for (int i = framed.readerIndex(); i < framed.writerIndex(); i++) {
            byte next = framed.getByte(i);
            if (at < to) {
                boolean flags = at >= flagsAt && at < flagsAt + FLAGS_BYTES;
                differs |= !flags && expected[at] != next;
                at++;
            } else {
                restOfIt(next & 0xFF);
            }
        }
    }

    private void restOfIt(int next) {
        if (rest < Packets.HEADER_BYTES - 1) {
            restLength |= next << (Byte.SIZE * rest);
        } else if (rest == Packets.HEADER_BYTES) {
            differs |= next != EOF_HEADER;
        }
        rest++;
    }

    /** Returns whether the complete reply equals the earlier one, apart from status flags. */
    public boolean matches() {
        return !differs && at == to && rest > Packets.HEADER_BYTES && rest == Packets.HEADER_BYTES + restLength;
    }
}
