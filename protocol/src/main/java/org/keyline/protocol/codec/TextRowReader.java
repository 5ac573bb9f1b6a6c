package org.keyline.protocol.codec;

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
public final class TextRowReader extends RowReader {
    public TextRowReader(int columns) {
        super(columns);
    }

    @Override
    int find(byte[] row, int offset, int limit) {
        int at = offset;
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
        return at;
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
