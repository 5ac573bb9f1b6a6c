package org.keyline.protocol.codec;

import io.netty.buffer.ByteBuf;

/**
 * Writes rows of one result set, cell by cell from left to right, as payloads without packet headers. Each call writes
 * one cell in the form its column's type asks for; a value that the column cannot hold is an
 * {@link IllegalArgumentException}. Confined to one thread.
 */
public sealed interface RowWriter permits TextRowWriter, BinaryRowWriter {
    /** Starts a row at the writer index of {@code out}, which stays the caller's. */
    void beginRow(ByteBuf out);

    /** SQL NULL. */
    void nullCell();

    /** A signed integer, for TINY, SHORT, INT24, LONG, LONGLONG, YEAR and, as text, every other column. */
    void int64(long value);

    /** An unsigned 64-bit integer. */
    void uint64(long value);

    /** A FLOAT: as text with the six digits that MySQL shows. */
    void float32(float value);

    /** A DOUBLE. */
    void float64(double value);

    /** A DECIMAL as text, as it is to be shown. */
    void decimal(String text);

    /** Text in UTF-8. */
    void string(String text);

    /** Bytes as they are: text in the result's character set, BLOB, BIT, JSON, GEOMETRY. */
    void bytes(byte[] source, int offset, int length);

    /** All readable bytes; {@code source} is borrowed and its indexes stay. */
    void bytes(ByteBuf source);

    /** A DATE; zeros are allowed, as in 0000-00-00. */
    void date(int year, int month, int day);

    /** A DATETIME or TIMESTAMP; as text with as many fractional digits as the column has decimals. */
    void dateTime(int year, int month, int day, int hour, int minute, int second, int micros);

    /** A TIME of up to 838 hours; as text with as many fractional digits as the column has decimals. */
    void time(boolean negative, int hours, int minutes, int seconds, int micros);

    /** Ends the row: every column must have its cell. */
    void endRow();
}
