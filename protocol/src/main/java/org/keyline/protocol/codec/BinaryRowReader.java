package org.keyline.protocol.codec;

import io.netty.buffer.ByteBuf;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.ProtocolException;

/**
 * Finds the cells of rows of the binary protocol.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_binary_resultset.html">Binary
 * result-set row</a>
 */
public final class BinaryRowReader implements RowReader {
    private final int[] types;
    private final boolean[] unsigned;
    private final int[] decimals;
    private final int[] cells;
    private final int[] values;
    private final Scratch scratch = new Scratch();
    private byte[] source = Scratch.NONE;

    public BinaryRowReader(List<ColumnDefinition> columns) {
        types = new int[columns.size()];
        unsigned = new boolean[types.length];
        decimals = new int[types.length];
        for (int i = 0; i < types.length; i++) {
            types[i] = columns.get(i).type();
            unsigned[i] = columns.get(i).unsigned();
            decimals[i] = columns.get(i).decimals();
        }
        cells = new int[types.length + 1];
        values = new int[types.length];
    }

    @Override
    public void read(byte[] row, int offset, int length) {
        source = row;
        int limit = offset + length;
        int bitmap = offset + 1;
        int at = bitmap + BinaryRowWriter.bitmapBytes(types.length);
        if (at > limit || row[offset] != 0) {
            throw new ProtocolException("not a binary row: " + length + " bytes");
        }
        for (int column = 0; column < types.length; column++) {
            cells[column] = at;
            int bit = column + BinaryRowWriter.BITMAP_OFFSET;
            if ((row[bitmap + bit / 8] & 1 << bit % 8) != 0) {
                values[column] = -1;
                continue;
            }
            int prefix = BinaryValue.prefixBytes(row, at, limit, types[column]);
            int bytes = BinaryValue.valueBytes(row, at, limit, types[column], prefix);
            values[column] = at + prefix;
            at += prefix + bytes;
        }
        cells[types.length] = at;
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
        return types.length;
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
        return values[column] < 0 ? cells[column] : values[column];
    }

    @Override
    public int valueLength(int column) {
        return values[column] < 0 ? 0 : cells[column + 1] - values[column];
    }

    @Override
    public long int64(int column) {
        return BinaryValue.int64(source, valueOffset(column), types[column], unsigned[column]);
    }

    @Override
    public double float64(int column) {
        return switch (types[column]) {
            case ColumnType.FLOAT -> BinaryValue.float32(source, valueOffset(column));
            case ColumnType.DOUBLE -> BinaryValue.float64(source, valueOffset(column));
            default -> Double.parseDouble(text(column, StandardCharsets.US_ASCII));
        };
    }

    public void temporal(int column, Temporal target) {
        if (types[column] == ColumnType.TIME) {
            target.readTime(source, valueOffset(column), valueLength(column));
        } else {
            target.readDateTime(source, valueOffset(column), valueLength(column));
        }
    }

    @Override
    public String text(int column, Charset charset) {
        return BinaryValue.text(
                source,
                valueOffset(column),
                valueLength(column),
                types[column],
                unsigned[column],
                decimals[column],
                charset);
    }
}
