package org.keyline.protocol.codec;

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
public final class BinaryRowReader extends RowReader {
    private final int[] types;
    private final boolean[] unsigned;
    private final int[] decimals;

    public BinaryRowReader(List<ColumnDefinition> columns) {
        super(columns.size());
        types = new int[columns.size()];
        unsigned = new boolean[types.length];
        decimals = new int[types.length];
        for (int i = 0; i < types.length; i++) {
            types[i] = columns.get(i).type();
            unsigned[i] = columns.get(i).unsigned();
            decimals[i] = columns.get(i).decimals();
        }
    }

    @Override
    int find(byte[] row, int offset, int limit) {
        int bitmap = offset + 1;
        int at = bitmap + BinaryRowWriter.bitmapBytes(types.length);
        if (at > limit || row[offset] != 0) {
            throw new ProtocolException("not a binary row: " + (limit - offset) + " bytes");
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
        return at;
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
