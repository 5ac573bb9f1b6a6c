package org.keyline.protocol.codec;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.ProtocolException;

/**
 * A connection's state of one prepared statement between executions. This state consists of the
 * parameter types of the last execution that sent types, and of the values that
 * COM_STMT_SEND_LONG_DATA sent since the last execution. Confined to one event loop.
 *
 * @see
 * <a
 * href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_stmt_send_long_data.html">COM_STMT_SEND_LONG_DATA</a>
 */
public final class StatementParameters {
    public static final int MAX_PARAMETERS = 0xFFFF;

    private static final short[] NO_TYPES = {};
    private static final @Nullable LongData[] NO_DATA = {};

    private final int count;
    private final int maxLongDataBytes;
    private short[] types = NO_TYPES;
    private @Nullable LongData[] longData = NO_DATA;
    private long longDataBytes;
    private boolean overflown;

    static final class LongData {
        private byte[] bytes = Scratch.NONE;
        private int length;

        byte[] bytes() {
            return bytes;
        }

        int length() {
            return length;
        }

        private void append(ByteBuf data) {
            int more = data.readableBytes();
            if (bytes.length - length < more) {
                int capacity = (int) Math.min(Integer.MAX_VALUE - 8, Math.max(length + (long) more, 2L * length));
                bytes = Arrays.copyOf(bytes, capacity);
            }
            data.getBytes(data.readerIndex(), bytes, length, more);
            length += more;
        }
    }

    /** @param maxLongDataBytes the maximum total size of the values from COM_STMT_SEND_LONG_DATA */
    public StatementParameters(int count, int maxLongDataBytes) {
        if (count < 0 || count > MAX_PARAMETERS) {
            throw new IllegalArgumentException("count: " + count + " (expected: 0..65535)");
        }
        this.count = count;
        this.maxLongDataBytes = maxLongDataBytes;
    }

    public int count() {
        return count;
    }

    /**
     * Stores a part of a value (COM_STMT_SEND_LONG_DATA). The command has no reply, so the next
     * execution reports its errors.
     *
     * @param data borrowed; its readable bytes are copied
     */
    public void appendLongData(int parameter, ByteBuf data) {
        if (parameter < 0 || parameter >= count || data.readableBytes() > maxLongDataBytes - longDataBytes) {
            overflown = true;
            return;
        }
        if (longData.length == 0) {
            longData = new LongData[count];
        }
        LongData value = longData[parameter];
        if (value == null) {
            value = new LongData();
            longData[parameter] = value;
        }
        value.append(data);
        longDataBytes += data.readableBytes();
    }

    public void refuseLongData() {
        overflown = true;
    }

    /** Drops the values from COM_STMT_SEND_LONG_DATA, as COM_STMT_RESET does. The types remain. */
    public void reset() {
        longData = NO_DATA;
        longDataBytes = 0;
        overflown = false;
    }

    boolean typesKnown() {
        return types.length == count;
    }

    int type(int parameter) {
        return types[parameter];
    }

    void rememberType(int parameter, int type) {
        if (types.length != count) {
            types = new short[count];
        }
        types[parameter] = (short) type;
    }

    @Nullable
    LongData[] takeLongData() {
        boolean failed = overflown;
        LongData[] taken = longData;
        reset();
        if (failed) {
            throw new ProtocolException(
                    ErrorCode.ER_UNKNOWN_ERROR,
                    "Parameter of prepared statement which is set through mysql_send_long_data() is longer than"
                            + " 'max_allowed_packet' bytes");
        }
        return taken;
    }
}
