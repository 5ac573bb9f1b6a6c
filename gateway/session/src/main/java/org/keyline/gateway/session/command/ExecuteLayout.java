package org.keyline.gateway.session.command;

import io.netty.buffer.ByteBuf;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.Lenenc;

/**
 * The position of the parameter types in a COM_STMT_EXECUTE. Under CLIENT_QUERY_ATTRIBUTES, the
 * number of parameters and attributes comes first, and a name follows each type.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_stmt_execute.html">COM_STMT_EXECUTE</a>
 */
final class ExecuteLayout {
    private static final int FIXED_BYTES = 10;
    private static final int TYPE_BYTES = 2;

    private ExecuteLayout() {}

    static boolean isNamed(int capabilities) {
        return Capabilities.has(capabilities, Capabilities.CLIENT_QUERY_ATTRIBUTES);
    }

    /**
     * Returns the index, from the beginning of the payload, of the byte that is 1 if types follow.
     *
     * @param parameters the number of parameters of the statement; not 0
     */
    static int boundAt(ByteBuf payload, int parameters, boolean named) {
        if (!named) {
            return FIXED_BYTES + (parameters + 7) / 8;
        }
        ByteBuf rest = payload.slice(payload.readerIndex() + FIXED_BYTES, payload.readableBytes() - FIXED_BYTES);
        long total = Lenenc.readInt(rest);
        return Math.toIntExact(FIXED_BYTES + rest.readerIndex() + (total + 7) / 8);
    }

    /** Copies the parameter types of the command, two bytes each. */
    static void types(ByteBuf payload, int boundAt, boolean named, byte[] types) {
        int at = payload.readerIndex() + boundAt + 1;
        if (!named) {
            payload.getBytes(at, types);
            return;
        }
        ByteBuf rest = payload.duplicate().readerIndex(at);
        for (int i = 0; i < types.length; i += TYPE_BYTES) {
            rest.readBytes(types, i, TYPE_BYTES);
            Lenenc.skipString(rest);
        }
    }

    /** Returns whether values of the two types at index {@code at} compare in the same way. */
    static boolean alike(byte[] one, byte[] other, int at) {
        return classOf(one[at]) == classOf(other[at]) && one[at + 1] == other[at + 1];
    }

    private static int classOf(byte type) {
        return switch (type & 0xFF) {
            case ColumnType.TINY, ColumnType.SHORT, ColumnType.INT24, ColumnType.LONG, ColumnType.LONGLONG ->
                ColumnType.LONGLONG;
            case ColumnType.VARCHAR, ColumnType.VAR_STRING, ColumnType.STRING -> ColumnType.STRING;
            default -> type & 0xFF;
        };
    }

    /** Appends the flag byte 1 and then the types that the client has omitted. */
    static void write(ByteBuf out, byte[] types, boolean named) {
        out.writeByte(1);
        if (!named) {
            out.writeBytes(types);
            return;
        }
        for (int i = 0; i < types.length; i += TYPE_BYTES) {
            out.writeBytes(types, i, TYPE_BYTES).writeByte(0);
        }
    }
}
