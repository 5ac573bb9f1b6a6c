package org.keyline.protocol.codec;

import io.netty.buffer.ByteBuf;
import java.nio.charset.Charset;
import org.keyline.protocol.ProtocolException;

/**
 * Fields of command payloads. Every payload starts with the command byte, and its indexes stay where they are. A
 * {@link ProtocolException} means a malformed command in whole packets: the session may answer it with an ERR packet
 * and go on.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_command_phase.html">Command phase</a>
 */
public final class Commands {
    private Commands() {}

    /** The command: a {@link org.keyline.protocol.CommandCode}. */
    public static int code(ByteBuf payload) {
        return payload.getUnsignedByte(payload.readerIndex());
    }

    /** All after the command byte: the schema of COM_INIT_DB, the statement of COM_STMT_PREPARE. */
    public static String text(ByteBuf payload, Charset charset) {
        return payload.toString(payload.readerIndex() + 1, payload.readableBytes() - 1, charset);
    }

    /** COM_FIELD_LIST: the table. */
    public static String fieldListTable(ByteBuf payload, Charset charset) {
        int from = payload.readerIndex() + 1;
        return payload.toString(from, tableEnd(payload) - from, charset);
    }

    /** COM_FIELD_LIST: the LIKE pattern for columns; empty for all. */
    public static String fieldListWildcard(ByteBuf payload, Charset charset) {
        int from = Math.min(tableEnd(payload) + 1, payload.writerIndex());
        return payload.toString(from, payload.writerIndex() - from, charset);
    }

    /** COM_SET_OPTION: one of {@code MYSQL_OPTION_MULTI_STATEMENTS_ON} and {@code _OFF}. */
    public static int setOption(ByteBuf payload) {
        require(payload, 3);
        return payload.getUnsignedShortLE(payload.readerIndex() + 1);
    }

    /** COM_PROCESS_KILL: a connection id. */
    public static int processId(ByteBuf payload) {
        require(payload, 5);
        return payload.getIntLE(payload.readerIndex() + 1);
    }

    /** COM_STMT_EXECUTE, _FETCH, _CLOSE, _RESET, _SEND_LONG_DATA: the statement's id. */
    public static int statementId(ByteBuf payload) {
        return ExecuteParameters.statementId(payload);
    }

    /** COM_STMT_FETCH: rows to send, unsigned 32-bit. */
    public static long fetchRows(ByteBuf payload) {
        require(payload, 9);
        return payload.getUnsignedIntLE(payload.readerIndex() + 5);
    }

    /** COM_STMT_SEND_LONG_DATA: which placeholder. */
    public static int longDataParameter(ByteBuf payload) {
        require(payload, 7);
        return payload.getUnsignedShortLE(payload.readerIndex() + 5);
    }

    /** COM_STMT_SEND_LONG_DATA: moves the reader index to the data. */
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
