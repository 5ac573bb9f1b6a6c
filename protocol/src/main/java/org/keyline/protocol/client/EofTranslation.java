package org.keyline.protocol.client;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.codec.Packets;

/**
 * Translates the replies of a server without CLIENT_DEPRECATE_EOF for a client with that flag. It
 * omits the EOF packet after definitions, writes an OK packet with header 0xFE after rows, and
 * makes the OK of a PREPARE 12 bytes long. Confined to one event loop; reused for each reply.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_ok_packet.html">OK_Packet</a>
 */
public final class EofTranslation {
    private static final int EOF = 0xFE;
    private static final int END_BYTES = 7;
    private static final int PREPARE_OK_BYTES = 12;
    private static final int GROWTH = 4;

    private final ReplyScanner scanner = new ReplyScanner();
    private int command;
    private int dropped;

    public void begin(int command, int capabilities) {
        this.command = command;
        dropped = 0;
        scanner.begin(command, capabilities, ReplyScanner.ANY_SEQUENCE_ID);
    }

    /** Records a packet that the client sends within the reply. An empty packet ends a file. */
    public void answered(boolean empty) {
        if (scanner.awaitsClient() && (!scanner.awaitsFile() || empty)) {
            scanner.resume(ReplyScanner.ANY_SEQUENCE_ID);
        }
    }

    /**
     * Translates the next packets of the reply.
     *
     * @param framed whole packets, none after the reply's end; consumed
     * @return the translated packets, possibly none; owned by the caller
     */
    public ByteBuf translate(ByteBuf framed, ByteBufAllocator alloc) {
        ByteBuf out = alloc.buffer(framed.readableBytes() + GROWTH);
        try {
            int to = framed.writerIndex();
            for (int at = framed.readerIndex(); at < to; ) {
                int end = scanner.scanPacket(framed, at, to);
                packet(framed, at, end, out);
                at = end;
            }
            return out.retain();
        } finally {
            out.release();
            framed.release();
        }
    }

    private void packet(ByteBuf in, int from, int to, ByteBuf out) {
        switch (requireNonNull(scanner.packet(), "packet is null")) {
            case DEFINITIONS_END -> {
                if (scanner.ended() && command == CommandCode.COM_STMT_EXECUTE) {
                    // The statement opened a cursor, so this reply has no rows.
                    end(in, from, out);
                } else {
                    dropped++;
                }
            }
            case ROWS_END -> end(in, from, out);
            case OK -> {
                if (in.getUnsignedByte(from + Packets.HEADER_BYTES) == EOF) {
                    end(in, from, out);
                } else {
                    copy(in, from, to, out);
                }
            }
            case PREPARE_OK -> prepared(in, from, out);
            default -> copy(in, from, to, out);
        }
    }

    private int sequenceId(ByteBuf in, int at) {
        return Packets.sequenceId(in, at) - dropped & 0xFF;
    }

    private void copy(ByteBuf in, int from, int to, ByteBuf out) {
        int begin = out.writerIndex();
        out.writeBytes(in, from, to - from);
        if (dropped > 0) {
            int unused = Packets.renumber(out, begin, out.writerIndex(), sequenceId(in, from));
        }
    }

    private void end(ByteBuf in, int at, ByteBuf out) {
        ReplySummary summary = scanner.summary();
        out.writeIntLE(END_BYTES | sequenceId(in, at) << 24)
                .writeByte(EOF)
                .writeZero(2)
                .writeShortLE(summary.status())
                .writeShortLE(summary.warnings());
    }

    /** Writes an OK of 12 bytes. Doris sends 10 or 13. */
    private void prepared(ByteBuf in, int at, ByteBuf out) {
        ReplySummary summary = scanner.summary();
        out.writeIntLE(PREPARE_OK_BYTES | sequenceId(in, at) << 24)
                .writeByte(0)
                .writeIntLE(summary.statementId())
                .writeShortLE(summary.columnCount())
                .writeShortLE(summary.parameterCount())
                .writeByte(0)
                .writeShortLE(summary.warnings());
    }
}
