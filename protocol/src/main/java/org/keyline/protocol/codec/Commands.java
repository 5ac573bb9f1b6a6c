package org.keyline.protocol.codec;

import io.netty.buffer.ByteBuf;
import java.nio.charset.Charset;
import org.keyline.protocol.ProtocolException;

/**
 * Reads fields of command payloads, which start with the command byte. Only {@link #skipToLongData}
 * moves the reader index. After a {@link ProtocolException}, the session may reply with an ERR
 * packet and continue, because the stream still stands between two packets.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_command_phase.html">Command
 * phase</a>
 */
public final class Commands {
    private Commands() {}

    public static int code(ByteBuf payload) {
        return payload.getUnsignedByte(payload.readerIndex());
    }

    public static String text(ByteBuf payload, Charset charset) {
        return payload.toString(payload.readerIndex() + 1, payload.readableBytes() - 1, charset);
    }

    public static String fieldListTable(ByteBuf payload, Charset charset) {
        int from = payload.readerIndex() + 1;
        return payload.toString(from, tableEnd(payload) - from, charset);
    }

    /** Returns the LIKE pattern of COM_FIELD_LIST for column names; empty for all columns. */
    public static String fieldListWildcard(ByteBuf payload, Charset charset) {
        int from = Math.min(tableEnd(payload) + 1, payload.writerIndex());
        return payload.toString(from, payload.writerIndex() - from, charset);
    }

    /** Returns {@code MYSQL_OPTION_MULTI_STATEMENTS_ON} or {@code _OFF}. */
    public static int setOption(ByteBuf payload) {
        require(payload, 3);
        return payload.getUnsignedShortLE(payload.readerIndex() + 1);
    }

    public static int processId(ByteBuf payload) {
        require(payload, 5);
        return payload.getIntLE(payload.readerIndex() + 1);
    }

    public static int statementId(ByteBuf payload) {
        return ExecuteParameters.statementId(payload);
    }

    public static long fetchRows(ByteBuf payload) {
        require(payload, 9);
        return payload.getUnsignedIntLE(payload.readerIndex() + 5);
    }

    public static int longDataParameter(ByteBuf payload) {
        require(payload, 7);
        return payload.getUnsignedShortLE(payload.readerIndex() + 5);
    }

    public static ByteBuf skipToLongData(ByteBuf payload) {
        require(payload, 7);
        return payload.skipBytes(7);
    }

    private static int tableEnd(ByteBuf payload) {
        int from = payload.readerIndex() + 1;
        int end = payload.indexOf(from, payload.writerIndex(), (byte) 0);
        return end < 0 ? payload.writerIndex() : end;
    }

    private static void require(ByteBuf payload, int bytes) {
        if (payload.readableBytes() < bytes) {
            throw new ProtocolException("command: " + payload.readableBytes() + " bytes (expected: >= " + bytes + ")");
        }
    }
}
