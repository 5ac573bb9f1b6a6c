package org.keyline.gateway.session.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.server.Reply;

/** Rows of a cursor that the client has not fetched yet. Confined to one event loop. */
final class FetchedRows {
    static final FetchedRows NONE = new FetchedRows();

    private final byte[] packets;
    private int at;
    private boolean open;

    private FetchedRows() {
        packets = new byte[0];
    }

    /** @param packets whole packets with arbitrary sequence ids */
    FetchedRows(byte[] packets) {
        this.packets = packets;
        open = true;
    }

    boolean isOpen() {
        return open;
    }

    /**
     * Sends the requested rows. As at the store, the cursor closes only when the client requests
     * more rows than remain.
     *
     * @param rows the number of requested rows, unsigned
     * @param status the status flags of the session
     */
    void fetch(int rows, int status, Reply reply) {
        ByteBuf in = Unpooled.wrappedBuffer(packets);
        long left = Integer.toUnsignedLong(rows);
        while (left > 0 && at < packets.length) {
            int length = in.getUnsignedMediumLE(at);
            reply.packet(in.slice(at + Packets.HEADER_BYTES, length));
            at += Packets.HEADER_BYTES + length;
            left--;
        }
        open = left == 0;
        int flag = open ? ServerStatus.SERVER_STATUS_CURSOR_EXISTS : ServerStatus.SERVER_STATUS_LAST_ROW_SENT;
        reply.eof(status | flag, 0);
        reply.end();
    }
}
