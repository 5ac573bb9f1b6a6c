package org.keyline.protocol.codec;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.Lenenc;

/**
 * Writes rows of the text protocol: every cell is a length-encoded string, or 0xFB for NULL.
 * Confined to one thread; reusable for any number of rows.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response_text_resultset_row.html">Text
 * result-set row</a>
 */
public final class TextRowWriter extends RowWriter {
    private static final int YEAR_DIGITS = 4;

    private final int[] decimals;
    private final int[] minDigits;

    public TextRowWriter(List<ColumnDefinition> columns) {
        super(columns);
        decimals = new int[types.length];
        minDigits = new int[types.length];
        for (int i = 0; i < types.length; i++) {
            ColumnDefinition definition = columns.get(i);
            decimals[i] = definition.decimals();
            if (types[i] == ColumnType.YEAR) {
                minDigits[i] = YEAR_DIGITS;
            } else if ((definition.flags() & ColumnType.ZEROFILL_FLAG) != 0) {
                minDigits[i] = (int) Math.min(definition.length(), 255);
            }
        }
    }

    @Override
    public void nullCell() {
        next().writeByte(Lenenc.NULL);
    }

    @Override
    public void int64(long value) {
        ByteBuf out = next();
        int start = begin(out);
        NumberText.int64(out, value, minDigits[column - 1]);
        end(out, start);
    }

    @Override
    public void uint64(long value) {
        ByteBuf out = next();
        int start = begin(out);
        NumberText.uint64(out, value, minDigits[column - 1]);
        end(out, start);
    }

    @Override
    public void float32(float value) {
        ByteBuf out = next();
        Lenenc.writeString(out, NumberText.float32(value, decimals[column - 1]));
    }

    @Override
    public void float64(double value) {
        ByteBuf out = next();
        Lenenc.writeString(out, NumberText.float64(value, decimals[column - 1]));
    }

    @Override
    public void date(int year, int month, int day) {
        ByteBuf out = next();
        int type = types[column - 1];
        int start = begin(out);
        writeDate(out, year, month, day);
        if (type == ColumnType.DATETIME || type == ColumnType.TIMESTAMP) {
            out.writeByte(' ');
            writeTime(out, 0, 0, 0, 0);
        }
        end(out, start);
    }

    @Override
    public void dateTime(int year, int month, int day, int hour, int minute, int second, int micros) {
        ByteBuf out = next();
        int start = begin(out);
        writeDate(out, year, month, day);
        out.writeByte(' ');
        writeTime(out, hour, minute, second, micros);
        end(out, start);
    }

    @Override
    public void time(boolean negative, int hours, int minutes, int seconds, int micros) {
        ByteBuf out = next();
        int start = begin(out);
        if (negative) {
            out.writeByte('-');
        }
        writeTime(out, hours, minutes, seconds, micros);
        end(out, start);
    }

    private void writeDate(ByteBuf out, int year, int month, int day) {
        checkDate(year, month, day);
        NumberText.digits(out, year, 4);
        out.writeByte('-');
        NumberText.digits(out, month, 2);
        out.writeByte('-');
        NumberText.digits(out, day, 2);
    }

    private void writeTime(ByteBuf out, int hours, int minutes, int seconds, int micros) {
        checkTime(hours, minutes, seconds, micros);
        NumberText.digits(out, hours, hours > 99 ? 3 : 2);
        out.writeByte(':');
        NumberText.digits(out, minutes, 2);
        out.writeByte(':');
        NumberText.digits(out, seconds, 2);
        NumberText.fraction(out, micros, decimals[column - 1]);
    }

    @Override
    ByteBuf nextText(String what) {
        return next();
    }

    /**
     * Reserves a cell's length byte, which suffices for a number, date or time. Returns the index
     * after that byte.
     */
    private static int begin(ByteBuf out) {
        out.writeByte(0);
        return out.writerIndex();
    }

    private static void end(ByteBuf out, int start) {
        out.setByte(start - 1, out.writerIndex() - start);
    }
}
