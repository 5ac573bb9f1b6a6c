package org.keyline.protocol.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.Lenenc;

/**
 * Values for the placeholders of a prepared statement, in order, encoded for COM_STMT_EXECUTE.
 * Every execution sends the types. Confined to one thread; may be executed any number of times.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_stmt_execute.html">COM_STMT_EXECUTE</a>
 */
public final class StatementArguments {
    private static final int UNSIGNED = 0x8000;
    private static final int CURSOR_TYPE_READ_ONLY = 0x01;
    private static final int PARAMETER_COUNT_AVAILABLE = 0x08;

    private final ByteBuf values = Unpooled.buffer();
    private int[] types = new int[8];
    private boolean[] nulls = new boolean[8];
    private String[] names = new String[8];
    private int count;
    private int flags;

    public StatementArguments withCursor() {
        flags = CURSOR_TYPE_READ_ONLY;
        return this;
    }

    public StatementArguments addNull() {
        add(ColumnType.NULL);
        nulls[count - 1] = true;
        return this;
    }

    public StatementArguments addInt64(long value) {
        add(ColumnType.LONGLONG);
        values.writeLongLE(value);
        return this;
    }

    public StatementArguments addUint64(long value) {
        add(ColumnType.LONGLONG | UNSIGNED);
        values.writeLongLE(value);
        return this;
    }

    public StatementArguments addFloat64(double value) {
        add(ColumnType.DOUBLE);
        values.writeLongLE(Double.doubleToRawLongBits(value));
        return this;
    }

    /** Adds text in UTF-8, the connection's character set. */
    public StatementArguments addText(String value) {
        add(ColumnType.VAR_STRING);
        Lenenc.writeBytes(values, value.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    public StatementArguments addBytes(byte[] value) {
        add(ColumnType.BLOB);
        Lenenc.writeBytes(values, value);
        return this;
    }

    /**
     * Adds a value of any type.
     *
     * @param type a {@link ColumnType}, or'ed with 0x8000 if unsigned
     * @param encoded the value in the binary protocol, preceded by its length if the length varies
     */
    public StatementArguments add(int type, byte[] encoded) {
        add(type);
        values.writeBytes(encoded);
        return this;
    }

    /** Adds a query attribute. Call after all values, and only with CLIENT_QUERY_ATTRIBUTES. */
    public StatementArguments addAttribute(String name, String value) {
        addText(value);
        names[count - 1] = name;
        return this;
    }

    /** Returns the number of values and attributes. */
    public int count() {
        return count;
    }

    public void encode(ByteBuf out, int statementId) {
        encode(out, statementId, 0);
    }

    public void encode(ByteBuf out, int statementId, int capabilities) {
        boolean named = Capabilities.has(capabilities, Capabilities.CLIENT_QUERY_ATTRIBUTES);
        out.writeByte(CommandCode.COM_STMT_EXECUTE)
                .writeIntLE(statementId)
                .writeByte(named ? flags | PARAMETER_COUNT_AVAILABLE : flags)
                .writeIntLE(1);
        if (named) {
            Lenenc.writeInt(out, count);
        }
        if (count == 0) {
            return;
        }
        int bitmap = out.writerIndex();
        out.writeZero((count + 7) / 8);
        for (int i = 0; i < count; i++) {
            if (nulls[i]) {
                int at = bitmap + i / 8;
                out.setByte(at, out.getByte(at) | 1 << (i % 8));
            }
        }
        out.writeByte(1);
        for (int i = 0; i < count; i++) {
            out.writeShortLE(types[i]);
            if (named) {
                Lenenc.writeString(out, names[i]);
            }
        }
        out.writeBytes(values, 0, values.writerIndex());
    }

    private void add(int type) {
        if (count == 0xFFFF) {
            throw new IllegalStateException("values: " + (count + 1) + " (expected: <= 65535)");
        }
        if (count == types.length) {
            types = Arrays.copyOf(types, 2 * count);
            nulls = Arrays.copyOf(nulls, 2 * count);
            names = Arrays.copyOf(names, 2 * count);
        }
        names[count] = "";
        types[count++] = type;
    }
}
