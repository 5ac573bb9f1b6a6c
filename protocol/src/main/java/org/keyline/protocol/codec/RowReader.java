package org.keyline.protocol.codec;

import io.netty.buffer.ByteBuf;
import java.nio.charset.Charset;

/**
 * Finds the cells of a row. {@link #read(byte[], int, int)} finds all positions once, without
 * allocation. The other methods then return a cell's position in {@link #source}, or its value.
 * Reusable for any number of rows; confined to one thread.
 */
public sealed interface RowReader permits TextRowReader, BinaryRowReader {
    /**
     * Finds the cells of a row.
     *
     * @param source retained until the next row; the caller must not modify it
     * @throws org.keyline.protocol.ProtocolException if the bytes are not a row of these columns
     */
    void read(byte[] source, int offset, int length);

    /** Finds the cells of a row. Copies the readable bytes; the buffer's indexes do not move. */
    void read(ByteBuf row);

    int columns();

    /** Returns the array to which the offsets refer. The caller must not modify it. */
    byte[] source();

    boolean isNull(int column);

    /**
     * Returns the offset of a cell, at the bytes of its length, if any. A binary NULL has no bytes.
     */
    int cellOffset(int column);

    int cellLength(int column);

    int valueOffset(int column);

    /** Returns the length of a cell's value in bytes; 0 for NULL. */
    int valueLength(int column);

    /**
     * Returns an integer cell, which must not be NULL. Unsigned 64-bit values retain their bits.
     */
    long int64(int column);

    /** Returns a floating-point, decimal or integer cell, which must not be NULL. */
    double float64(int column);

    /** Returns a cell in the format of the text protocol. It must not be NULL. */
    String text(int column, Charset charset);
}
