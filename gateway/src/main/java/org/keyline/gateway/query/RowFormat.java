package org.keyline.gateway.query;

import java.util.List;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;

/**
 * Where the cells of a row packet are: a text row is walked by lengths, a binary row by lengths and types. Immutable; thread-safe.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response_text_resultset_row.html">Text
 *     row</a>
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_binary_resultset.html">Binary row</a>
 */
final class RowFormat {
    /** Rows of COM_QUERY. */
    static final RowFormat TEXT = new RowFormat(new byte[0], false);

    private static final int NULL_CELL = 0xFB;
    private static final long NULL_FLAG = Long.MIN_VALUE;

    /** Cells with a length of their own, in binary rows. */
    private static final byte LENENC = -1;

    /** Cells with a length byte: dates and times. */
    private static final byte BYTE_LENGTH = -2;

    private final byte[] widths;
    private final boolean binary;

    private RowFormat(byte[] widths, boolean binary) {
        this.widths = widths;
        this.binary = binary;
    }

    /** Rows of COM_STMT_EXECUTE with these columns. */
    static RowFormat binary(List<ColumnDefinition> columns) {
        byte[] widths = new byte[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = width(columns.get(i).type());
        }
        return new RowFormat(widths, true);
    }

    private static byte width(int type) {
        return switch (type) {
            case ColumnType.TINY -> 1;
            case ColumnType.SHORT, ColumnType.YEAR -> 2;
            case ColumnType.LONG, ColumnType.INT24, ColumnType.FLOAT -> 4;
            case ColumnType.LONGLONG, ColumnType.DOUBLE -> 8;
            case ColumnType.DATE, ColumnType.NEWDATE, ColumnType.DATETIME, ColumnType.TIMESTAMP, ColumnType.TIME ->
                BYTE_LENGTH;
            case ColumnType.NULL -> 0;
            default -> LENENC;
        };
    }

    boolean binary() {
        return binary;
    }

    /**
     * The place of a cell within the row that begins at {@code offset}, its length bytes included, as one number for
     * {@link #offset}, {@link #length} and {@link #isNull}.
     */
    long cell(byte[] row, int offset, int ordinal) {
        if (binary) {
            return binaryCell(row, offset, ordinal);
        }
        int at = offset;
        for (int i = 0; i < ordinal; i++) {
            at += lenenc(row, at);
        }
        return place(at, lenenc(row, at)) | ((row[at] & 0xFF) == NULL_CELL ? NULL_FLAG : 0);
    }

    private long binaryCell(byte[] row, int offset, int ordinal) {
        int bitmap = offset + 1;
        int at = bitmap + (widths.length + 2 + 7) / 8;
        for (int i = 0; i < ordinal; i++) {
            if (!nullAt(row, bitmap, i)) {
                at += binaryLength(row, at, widths[i]);
            }
        }
        return nullAt(row, bitmap, ordinal)
                ? place(at, 0) | NULL_FLAG
                : place(at, binaryLength(row, at, widths[ordinal]));
    }

    private static int binaryLength(byte[] row, int at, byte width) {
        return switch (width) {
            case LENENC -> lenenc(row, at);
            case BYTE_LENGTH -> 1 + (row[at] & 0xFF);
            default -> width;
        };
    }

    /** Bytes of length that stand before the content of a cell. */
    int lengthBytes(byte[] row, long cell, int ordinal) {
        if (binary && widths[ordinal] >= 0) {
            return 0;
        }
        return switch (row[offset(cell)] & 0xFF) {
            case 0xFC -> 3;
            case 0xFD -> 4;
            case 0xFE -> 9;
            default -> 1;
        };
    }

    static int offset(long cell) {
        return (int) (cell >>> 32) & Integer.MAX_VALUE;
    }

    static int length(long cell) {
        return (int) cell;
    }

    static boolean isNull(long cell) {
        return cell < 0;
    }

    private static long place(int offset, int length) {
        return ((long) offset << 32) | length;
    }

    private static boolean nullAt(byte[] row, int bitmap, int ordinal) {
        return ((row[bitmap + (ordinal + 2) / 8] >> ((ordinal + 2) % 8)) & 1) != 0;
    }

    /** Bytes of a length-encoded string with its length; rows are far below 2 GiB. */
    private static int lenenc(byte[] row, int at) {
        int first = row[at] & 0xFF;
        return switch (first) {
            case NULL_CELL -> 1;
            case 0xFC -> 3 + ((row[at + 1] & 0xFF) | ((row[at + 2] & 0xFF) << 8));
            case 0xFD -> 4 + ((row[at + 1] & 0xFF) | ((row[at + 2] & 0xFF) << 8) | ((row[at + 3] & 0xFF) << 16));
            case 0xFE -> throw new IllegalStateException("a cell of 16 MiB or more in a line");
            default -> 1 + first;
        };
    }
}
