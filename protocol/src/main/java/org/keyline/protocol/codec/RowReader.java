package org.keyline.protocol.codec;

import io.netty.buffer.ByteBuf;
import java.nio.charset.Charset;
import org.keyline.protocol.ProtocolException;

/**
 * Finds the cells of a row. {@link #read(byte[], int, int)} finds all positions once, without
 * allocation. The other methods then return a cell's position in {@link #source}, or its value.
 * Reusable for any number of rows; confined to one thread.
 */
public abstract sealed class RowReader permits TextRowReader, BinaryRowReader {
    /** The offset of each cell, and of the end of the row. */
    final int[] cells;
    /** The offset of each value; -1 for NULL. */
    final int[] values;

    private final Scratch scratch = new Scratch();
    byte[] source = Scratch.NONE;

    RowReader(int columns) {
        cells = new int[columns + 1];
        values = new int[columns];
    }

    /**
     * Finds the cells of a row.
     *
     * @param row retained until the next row; the caller must not modify it
     * @throws ProtocolException if the bytes are not a row of these columns
     */
    public final void read(byte[] row, int offset, int length) {
        source = row;
        int limit = offset + length;
        int end = find(row, offset, limit);
        cells[values.length] = end;
        if (end != limit) {
            throw new ProtocolException("bytes after the last cell: " + (limit - end));
        }
    }

    /** Sets {@link #cells} and {@link #values}. Returns the end of the last cell. */
    abstract int find(byte[] row, int offset, int limit);

    /** Finds the cells of a row. Copies the readable bytes; the buffer's indexes do not move. */
    public final void read(ByteBuf row) {
        int length = row.readableBytes();
        read(scratch.copy(row, row.readerIndex(), length), 0, length);
    }

    public final int columns() {
        return values.length;
    }

    /** Returns the array to which the offsets refer. The caller must not modify it. */
    public final byte[] source() {
        return source;
    }

    public final boolean isNull(int column) {
        return values[column] < 0;
    }

    /** Returns where a cell begins, length bytes included. A NULL in a binary row has no bytes. */
    public final int cellOffset(int column) {
        return cells[column];
    }

    public final int cellLength(int column) {
        return cells[column + 1] - cells[column];
    }

    public final int valueOffset(int column) {
        return values[column] < 0 ? cells[column + 1] : values[column];
    }

    /** Returns the length of a cell's value in bytes; 0 for NULL. */
    public final int valueLength(int column) {
        return values[column] < 0 ? 0 : cells[column + 1] - values[column];
    }

    /** Returns a non-NULL integer. Unsigned values above {@link Long#MAX_VALUE} become negative. */
    public abstract long int64(int column);

    /** Returns a floating-point, decimal or integer cell, which must not be NULL. */
    public abstract double float64(int column);

    /** Returns a cell in the format of the text protocol. It must not be NULL. */
    public abstract String text(int column, Charset charset);
}
