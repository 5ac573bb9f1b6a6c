package org.keyline.stores.duckdb.reply;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import java.util.function.Consumer;
import org.keyline.planner.StatementRefusedException;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.codec.RowWriter;
import org.keyline.stores.duckdb.engine.EngineRows;

/**
 * Writes the cells of DuckDB's current row in the types of the column definitions that the client
 * received. DuckDB's type may differ: a SUM is a HUGEINT in DuckDB and a DECIMAL for the client. So
 * both types decide how a cell is written. Used by one thread at a time.
 */
public final class Cells implements Consumer<RowWriter> {
    private static final BigInteger MAX_UNSIGNED = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);
    private static final int NANOS_PER_MICRO = 1000;

    private final EngineRows rows;
    private final List<ColumnDefinition> columns;

    private final boolean asciiOnly;

    /**
     * @param rows the rows of DuckDB; each call of {@link #accept} writes the current one
     * @param columns the definitions that the client received
     * @param asciiOnly whether text outside ASCII is refused; true if the client expects text that
     *     is neither UTF-8 nor binary
     */
    public Cells(EngineRows rows, List<ColumnDefinition> columns, boolean asciiOnly) {
        this.rows = rows;
        this.columns = columns;
        this.asciiOnly = asciiOnly;
    }

    @Override
    public void accept(RowWriter out) {
        for (int i = 0; i < columns.size(); i++) {
            if (isNull(i)) {
                out.nullCell();
            } else {
                cell(i, out);
            }
        }
    }

    /** Returns whether the client gets NULL. MySQL has no infinity or NaN, so they become NULL. */
    private boolean isNull(int i) {
        if (rows.isNull(i)) {
            return true;
        }
        return switch (rows.type(i)) {
            case FLOAT -> !Float.isFinite(rows.single(i));
            case DOUBLE -> !Double.isFinite(rows.floating(i));
            default -> false;
        };
    }

    private void cell(int i, RowWriter out) {
        ColumnDefinition column = columns.get(i);
        switch (column.type()) {
            case ColumnType.TINY, ColumnType.SHORT, ColumnType.INT24, ColumnType.LONG, ColumnType.LONGLONG ->
                integer(i, column, out);
            case ColumnType.FLOAT -> out.float32((float) number(i));
            case ColumnType.DOUBLE -> out.float64(number(i));
            case ColumnType.NEWDECIMAL ->
                out.decimal(scaled(decimal(i), column.decimals()).toPlainString());
            case ColumnType.DATE -> {
                LocalDate date = date(i);
                out.date(date.getYear(), date.getMonthValue(), date.getDayOfMonth());
            }
            case ColumnType.DATETIME, ColumnType.TIMESTAMP -> dateTime(i, out);
            case ColumnType.BIT -> bits(i, column, out);
            case ColumnType.NULL -> out.nullCell();
            default -> text(i, out);
        }
    }

    private void bits(int i, ColumnDefinition column, RowWriter out) {
        byte[] bytes = new byte[((int) column.length() + 7) / 8];
        long bits = decimal(i).longValue();
        for (int at = bytes.length - 1; at >= 0; at--) {
            bytes[at] = (byte) bits;
            bits >>>= Byte.SIZE;
        }
        out.bytes(bytes, 0, bytes.length);
    }

    private static BigDecimal scaled(BigDecimal value, int decimals) {
        return decimals > ResultColumns.MAX_DECIMALS || value.scale() == decimals
                ? value
                : value.setScale(decimals, RoundingMode.HALF_UP);
    }

    private void integer(int i, ColumnDefinition column, RowWriter out) {
        switch (rows.type(i)) {
            case BOOLEAN -> out.int64(rows.truth(i) ? 1 : 0);
            case INTEGER -> {
                if (column.unsigned()) {
                    out.uint64(rows.integer(i));
                } else {
                    out.int64(rows.integer(i));
                }
            }
            default -> bigInteger(decimal(i).setScale(0, RoundingMode.HALF_UP).toBigInteger(), column, out);
        }
    }

    private static void bigInteger(BigInteger value, ColumnDefinition column, RowWriter out) {
        boolean fits = column.unsigned()
                ? value.signum() >= 0 && value.compareTo(MAX_UNSIGNED) <= 0
                : value.bitLength() < Long.SIZE;
        if (!fits) {
            throw new StatementRefusedException(
                    1690,
                    ErrorCode.ER_DATA_OUT_OF_RANGE.sqlState(),
                    "BIGINT" + (column.unsigned() ? " UNSIGNED" : "") + " value is out of range in '" + column.name()
                            + "'");
        }
        if (column.unsigned()) {
            out.uint64(value.longValue());
        } else {
            out.int64(value.longValue());
        }
    }

    private double number(int i) {
        return switch (rows.type(i)) {
            case FLOAT -> rows.single(i);
            case DOUBLE -> rows.floating(i);
            default -> decimal(i).doubleValue();
        };
    }

    private BigDecimal decimal(int i) {
        return switch (rows.type(i)) {
            case BOOLEAN -> rows.truth(i) ? BigDecimal.ONE : BigDecimal.ZERO;
            case INTEGER -> BigDecimal.valueOf(rows.integer(i));
            case BIG_INTEGER -> new BigDecimal(rows.bigInteger(i));
            case FLOAT, DOUBLE -> BigDecimal.valueOf(number(i));
            case DECIMAL -> rows.decimal(i);
            default -> new BigDecimal(rows.text(i).trim());
        };
    }

    private LocalDate date(int i) {
        return switch (rows.type(i)) {
            case DATE -> rows.date(i);
            case TIMESTAMP -> rows.dateTime(i).toLocalDate();
            default -> LocalDate.parse(rows.text(i));
        };
    }

    private void dateTime(int i, RowWriter out) {
        LocalDateTime value = switch (rows.type(i)) {
            case TIMESTAMP -> rows.dateTime(i);
            case DATE -> rows.date(i).atStartOfDay();
            default -> LocalDateTime.parse(rows.text(i).replace(' ', 'T'));
        };
        out.dateTime(
                value.getYear(),
                value.getMonthValue(),
                value.getDayOfMonth(),
                value.getHour(),
                value.getMinute(),
                value.getSecond(),
                value.getNano() / NANOS_PER_MICRO);
    }

    private void text(int i, RowWriter out) {
        switch (rows.type(i)) {
            case BLOB -> bytes(rows.bytes(i), out);
            case BOOLEAN -> out.string(rows.truth(i) ? "1" : "0");
            case TEXT -> {
                byte[] text = rows.bytes(i);
                if (asciiOnly) {
                    requireAscii(text, "column '" + columns.get(i).name() + "'");
                }
                bytes(text, out);
            }
            default -> out.string(rows.text(i));
        }
    }

    /** Refuses text outside ASCII, for clients whose character set is not UTF-8. */
    public static void requireAscii(byte[] text, String place) {
        for (byte b : text) {
            if (b < 0) {
                throw StatementRefusedException.unsupported(
                        "text outside ASCII (" + place + ") in this character set; SET NAMES utf8mb4");
            }
        }
    }

    private static void bytes(byte[] value, RowWriter out) {
        out.bytes(value, 0, value.length);
    }
}
