package org.keyline.protocol.codec;

import io.netty.buffer.ByteBuf;
import java.nio.charset.Charset;

/**
 * Finds the cells of a row. A row is indexed once by {@link #read(byte[], int, int)}, without allocation; then each cell
 * tells where it lies in {@link #source}: on the wire, with the length in front of it, and as a bare value. Reusable
 * for any number of rows; confined to one thread.
 */
public sealed interface RowReader permits TextRowReader, BinaryRowReader {
    /**
     * Indexes a row.
     *
     * @param source kept until the next row; the caller does not change it
     * @throws org.keyline.protocol.ProtocolException where the bytes are not a row of these columns
     */
    void read(byte[] source, int offset, int length);

    /** Indexes a row in a buffer, whose readable bytes are copied; its indexes stay. */
    void read(ByteBuf row);

    /** Columns of the result. */
    int columns();

    /** Where the offsets point into. Not to be changed. */
    byte[] source();

    /** Whether a cell is NULL. */
    boolean isNull(int column);

    /** Where a cell begins on the wire; in a binary row a NULL cell has no bytes. */
    int cellOffset(int column);

    /** Bytes of a cell on the wire. */
    int cellLength(int column);

    /** Where a cell's value begins. */
    int valueOffset(int column);

    /** Bytes of a cell's value; 0 for NULL. */
    int valueLength(int column);

    /** An integer cell; unsigned 64-bit values as they are. Not for NULL. */
    long int64(int column);

    /** A floating-point, decimal or integer cell. Not for NULL. */
    double float64(int column);

    /** A cell as the text protocol shows it. Not for NULL. */
    String text(int column, Charset charset);
}
