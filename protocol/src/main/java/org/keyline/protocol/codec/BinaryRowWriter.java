package org.keyline.protocol.codec;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.Lenenc;

/**
 * Writes rows of the binary protocol: 0x00, a bitmap of NULL cells, then each cell that is not
 * NULL, in the form of the column's type. Confined to one thread; reusable for any number of rows.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_binary_resultset.html">Binary
 * result-set row</a>
 */
public final class BinaryRowWriter extends RowWriter {
    public static final int BITMAP_OFFSET = 2;

    private final boolean[] unsigned;
    private final int bitmapBytes;
    private int bitmap;

    public BinaryRowWriter(List<ColumnDefinition> columns) {
        super(columns);
        unsigned = new boolean[types.length];
        for (int i = 0; i < types.length; i++) {
            unsigned[i] = columns.get(i).unsigned();
            if (ColumnType.binaryLength(types[i]) == ColumnType.UNKNOWN) {
                throw new IllegalArgumentException("type of column " + i + ": " + types[i]);
            }
        }
        bitmapBytes = bitmapBytes(types.length);
    }

    public static int bitmapBytes(int columns) {
        return (columns + BITMAP_OFFSET + 7) / 8;
    }

    @Override
    public void beginRow(ByteBuf out) {
        super.beginRow(out);
        out.writeByte(0);
        bitmap = out.writerIndex();
        out.writeZero(bitmapBytes);
    }

    @Override
    public void nullCell() {
        ByteBuf out = next();
        int bit = column - 1 + BITMAP_OFFSET;
        int at = bitmap + bit / 8;
        out.setByte(at, out.getByte(at) | 1 << bit % 8);
    }

    @Override
    public void int64(long value) {
        ByteBuf out = next();
        boolean positive = unsigned[column - 1];
        switch (types[column - 1]) {
            case ColumnType.TINY, ColumnType.BOOL -> out.writeByte((int) check(value, positive, 8));
            case ColumnType.SHORT, ColumnType.YEAR -> out.writeShortLE((int) check(value, positive, 16));
            case ColumnType.INT24, ColumnType.LONG -> out.writeIntLE((int) check(value, positive, 32));
            case ColumnType.LONGLONG -> {
                if (positive && value < 0) {
                    throw outOfRange(Long.toString(value));
                }
                out.writeLongLE(value);
            }
            default -> {
                requireText("integer");
                out.writeByte(0);
                int start = out.writerIndex();
                NumberText.int64(out, value, 0);
                out.setByte(start - 1, out.writerIndex() - start);
            }
        }
    }

    @Override
    public void uint64(long value) {
        if (value >= 0) {
            int64(value);
            return;
        }
        ByteBuf out = next();
        if (types[column - 1] == ColumnType.LONGLONG) {
            if (!unsigned[column - 1]) {
                throw outOfRange(Long.toUnsignedString(value));
            }
            out.writeLongLE(value);
        } else {
            requireText(Long.toUnsignedString(value));
            Lenenc.writeString(out, Long.toUnsignedString(value));
        }
    }

    @Override
    public void float32(float value) {
        ByteBuf out = next();
        if (types[column - 1] == ColumnType.FLOAT) {
            out.writeFloatLE(value);
        } else if (types[column - 1] == ColumnType.DOUBLE) {
            out.writeDoubleLE(value);
        } else {
            requireText("float");
            Lenenc.writeString(out, NumberText.float32(value, NumberText.NOT_FIXED_DECIMALS));
        }
    }

    @Override
    public void float64(double value) {
        ByteBuf out = next();
        if (types[column - 1] == ColumnType.DOUBLE) {
            out.writeDoubleLE(value);
        } else {
            requireText("double");
            Lenenc.writeString(out, NumberText.float64(value, NumberText.NOT_FIXED_DECIMALS));
        }
    }

    @Override
    public void date(int year, int month, int day) {
        writeDateTime(year, month, day, 0, 0, 0, 0);
    }

    @Override
    public void dateTime(int year, int month, int day, int hour, int minute, int second, int micros) {
        writeDateTime(year, month, day, hour, minute, second, micros);
    }

    @Override
    public void time(boolean negative, int hours, int minutes, int seconds, int micros) {
        checkTime(hours, minutes, seconds, micros);
        ByteBuf out = next();
        requireType(types[column - 1] == ColumnType.TIME, "time");
        int length = micros != 0 ? 12 : (hours | minutes | seconds) != 0 ? 8 : 0;
        out.writeByte(length);
        if (length > 0) {
            out.writeByte(negative ? 1 : 0).writeIntLE(hours / 24);
            out.writeByte(hours % 24).writeByte(minutes).writeByte(seconds);
        }
        if (length == 12) {
            out.writeIntLE(micros);
        }
    }

    private void writeDateTime(int year, int month, int day, int hour, int minute, int second, int micros) {
        checkDate(year, month, day);
        checkTime(hour, minute, second, micros);
        ByteBuf out = next();
        int type = types[column - 1];
        requireType(ColumnType.binaryLength(type) == ColumnType.LENGTH_BYTE && type != ColumnType.TIME, "date");
        int length = micros != 0 ? 11 : (hour | minute | second) != 0 ? 7 : (year | month | day) != 0 ? 4 : 0;
        out.writeByte(length);
        if (length > 0) {
            out.writeShortLE(year).writeByte(month).writeByte(day);
        }
        if (length > 4) {
            out.writeByte(hour).writeByte(minute).writeByte(second);
        }
        if (length > 7) {
            out.writeIntLE(micros);
        }
    }

    @Override
    ByteBuf nextText(String what) {
        ByteBuf out = next();
        requireText(what);
        return out;
    }

    private long check(long value, boolean positive, int bits) {
        long min = positive ? 0 : -(1L << (bits - 1));
        long max = positive ? (1L << bits) - 1 : (1L << (bits - 1)) - 1;
        if (value < min || value > max) {
            throw outOfRange(Long.toString(value));
        }
        return value;
    }

    private void requireText(String what) {
        requireType(ColumnType.binaryLength(types[column - 1]) == ColumnType.LENGTH_ENCODED, what);
    }

    private void requireType(boolean fits, String what) {
        if (!fits) {
            throw new IllegalArgumentException(what + " in column " + (column - 1) + " of type " + types[column - 1]);
        }
    }

    private IllegalArgumentException outOfRange(String value) {
        return new IllegalArgumentException(
                "value: " + value + " in column " + (column - 1) + " of type " + types[column - 1]);
    }
}
