package org.keyline.protocol.codec;

import io.netty.buffer.ByteBuf;

/**
 * Writes rows of one result set, cell by cell from left to right, as payloads without packet
 * headers. Each call writes one cell in the form of its column's type, and throws an
 * {@link IllegalArgumentException} if the column cannot represent the value. Confined to one
 * thread.
 */
public sealed interface RowWriter permits TextRowWriter, BinaryRowWriter {
    /** Starts a row at the writer index of {@code out}, which the caller owns. */
    void beginRow(ByteBuf out);

    void nullCell();

    /**
     * Writes an integer. A binary row contains it in binary if the column is TINY, SHORT, INT24,
     * LONG, LONGLONG or YEAR, and as text in other columns.
     */
    void int64(long value);

    void uint64(long value);

    /** Writes a FLOAT. In a text row, it has the six digits that MySQL prints. */
    void float32(float value);

    void float64(double value);

    void decimal(String text);

    void string(String text);

    /** Writes bytes unchanged: text in the result's character set, BLOB, BIT, JSON, GEOMETRY. */
    void bytes(byte[] source, int offset, int length);

    /** Writes all readable bytes. {@code source} is borrowed and its indexes do not move. */
    void bytes(ByteBuf source);

    /** Writes a date. Zeros are allowed, as in 0000-00-00. */
    void date(int year, int month, int day);

    /** Writes a date and time. A text row contains as many decimals as the column has. */
    void dateTime(int year, int month, int day, int hour, int minute, int second, int micros);

    /** Writes a time of up to 838 hours. A text row contains as many decimals as the column has. */
    void time(boolean negative, int hours, int minutes, int seconds, int micros);

    /** Ends a row. Every column must have a cell. */
    void endRow();
}
