package org.keyline.protocol.codec;

import io.netty.buffer.ByteBuf;
import java.nio.charset.Charset;
import org.keyline.protocol.Lenenc;
import org.keyline.protocol.ProtocolException;

/**
 * Finds the cells of rows of the text protocol.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response_text_resultset_row.html">Text
 * result-set row</a>
 */
public final class TextRowReader implements RowReader {
    private final int[] cells;
    private final int[] values;
    private final Scratch scratch = new Scratch();
    private byte[] source = Scratch.NONE;

    public TextRowReader(int columns) {
        cells = new int[columns + 1];
        values = new int[columns];
    }

    @Override
    public void read(byte[] row, int offset, int length) {
        source = row;
        int at = offset;
        int limit = offset + length;
        for (int column = 0; column < values.length; column++) {
            cells[column] = at;
            if (at >= limit) {
                throw new ProtocolException("cells: " + column + " (expected: " + values.length + ")");
            }
            int first = row[at] & 0xFF;
            if (first == Lenenc.NULL) {
                values[column] = -1;
                at++;
                continue;
            }
            int prefix = BinaryValue.lenencBytes(first);
            if (prefix > limit - at) {
                throw new ProtocolException("length of cell " + column + " ends early");
            }
            long bytes = BinaryValue.length(row, at, prefix);
            if (bytes < 0 || bytes > limit - at - prefix) {
                throw new ProtocolException("cell " + column + ": " + Long.toUnsignedString(bytes)
                        + " bytes (expected: <= " + (limit - at - prefix) + ")");
            }
            values[column] = at + prefix;
            at += prefix + (int) bytes;
        }
        cells[values.length] = at;
        if (at != limit) {
            throw new ProtocolException("bytes after the last cell: " + (limit - at));
        }
    }

    @Override
    public void read(ByteBuf row) {
        int length = row.readableBytes();
        read(scratch.copy(row, row.readerIndex(), length), 0, length);
    }

    @Override
    public int columns() {
        return values.length;
    }

    @Override
    public byte[] source() {
        return source;
    }

    @Override
    public boolean isNull(int column) {
        return values[column] < 0;
    }

    @Override
    public int cellOffset(int column) {
        return cells[column];
    }

    @Override
    public int cellLength(int column) {
        return cells[column + 1] - cells[column];
    }

    @Override
    public int valueOffset(int column) {
        return values[column] < 0 ? cells[column] + 1 : values[column];
    }

    @Override
    public int valueLength(int column) {
        return values[column] < 0 ? 0 : cells[column + 1] - values[column];
    }

    @Override
    public long int64(int column) {
        int at = valueOffset(column);
        int end = at + valueLength(column);
        boolean negative = at < end && source[at] == '-';
        long value = 0;
        for (int i = negative ? at + 1 : at; i < end; i++) {
            int digit = source[i] - '0';
            if (digit < 0 || digit > 9) {
                throw new NumberFormatException("integer: " + BinaryValue.ascii(source, at, end - at));
            }
            value = value * 10 + digit;
        }
        return negative ? -value : value;
    }

    @Override
    public double float64(int column) {
        return Double.parseDouble(BinaryValue.ascii(source, valueOffset(column), valueLength(column)));
    }

    @Override
    public String text(int column, Charset charset) {
        return new String(source, valueOffset(column), valueLength(column), charset);
    }
}
