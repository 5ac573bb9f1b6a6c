package org.keyline.gateway.read;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.codec.BinaryRowWriter;
import org.keyline.protocol.codec.Packets;

/**
 * The parts of the store's reply that do not depend on the key: column count, column definitions,
 * end packet. The store sent them to one user in one session scope for one statement shape. This
 * reply is also the user's permission for hits until {@link #validUntilNanos}. Immutable;
 * thread-safe.
 */
final class Template {
    private static final int BINARY_ROW_HEADER = 1;

    /** Status flags of the transaction. A template has them as in a reply without transaction. */
    static final int TRANSACTION = ServerStatus.SERVER_STATUS_AUTOCOMMIT
            | ServerStatus.SERVER_STATUS_IN_TRANS
            | ServerStatus.SERVER_STATUS_IN_TRANS_READONLY;

    /**
     * Index of the status flags in the last packet: after the two bytes of the warning count in an
     * EOF packet, or after two numbers of one byte in an OK packet.
     */
    private static final int STATUS_AT = 3;

    private static final int EOF_BYTES = 5;
    private static final int ENTRY_BYTES = 512;
    private static final int COLUMN_BYTES = 256;

    private final byte[] head;
    private final int firstRowId;
    private final byte[] end;
    private final int numberBytes;
    private final long validUntilNanos;
    private final boolean endOfColumns;
    private final int quietStatus;
    private final boolean cursor;
    /**
     * The column definitions; empty unless the types of the reply may differ from those of the
     * table.
     */
    private final List<ColumnDefinition> columns;

    /** The cells of the literals in the select list; empty if each literal is 1. */
    private final List<byte[]> constants;

    /**
     * @param head the packets before the first row; their sequence ids begin at 1
     * @param firstRowId the sequence id after the packets in {@code head}
     * @param end payload of the packet after the last row
     * @param numberBytes the size of a computed number, such as COUNT(*), in a binary row; 0 if
     * numbers are text
     */
    Template(byte[] head, int firstRowId, byte[] end, int numberBytes, long validUntilNanos) {
        this(head, firstRowId, end, numberBytes, validUntilNanos, List.of(), List.of());
    }

    private Template(
            byte[] head,
            int firstRowId,
            byte[] end,
            int numberBytes,
            long validUntilNanos,
            List<ColumnDefinition> columns,
            List<byte[]> constants) {
        this.head = head;
        this.firstRowId = firstRowId;
        this.end = end;
        this.numberBytes = numberBytes;
        this.validUntilNanos = validUntilNanos;
        this.endOfColumns = hasEndOfColumns(head);
        this.quietStatus = status(end, STATUS_AT) & ~TRANSACTION;
        this.cursor = (quietStatus & ServerStatus.SERVER_STATUS_CURSOR_EXISTS) != 0;
        this.columns = List.copyOf(columns);
        this.constants = List.copyOf(constants);
    }

    Template withColumns(List<ColumnDefinition> known) {
        return new Template(head, firstRowId, end, numberBytes, validUntilNanos, known, constants);
    }

    Template withConstants(List<byte[]> cells) {
        return new Template(head, firstRowId, end, numberBytes, validUntilNanos, columns, cells);
    }

    /** Returns the definition of a column. Only for templates made by {@link #withColumns}. */
    ColumnDefinition column(int index) {
        return columns.get(index);
    }

    /** Returns whether the reply has no rows because the client fetches them by a cursor. */
    boolean opensCursor() {
        return cursor;
    }

    /**
     * Converts a reply within a transaction to a template for use outside of transactions. Returns
     * null if the conversion is not exact.
     *
     * @param head the packets before the first row; changed in place
     * @param end payload of the packet after the last row; changed in place
     */
    static @Nullable Template outside(byte[] head, int firstRowId, byte[] end, int numberBytes, long validUntilNanos) {
        int within = status(end, STATUS_AT);
        if ((within & ServerStatus.SERVER_STATUS_IN_TRANS) == 0) {
            return null;
        }
        int quiet = (within & ~TRANSACTION) | ServerStatus.SERVER_STATUS_AUTOCOMMIT;
        if (hasEndOfColumns(head)) {
            if (status(head, head.length - 2) != within) {
                return null;
            }
            status(head, head.length - 2, quiet);
        }
        status(end, STATUS_AT, quiet);
        return new Template(head, firstRowId, end, numberBytes, validUntilNanos);
    }

    /** Returns the approximate size in bytes, including the map entry of the shape. */
    int bytes() {
        int cells = constants.stream().mapToInt(cell -> cell.length).sum();
        return ENTRY_BYTES + head.length + end.length + COLUMN_BYTES * columns.size() + cells;
    }

    private static boolean hasEndOfColumns(byte[] head) {
        int at = head.length - Packets.HEADER_BYTES - EOF_BYTES;
        return at > 0 && head[at] == EOF_BYTES && head[at + 1] == 0 && head[at + 2] == 0 && head[at + 4] == (byte) 0xFE;
    }

    private static int status(byte[] packet, int at) {
        return (packet[at] & 0xFF) | ((packet[at + 1] & 0xFF) << 8);
    }

    private static void status(byte[] packet, int at, int flags) {
        packet[at] = (byte) flags;
        packet[at + 1] = (byte) (flags >> 8);
    }

    /** Returns the packets before the first row; their sequence ids begin at 1. Read-only. */
    byte[] head() {
        return head;
    }

    /** Returns the payload of the packet after the last row. Read-only. */
    byte[] tail() {
        return end;
    }

    boolean validAt(long nanos) {
        return nanos - validUntilNanos < 0;
    }

    /**
     * Begins a reply; returns the sequence id of the first row.
     *
     * @param within the open transaction; null outside of a transaction
     */
    int begin(ByteBuf out, Read.@Nullable Transaction within) {
        out.writeBytes(head);
        if (within != null && endOfColumns) {
            out.setShortLE(out.writerIndex() - 2, quietStatus | within.status());
        }
        return firstRowId;
    }

    /**
     * Writes the cell of a literal.
     *
     * @param index the position among the literals of the select list
     */
    void constant(int index, ByteBuf out) {
        if (constants.isEmpty()) {
            number(1, out);
        } else {
            out.writeBytes(constants.get(index));
        }
    }

    void numberRow(long number, int sequenceId, ByteBuf out) {
        int begin = Packets.begin(out);
        if (numberBytes > 0) {
            out.writeZero(BINARY_ROW_HEADER + BinaryRowWriter.bitmapBytes(1));
        }
        number(number, out);
        Packets.end(out, begin, sequenceId);
    }

    /** Writes a computed number, which must not be negative. */
    void number(long number, ByteBuf out) {
        for (int i = 0; i < numberBytes; i++) {
            out.writeByte((int) (number >>> (Byte.SIZE * i)));
        }
        if (numberBytes == 0) {
            int digits = 1;
            for (long rest = number / 10; rest > 0; rest /= 10) {
                digits++;
            }
            out.writeByte(digits).writeZero(digits);
            long rest = number;
            for (int at = out.writerIndex() - 1; digits > 0; digits--, at--) {
                out.setByte(at, (int) ('0' + rest % 10));
                rest /= 10;
            }
        }
    }

    void end(ByteBuf out, int sequenceId, Read.@Nullable Transaction within) {
        out.writeIntLE(end.length | (sequenceId << 24));
        out.writeBytes(end);
        if (within != null) {
            out.setShortLE(out.writerIndex() - end.length + STATUS_AT, quietStatus | within.status());
        }
    }
}
