package org.keyline.stores.duckdb.reply;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.Charset;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.codec.RowWriter;

/**
 * The cells of DuckDB's current row as cells of the columns that were announced. What DuckDB computed and what was
 * announced may differ (a SUM is a HUGEINT and announced as DECIMAL), so each pair has its rule. Used by one thread.
 */
public final class Cells implements RowSource {
    private static final BigInteger MAX_UNSIGNED = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);
    private static final int NANOS_PER_MICRO = 1000;

    private final ResultSet row;
    private final List<ColumnDefinition> columns;
    private final Source[] sources;

    @Nullable
    private final Charset charset;

    /** What DuckDB has in a column. */
    private enum Source {
        BOOLEAN,
        INTEGER,
        BIG_INTEGER,
        FLOAT,
        DOUBLE,
        DECIMAL,
        DATE,
        TIMESTAMP,
        TIMESTAMP_TZ,
        TIME,
        INTERVAL,
        BLOB,
        TEXT
    }

    /**
     * @param row of DuckDB, standing on the row to be written
     * @param columns as announced
     * @param charset of text in the result; null for UTF-8
     */
    public Cells(ResultSet row, List<ColumnDefinition> columns, @Nullable Charset charset) throws SQLException {
        this.row = row;
        this.columns = columns;
        this.charset = charset;
        ResultSetMetaData metadata = row.getMetaData();
        this.sources = new Source[columns.size()];
        for (int i = 0; i < sources.length; i++) {
            sources[i] = source(metadata.getColumnTypeName(i + 1));
        }
    }

    private static Source source(String type) {
        return switch (type) {
            case "BOOLEAN" -> Source.BOOLEAN;
            case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER" -> Source.INTEGER;
            case "UBIGINT", "HUGEINT", "UHUGEINT" -> Source.BIG_INTEGER;
            case "FLOAT" -> Source.FLOAT;
            case "DOUBLE" -> Source.DOUBLE;
            case "DATE" -> Source.DATE;
            case "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS" -> Source.TIMESTAMP;
            case "TIMESTAMP WITH TIME ZONE" -> Source.TIMESTAMP_TZ;
            case "TIME" -> Source.TIME;
            case "INTERVAL" -> Source.INTERVAL;
            case "BLOB" -> Source.BLOB;
            default -> type.startsWith("DECIMAL(") ? Source.DECIMAL : Source.TEXT;
        };
    }

    @Override
    public void write(RowWriter out) throws SQLException {
        for (int i = 0; i < sources.length; i++) {
            cell(i, out);
        }
    }

    private void cell(int i, RowWriter out) throws SQLException {
        ColumnDefinition column = columns.get(i);
        int index = i + 1;
        switch (column.type()) {
            case ColumnType.TINY,
                    ColumnType.SHORT,
                    ColumnType.INT24,
                    ColumnType.LONG,
                    ColumnType.LONGLONG,
                    ColumnType.YEAR -> integer(i, column, out);
            case ColumnType.FLOAT -> {
                double value = number(i);
                if (row.wasNull()) {
                    out.nullCell();
                } else {
                    out.float32((float) value);
                }
            }
            case ColumnType.DOUBLE -> {
                double value = number(i);
                if (row.wasNull()) {
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
                LocalDate date = row.getObject(index, LocalDate.class);
                if (date == null) {
                    out.nullCell();
                } else {
                    out.date(date.getYear(), date.getMonthValue(), date.getDayOfMonth());
                }
            }
            case ColumnType.DATETIME, ColumnType.TIMESTAMP -> dateTime(i, out);
            case ColumnType.TIME -> time(i, out);
            case ColumnType.BIT -> bits(i, column, out);
            case ColumnType.NULL -> out.nullCell();
            default -> text(i, out);
        }
    }

    /** BIT(n): its bytes, most significant first. */
    private void bits(int i, ColumnDefinition column, RowWriter out) throws SQLException {
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
        return decimals > ColumnDefinitions.MAX_DECIMALS || value.scale() == decimals
                ? value
                : value.setScale(decimals, RoundingMode.HALF_UP);
    }

    private void integer(int i, ColumnDefinition column, RowWriter out) throws SQLException {
        int index = i + 1;
        switch (sources[i]) {
            case BOOLEAN -> {
                boolean value = row.getBoolean(index);
                if (row.wasNull()) {
                    out.nullCell();
                } else {
                    out.int64(value ? 1 : 0);
                }
            }
            case INTEGER -> {
                long value = row.getLong(index);
                if (row.wasNull()) {
                    out.nullCell();
                } else if (column.unsigned()) {
                    out.uint64(value);
                } else {
                    out.int64(value);
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

    private double number(int i) throws SQLException {
        return switch (sources[i]) {
            case FLOAT -> row.getFloat(i + 1);
            case DOUBLE -> row.getDouble(i + 1);
            default -> {
                BigDecimal value = decimal(i);
                yield value == null ? 0 : value.doubleValue();
            }
        };
    }

    @Nullable
    private BigDecimal decimal(int i) throws SQLException {
        int index = i + 1;
        return switch (sources[i]) {
            case BOOLEAN -> {
                boolean value = row.getBoolean(index);
                yield row.wasNull() ? null : value ? BigDecimal.ONE : BigDecimal.ZERO;
            }
            case INTEGER -> {
                long value = row.getLong(index);
                yield row.wasNull() ? null : BigDecimal.valueOf(value);
            }
            case BIG_INTEGER -> {
                Object value = row.getObject(index);
                yield value == null ? null : new BigDecimal(value.toString());
            }
            case FLOAT, DOUBLE -> {
                double value = row.getDouble(index);
                yield row.wasNull() || !Double.isFinite(value) ? null : BigDecimal.valueOf(value);
            }
            case DECIMAL -> row.getBigDecimal(index);
            default -> {
                String value = row.getString(index);
                yield value == null ? null : new BigDecimal(value.trim());
            }
        };
    }

    private void dateTime(int i, RowWriter out) throws SQLException {
        LocalDateTime value;
        if (sources[i] == Source.TIMESTAMP_TZ) {
            OffsetDateTime moment = row.getObject(i + 1, OffsetDateTime.class);
            value = moment == null ? null : moment.toLocalDateTime();
        } else {
            value = row.getObject(i + 1, LocalDateTime.class);
        }
        if (value == null) {
            out.nullCell();
            return;
        }
        out.dateTime(
                value.getYear(),
                value.getMonthValue(),
                value.getDayOfMonth(),
                value.getHour(),
                value.getMinute(),
                value.getSecond(),
                value.getNano() / NANOS_PER_MICRO);
    }

    private void time(int i, RowWriter out) throws SQLException {
        if (sources[i] == Source.TIME) {
            LocalTime value = row.getObject(i + 1, LocalTime.class);
            if (value == null) {
                out.nullCell();
            } else {
                out.time(
                        false,
                        value.getHour(),
                        value.getMinute(),
                        value.getSecond(),
                        value.getNano() / NANOS_PER_MICRO);
            }
            return;
        }
        String text = row.getString(i + 1);
        if (text == null) {
            out.nullCell();
        } else {
            TimeOfDay.of(text).write(out);
        }
    }

    private void text(int i, RowWriter out) throws SQLException {
        int index = i + 1;
        switch (sources[i]) {
            case BLOB -> {
                byte[] bytes = row.getBytes(index);
                if (bytes == null) {
                    out.nullCell();
                } else {
                    out.bytes(bytes, 0, bytes.length);
                }
            }
            case BOOLEAN -> {
                boolean value = row.getBoolean(index);
                string(row.wasNull() ? null : value ? "1" : "0", out);
            }
            case DECIMAL -> {
                BigDecimal value = row.getBigDecimal(index);
                string(value == null ? null : value.toPlainString(), out);
            }
            default -> string(row.getString(index), out);
        }
    }

    private void string(@Nullable String value, RowWriter out) {
        if (value == null) {
            out.nullCell();
        } else if (charset == null) {
            out.string(value);
        } else {
            byte[] bytes = Latin1.encode(value, charset);
            out.bytes(bytes, 0, bytes.length);
        }
    }
}
