package org.keyline.stores.duckdb.reply;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.Charset;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.codec.RowWriter;
import org.keyline.stores.duckdb.engine.CellType;
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

    @Nullable
    private final Charset charset;

    /**
     * @param rows the rows of DuckDB; each call of {@link #accept} writes the current one
     * @param columns the definitions that the client received
     * @param charset the character set of text in the result; null for UTF-8
     */
    public Cells(EngineRows rows, List<ColumnDefinition> columns, @Nullable Charset charset) {
        this.rows = rows;
        this.columns = columns;
        this.charset = charset;
    }

    @Override
    public void accept(RowWriter out) {
        for (int i = 0; i < columns.size(); i++) {
            if (rows.isNull(i)) {
                out.nullCell();
            } else {
                cell(i, out);
            }
        }
    }

    private void cell(int i, RowWriter out) {
        ColumnDefinition column = columns.get(i);
        switch (column.type()) {
            case ColumnType.TINY,
                    ColumnType.SHORT,
                    ColumnType.INT24,
                    ColumnType.LONG,
                    ColumnType.LONGLONG,
                    ColumnType.YEAR -> integer(i, column, out);
            case ColumnType.FLOAT -> {
                Double value = number(i);
                if (value == null) {
                    out.nullCell();
                } else {
                    out.float32(value.floatValue());
                }
            }
            case ColumnType.DOUBLE -> {
                Double value = number(i);
                if (value == null) {
                    out.nullCell();
                } else {
                    out.float64(value);
                }
            }
            case ColumnType.NEWDECIMAL -> {
                BigDecimal value = decimal(i);
                if (value == null) {
                    out.nullCell();
                } else {
                    out.decimal(scaled(value, column.decimals()).toPlainString());
                }
            }
            case ColumnType.DATE -> {
                LocalDate date = date(i);
                out.date(date.getYear(), date.getMonthValue(), date.getDayOfMonth());
            }
            case ColumnType.DATETIME, ColumnType.TIMESTAMP -> dateTime(i, out);
            case ColumnType.TIME -> time(i, out);
            case ColumnType.BIT -> bits(i, column, out);
            case ColumnType.NULL -> out.nullCell();
            default -> text(i, out);
        }
    }

    private void bits(int i, ColumnDefinition column, RowWriter out) {
        BigDecimal value = decimal(i);
        if (value == null) {
            out.nullCell();
            return;
        }
        byte[] bytes = new byte[((int) column.length() + 7) / 8];
        long bits = value.toBigInteger().longValue();
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
            default -> {
                BigDecimal value = decimal(i);
                if (value == null) {
                    out.nullCell();
                } else {
                    bigInteger(value.setScale(0, RoundingMode.HALF_UP).toBigInteger(), column, out);
                }
            }
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

    private @Nullable Double number(int i) {
        return switch (rows.type(i)) {
            case FLOAT -> (double) rows.single(i);
            case DOUBLE -> rows.floating(i);
            default -> {
                BigDecimal value = decimal(i);
                yield value == null ? null : (Double) value.doubleValue();
            }
        };
    }

    /** Returns the cell as a decimal; null for infinity and NaN. */
    private @Nullable BigDecimal decimal(int i) {
        return switch (rows.type(i)) {
            case BOOLEAN -> rows.truth(i) ? BigDecimal.ONE : BigDecimal.ZERO;
            case INTEGER -> BigDecimal.valueOf(rows.integer(i));
            case BIG_INTEGER -> new BigDecimal(rows.bigInteger(i));
            case FLOAT, DOUBLE -> {
                double value = rows.type(i) == CellType.FLOAT ? rows.single(i) : rows.floating(i);
                yield Double.isFinite(value) ? BigDecimal.valueOf(value) : null;
            }
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

    /** Writes a TIME, which is within a day in this store. */
    private void time(int i, RowWriter out) {
        long micros = rows.micros(i);
        long seconds = micros / 1_000_000;
        out.time(false, (int) (seconds / 3_600), (int) (seconds / 60 % 60), (int) (seconds % 60), (int)
                (micros % 1_000_000));
    }

    private void text(int i, RowWriter out) {
        switch (rows.type(i)) {
            case BLOB -> bytes(rows.bytes(i), out);
            case BOOLEAN -> string(rows.truth(i) ? "1" : "0", out);
            case TEXT -> {
                if (charset == null) {
                    bytes(rows.bytes(i), out);
                } else {
                    string(rows.text(i), out);
                }
            }
            default -> string(rows.text(i), out);
        }
    }

    private static void bytes(byte[] value, RowWriter out) {
        out.bytes(value, 0, value.length);
    }

    private void string(String value, RowWriter out) {
        if (charset == null) {
            out.string(value);
        } else {
            bytes(Latin1Text.encode(value, charset), out);
        }
    }
}
