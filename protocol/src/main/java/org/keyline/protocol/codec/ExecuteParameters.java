package org.keyline.protocol.codec;

import io.netty.buffer.ByteBuf;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.ProtocolException;

/**
 * The values that a COM_STMT_EXECUTE binds, and the query attributes of a COM_STMT_EXECUTE or
 * COM_QUERY. One instance serves any number of commands, and allocates only while it grows; values
 * are valid until the next decode. Confined to one event loop.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_stmt_execute.html">COM_STMT_EXECUTE</a>
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query.html">COM_QUERY</a>
 */
public final class ExecuteParameters {
    public static final int CURSOR_TYPE_NO_CURSOR = 0x00;

    public static final int CURSOR_TYPE_READ_ONLY = 0x01;

    /** Bit of {@link #flags}: the packet contains a count of parameters and query attributes. */
    public static final int PARAMETER_COUNT_AVAILABLE = 0x08;

    /** Maximum number of query attributes of one command. */
    public static final int MAX_ATTRIBUTES = 256;

    private static final int FIXED_BYTES = 10;
    private static final int NULL = -1;
    private static final StatementParameters.@Nullable LongData[] NO_DATA = {};

    private final Scratch scratch = new Scratch();
    private byte[] source = Scratch.NONE;
    private int[] types = new int[8];
    private int[] offsets = new int[8];
    private int[] lengths = new int[8];
    private StatementParameters.@Nullable LongData[] longData = NO_DATA;
    private int statementId;
    private int flags;
    private int count;
    private int attributes;

    public static int statementId(ByteBuf payload) {
        if (payload.readableBytes() < 5) {
            throw new ProtocolException("statement command: " + payload.readableBytes() + " bytes (expected: >= 5)");
        }
        return payload.getIntLE(payload.readerIndex() + 1);
    }

    /**
     * Decodes COM_STMT_EXECUTE.
     *
     * @param payload starts with the command byte; borrowed, its indexes do not move
     * @param capabilities the connection's flags
     * @param statement the connection's state of the statement. Its long data become values
     */
    public void decode(ByteBuf payload, int capabilities, StatementParameters statement) {
        decode(payload, capabilities, statement, true);
    }

    /** Decodes a command that is not executed yet; the statement's state does not change. */
    public void peek(ByteBuf payload, int capabilities, StatementParameters statement) {
        decode(payload, capabilities, statement, false);
    }

    private void decode(ByteBuf payload, int capabilities, StatementParameters statement, boolean executed) {
        clear();
        int length = payload.readableBytes();
        if (length < FIXED_BYTES) {
            throw new ProtocolException("execute: " + length + " bytes (expected: >= 10)");
        }
        source = scratch.copy(payload, payload.readerIndex(), length);
        statementId = LittleEndian.int32(source, 1);
        flags = source[5] & 0xFF;
        count = statement.count();
        longData = executed ? statement.takeLongData() : NO_DATA;
        boolean named = Capabilities.has(capabilities, Capabilities.CLIENT_QUERY_ATTRIBUTES);
        if (count > 0 || (named && (flags & PARAMETER_COUNT_AVAILABLE) != 0)) {
            int at = FIXED_BYTES;
            int total = count;
            if (named) {
                total = readCount(at, length);
                at += BinaryValue.lenencBytes(source[at] & 0xFF);
                if (total < count) {
                    throw new ProtocolException("parameters: " + total + " (expected: " + count + ")");
                }
            }
            checkAttributes(total - count);
            if (total > 0) {
                readBindings(at, length, total, named, statement, executed);
            }
        }
    }

    /**
     * Decodes the query attributes that precede the text of a COM_QUERY.
     *
     * @param payload starts with the command byte; borrowed, its indexes do not move
     * @return the offset of the text from the payload's first byte
     */
    public int decodeQuery(ByteBuf payload, int capabilities) {
        clear();
        if (!Capabilities.has(capabilities, Capabilities.CLIENT_QUERY_ATTRIBUTES)) {
            return 1;
        }
        int length = payload.readableBytes();
        int index = payload.readerIndex();
        if (length >= 3 && payload.getByte(index + 1) == 0 && payload.getByte(index + 2) == 1) {
            return 3;
        }
        source = scratch.copy(payload, index, length);
        int total = readCount(1, length);
        int at = 1 + BinaryValue.lenencBytes(source[1] & 0xFF);
        int sets = readCount(at, length);
        at += BinaryValue.lenencBytes(source[at] & 0xFF);
        if (sets != 1) {
            throw new ProtocolException("parameter sets: " + sets + " (expected: 1)");
        }
        checkAttributes(total);
        return total == 0 ? at : readBindings(at, length, total, true, null, false);
    }

    private void clear() {
        statementId = 0;
        flags = 0;
        count = 0;
        attributes = 0;
        longData = NO_DATA;
    }

    private void checkAttributes(int attributeCount) {
        if (attributeCount > MAX_ATTRIBUTES) {
            throw new ProtocolException("attributes: " + attributeCount + " (expected: <= " + MAX_ATTRIBUTES + ")");
        }
        attributes = attributeCount;
    }

    private int readCount(int at, int limit) {
        if (at >= limit) {
            throw new ProtocolException("count ends early");
        }
        int bytes = BinaryValue.lenencBytes(source[at] & 0xFF);
        long value = bytes > limit - at ? -1 : BinaryValue.length(source, at, bytes);
        int max = StatementParameters.MAX_PARAMETERS + MAX_ATTRIBUTES;
        if (value < 0 || value > max) {
            throw new ProtocolException("count: " + Long.toUnsignedString(value) + " (expected: <= " + max + ")");
        }
        return (int) value;
    }

    private int readBindings(
            int start,
            int limit,
            int total,
            boolean named,
            @Nullable StatementParameters statement,
            boolean remembers) {
        int bitmap = start;
        int at = bitmap + (total + 7) / 8;
        if (at >= limit) {
            throw new ProtocolException("bitmap of NULL parameters ends early");
        }
        grow(total);
        int bound = source[at++];
        if (bound == 1) {
            at = readTypes(at, limit, total, named, remembers ? statement : null);
        } else if (statement != null && statement.typesKnown() && attributes == 0) {
            for (int i = 0; i < total; i++) {
                types[i] = statement.type(i) & 0xFFFF;
            }
        } else if (statement != null && attributes == 0 && allNull(bitmap, total)) {
            // A client that has sent no types yet may also omit the types if all values are NULL,
            // as Connector/J does.
            for (int i = 0; i < total; i++) {
                types[i] = ColumnType.NULL;
            }
        } else {
            throw new ProtocolException(ErrorCode.ER_WRONG_ARGUMENTS, "Incorrect arguments to mysqld_stmt_execute");
        }
        return readValues(at, limit, total, bitmap);
    }

    private boolean allNull(int bitmap, int total) {
        for (int i = 0; i < total; i++) {
            if ((source[bitmap + i / 8] >> i % 8 & 1) == 0) {
                return false;
            }
        }
        return true;
    }

    private int readTypes(int start, int limit, int total, boolean named, @Nullable StatementParameters statement) {
        int at = start;
        for (int i = 0; i < total; i++) {
            if (limit - at < 2) {
                throw new ProtocolException("parameter types end early");
            }
            int type = LittleEndian.uint16(source, at);
            if (ColumnType.binaryLength(type & 0xFF) == ColumnType.UNKNOWN) {
                throw new ProtocolException("type of parameter " + i + ": " + (type & 0xFF));
            }
            types[i] = type;
            at += 2;
            if (named) {
                at = readName(at, limit, i);
            }
        }
        // Stores all types or none, so that a packet that ends early does not mix the types of two
        // executions.
        for (int i = 0; statement != null && i < statement.count(); i++) {
            statement.rememberType(i, types[i]);
        }
        return at;
    }

    private int readName(int at, int limit, int parameter) {
        if (at >= limit) {
            throw new ProtocolException("parameter names end early");
        }
        int prefix = BinaryValue.lenencBytes(source[at] & 0xFF);
        long length = prefix > limit - at ? -1 : BinaryValue.length(source, at, prefix);
        if (length < 0 || length > limit - at - prefix) {
            throw new ProtocolException("name of parameter " + parameter + " ends early");
        }
        return at + prefix + (int) length;
    }

    private int readValues(int start, int limit, int total, int bitmap) {
        int at = start;
        for (int i = 0; i < total; i++) {
            int type = types[i] & 0xFF;
            if (longData(i) != null) {
                offsets[i] = 0;
                lengths[i] = 0;
            } else if (type == ColumnType.NULL || (source[bitmap + i / 8] & 1 << i % 8) != 0) {
                offsets[i] = at;
                lengths[i] = NULL;
            } else {
                int prefix = BinaryValue.prefixBytes(source, at, limit, type);
                int bytes = BinaryValue.valueBytes(source, at, limit, type, prefix);
                offsets[i] = at + prefix;
                lengths[i] = bytes;
                at += prefix + bytes;
            }
        }
        return at;
    }

    private void grow(int total) {
        if (types.length < total) {
            int capacity = Math.max(total, 2 * types.length);
            types = new int[capacity];
            offsets = new int[capacity];
            lengths = new int[capacity];
        }
    }

    private StatementParameters.@Nullable LongData longData(int i) {
        return i < longData.length ? longData[i] : null;
    }

    public int statementId() {
        return statementId;
    }

    public int flags() {
        return flags;
    }

    /** Returns the number of the statement's placeholders. The index of the first one is 0. */
    public int count() {
        return count;
    }

    /** Returns the number of query attributes. The index of the first one is {@link #count}. */
    public int attributeCount() {
        return attributes;
    }

    public int type(int i) {
        return types[i] & 0xFF;
    }

    public boolean unsigned(int i) {
        return (types[i] & ColumnType.PARAMETER_UNSIGNED) != 0;
    }

    public boolean isNull(int i) {
        return lengths[i] == NULL;
    }

    /** Returns the array that contains the value. The caller must not modify it. */
    public byte[] source(int i) {
        StatementParameters.LongData value = longData(i);
        return value == null ? source : value.bytes();
    }

    /** Returns the offset of the value in {@link #source}, after the bytes of its length. */
    public int offset(int i) {
        return offsets[i];
    }

    /** Returns the length of the value in bytes; 0 for NULL. */
    public int length(int i) {
        StatementParameters.LongData value = longData(i);
        return value == null ? Math.max(0, lengths[i]) : value.length();
    }

    /** Returns whether the value was sent by COM_STMT_SEND_LONG_DATA. */
    public boolean isLongData(int i) {
        return longData(i) != null;
    }

    /** Returns a non-NULL integer. Unsigned values above {@link Long#MAX_VALUE} become negative. */
    public long int64(int i) {
        return BinaryValue.int64(source, offsets[i], type(i), unsigned(i));
    }

    public float float32(int i) {
        return BinaryValue.float32(source, offsets[i]);
    }

    public double float64(int i) {
        return BinaryValue.float64(source, offsets[i]);
    }

    public void temporal(int i, Temporal target) {
        if (type(i) == ColumnType.TIME) {
            target.readTime(source, offsets[i], lengths[i]);
        } else {
            target.readDateTime(source, offsets[i], lengths[i]);
        }
    }

    /** Returns the text of a value, without quotes. A fraction of a second has six digits. */
    public String text(int i, Charset charset) {
        if (isLongData(i)) {
            return new String(source(i), 0, length(i), charset);
        }
        int type = type(i);
        boolean clock = ColumnType.binaryLength(type) == ColumnType.LENGTH_BYTE && lengths[i] >= 11;
        int decimals =
                clock ? 6 : type == ColumnType.FLOAT || type == ColumnType.DOUBLE ? NumberText.NOT_FIXED_DECIMALS : 0;
        return BinaryValue.text(source, offsets[i], lengths[i], type, unsigned(i), decimals, charset);
    }
}
