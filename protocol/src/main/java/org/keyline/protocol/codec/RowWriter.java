package org.keyline.protocol.codec;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.Lenenc;

/**
 * Writes rows of one result set, cell by cell from left to right, as payloads without packet
 * headers. Each call writes one cell in the form of its column's type, and throws an
 * {@link IllegalArgumentException} if the column cannot represent the value. Reusable for any
 * number of rows; confined to one thread.
 */
public abstract sealed class RowWriter permits TextRowWriter, BinaryRowWriter {
    private static final int MAX_HOURS = 838;

    final int[] types;
    private @Nullable ByteBuf row;
    /** The number of cells written so far. */
    int column;

    RowWriter(List<ColumnDefinition> columns) {
        types = columns.stream().mapToInt(ColumnDefinition::type).toArray();
    }

    /** Starts a row at the writer index of {@code out}, which the caller owns. */
    public void beginRow(ByteBuf out) {
        row = out;
        column = 0;
    }

    /** Begins the next cell. */
    final ByteBuf next() {
        ByteBuf out = row;
        if (out == null || column == types.length) {
            throw new IllegalStateException(out == null ? "no row begun" : "cells: more than " + types.length);
        }
        column++;
        return out;
    }

    /** Begins the next cell, which must be of a type with a length-encoded value. */
    abstract ByteBuf nextText(String what);

    public abstract void nullCell();

    /**
     * Writes an integer. A binary row contains it in binary if the column is TINY, SHORT, INT24,
     * LONG, LONGLONG or YEAR, and as text in other columns.
     */
    public abstract void int64(long value);

    public abstract void uint64(long value);

    /** Writes a FLOAT. In a text row, it has the six digits that MySQL prints. */
    public abstract void float32(float value);

    public abstract void float64(double value);

    public final void decimal(String text) {
        string(text);
    }

    public final void string(String text) {
        Lenenc.writeString(nextText("text"), text);
    }

    /** Writes bytes unchanged: text in the result's character set, BLOB, BIT, JSON, GEOMETRY. */
    public final void bytes(byte[] source, int offset, int length) {
        ByteBuf out = nextText("bytes");
        Lenenc.writeInt(out, length);
        out.writeBytes(source, offset, length);
    }

    /** Writes all readable bytes. {@code source} is borrowed and its indexes do not move. */
    public final void bytes(ByteBuf source) {
        ByteBuf out = nextText("bytes");
        Lenenc.writeInt(out, source.readableBytes());
        out.writeBytes(source, source.readerIndex(), source.readableBytes());
    }

    /** Writes a date. Zeros are allowed, as in 0000-00-00. */
    public abstract void date(int year, int month, int day);

    /** Writes a date and time. A text row contains as many decimals as the column has. */
    public abstract void dateTime(int year, int month, int day, int hour, int minute, int second, int micros);

    /** Writes a time of up to 838 hours. A text row contains as many decimals as the column has. */
    public abstract void time(boolean negative, int hours, int minutes, int seconds, int micros);

    static void checkDate(int year, int month, int day) {
        if (year < 0 || year > 9999 || month < 0 || month > 12 || day < 0 || day > 31) {
            throw new IllegalArgumentException("date: " + year + "-" + month + "-" + day);
        }
    }

    static void checkTime(int hours, int minutes, int seconds, int micros) {
        boolean valid = hours >= 0 && hours <= MAX_HOURS && minutes >= 0 && minutes < 60 && seconds >= 0;
        if (!valid || seconds > 59 || micros < 0 || micros > 999_999) {
            throw new IllegalArgumentException("time: " + hours + ":" + minutes + ":" + seconds + "." + micros);
        }
    }

    /** Ends a row. Every column must have a cell. */
    public final void endRow() {
        if (column != types.length) {
            throw new IllegalStateException("cells: " + column + " (expected: " + types.length + ")");
        }
        row = null;
    }
}
