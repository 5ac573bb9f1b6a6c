package org.keyline.protocol.client;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.Lenenc;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.codec.Packets;

/**
 * Decodes the replies of a server for a {@link ResultListener}. The bytes may arrive in pieces of
 * any size; a row that one piece contains completely is passed without a copy. Confined to one
 * thread; reused for each reply.
 */
public final class ResultReader {
    private final ReplyScanner scanner;
    private final boolean extendedMetadata;
    private final int maxPacketBytes;
    private final List<ColumnDefinition> parameters = new ArrayList<>();
    private final List<ColumnDefinition> columns = new ArrayList<>();
    private int command;
    /** The number of columns; 0 for COM_STMT_PREPARE and COM_FIELD_LIST. */
    private long columnCount;

    private @Nullable ResultListener listener;
    /** The bytes of a partial packet, headers included. */
    private @Nullable ByteBuf part;

    /**
     * @param scanner scans the replies; the caller begins each reply there first
     * @param maxPacketBytes a longer payload causes a {@link ProtocolException}
     * @param extendedMetadata whether definitions contain MariaDB's extended type information
     */
    public ResultReader(ReplyScanner scanner, int maxPacketBytes, boolean extendedMetadata) {
        this.scanner = scanner;
        this.extendedMetadata = extendedMetadata;
        this.maxPacketBytes = maxPacketBytes;
    }

    public void begin(int command, ResultListener listener) {
        this.command = command;
        this.listener = requireNonNull(listener, "listener is null");
        parameters.clear();
        columns.clear();
        columnCount = 0;
        part = null;
        if (scanner.ended()) {
            listener.end(scanner.summary());
        }
    }

    /**
     * Consumes bytes of the reply, at most up to its end, and notifies the listener.
     *
     * @param framed packets or parts of them, borrowed; the reader index moves past consumed bytes
     * @throws ProtocolException if the bytes cannot be a reply; the listener is not notified
     */
    public void feed(ByteBuf framed) {
        int to = framed.writerIndex();
        while (framed.isReadable() && !scanner.ended() && !scanner.awaitsClient()) {
            int from = framed.readerIndex();
            int at = scanner.scanPacket(framed, from, to);
            framed.readerIndex(at);
            if (scanner.packetBytes() > maxPacketBytes) {
                throw new ProtocolException(
                        ErrorCode.ER_NET_PACKET_TOO_LARGE,
                        "packet length: " + scanner.packetBytes() + " (expected: <= " + maxPacketBytes + ")");
            }
            boolean alone = part == null && scanner.packetBytes() < Packets.MAX_PAYLOAD_BYTES;
            if (scanner.packetEnded() && alone) {
                deliver(framed.slice(from + Packets.HEADER_BYTES, at - from - Packets.HEADER_BYTES));
            } else {
                ByteBuf buffered = buffer(framed, from, at - from);
                if (scanner.packetEnded()) {
                    part = null;
                    deliver(join(buffered));
                }
            }
        }
    }

    private ByteBuf buffer(ByteBuf framed, int from, int length) {
        ByteBuf buffered = part;
        if (buffered == null) {
            buffered = Unpooled.buffer(Math.max(64, length));
            part = buffered;
        }
        return buffered.writeBytes(framed, from, length);
    }

    private static ByteBuf join(ByteBuf whole) {
        int to = 0;
        for (int from = 0; from < whole.writerIndex(); ) {
            int length = Packets.payloadLength(whole, from);
            System.arraycopy(whole.array(), from + Packets.HEADER_BYTES, whole.array(), to, length);
            from += Packets.HEADER_BYTES + length;
            to += length;
        }
        return whole.slice(0, to);
    }

    private void deliver(ByteBuf payload) {
        ResultListener to = requireNonNull(listener, "listener is null");
        switch (requireNonNull(scanner.packet(), "packet is null")) {
            case COLUMN_COUNT -> {
                columns.clear();
                columnCount = Lenenc.readInt(payload);
            }
            case PARAMETER -> parameters.add(ColumnDefinition.decode(payload, extendedMetadata));
            case COLUMN -> {
                columns.add(ColumnDefinition.decode(payload, extendedMetadata));
                if (columns.size() == columnCount) {
                    to.columns(List.copyOf(columns));
                }
            }
            case ROW -> to.row(payload);
            case OK -> to.resultEnd(scanner.summary());
            case ROWS_END -> {
                if (command == CommandCode.COM_FIELD_LIST) {
                    to.columns(List.copyOf(columns));
                }
                to.resultEnd(scanner.summary());
            }
            case DEFINITIONS_END -> {
                if (scanner.ended() && command == CommandCode.COM_STMT_EXECUTE) {
                    to.resultEnd(scanner.summary());
                }
            }
            case ERR, LOCAL_INFILE, PREPARE_OK, AUTHENTICATION, TEXT -> {
                // The listener gets these packets' contents from the ReplySummary.
            }
        }
        if (scanner.ended()) {
            if (scanner.summary().isPrepared()) {
                to.prepared(new PreparedStatement(scanner.summary().statementId(), parameters, columns));
            }
            to.end(scanner.summary());
        }
    }
}
