package org.keyline.stores.duckdb.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Locale;
import org.duckdb.ChunkColumn;
import org.duckdb.ResultChunks;

/**
 * The rows of a running query, read in order and once. The rows stay in DuckDB's memory; a method
 * that returns a cell copies only this cell. Columns are numbered from 0. Callers may read only
 * cells that are not {@linkplain #isNull NULL}, with the method for the cell's {@linkplain #type
 * type}. Used by one thread at a time.
 */
public final class EngineRows implements AutoCloseable {
    private static final long SECOND_MICROS = 1_000_000;

    /** Prints the fraction of the second, if any, without trailing zeros. */
    private static final DateTimeFormatter TIMESTAMP = new DateTimeFormatterBuilder()
            .appendPattern("uuuu-MM-dd HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 6, true)
            .toFormatter(Locale.ROOT);

    private final EngineConnection connection;
    private final String sql;
    private final ResultChunks chunks;
    private final BuiltTexts.Memory memory;
    private CellType[] types = {};
    private int row;
    private long held;

    EngineRows(EngineConnection connection, String sql, ResultChunks chunks, BuiltTexts.Memory memory) {
        this.memory = memory;
        this.connection = connection;
        this.sql = sql;
        this.chunks = chunks;
    }

    /** Returns the number of columns; 0 before the first row. */
    public int columns() {
        return types.length;
    }

    /** Moves to the next row. Returns false after the last row. */
    public boolean next() throws SQLException {
        if (++row < chunks.rows()) {
            return true;
        }
        try {
            do {
                giveBack();
                if (!chunks.next()) {
                    return false;
                }
            } while (chunks.rows() == 0);
            if (types.length == 0) {
                types = new CellType[chunks.columns()];
                for (int i = 0; i < types.length; i++) {
                    types[i] = CellType.of(chunks.column(i).type());
                }
            }
            hold();
            return true;
        } catch (SQLException e) {
            connection.forget(sql);
            throw connection.cause(e);
        }
    }

    private void hold() throws SQLException {
        long bytes = 0;
        for (row = 0; row < chunks.rows(); row++) {
            bytes += textBytes();
        }
        row = 0;
        if (bytes >= BuiltTexts.Memory.LEAST_BYTES) {
            memory.take(bytes);
            held = bytes;
        }
    }

    private void giveBack() {
        memory.give(held);
        held = 0;
    }

    public CellType type(int i) {
        return types[i];
    }

    public boolean isNull(int i) {
        return types[i] == CellType.NULL || chunks.column(i).isNull(row);
    }

    /** Returns the total length in bytes of the row's strings and blobs. */
    public long textBytes() {
        long bytes = 0;
        for (int i = 0; i < types.length; i++) {
            if ((types[i] == CellType.TEXT || types[i] == CellType.BLOB) && !isNull(i)) {
                bytes += chunks.column(i).length(row);
            }
        }
        return bytes;
    }

    public boolean truth(int i) {
        return chunks.column(i).data().get(row) != 0;
    }

    public long integer(int i) {
        ChunkColumn column = chunks.column(i);
        ByteBuffer data = column.data();
        int at = row * column.width();
        boolean unsigned = column.type().charAt(0) == 'U';
        return switch (column.width()) {
            case Byte.BYTES -> unsigned ? Byte.toUnsignedLong(data.get(at)) : data.get(at);
            case Short.BYTES -> unsigned ? Short.toUnsignedLong(data.getShort(at)) : data.getShort(at);
            case Integer.BYTES -> unsigned ? Integer.toUnsignedLong(data.getInt(at)) : data.getInt(at);
            default -> data.getLong(at);
        };
    }

    public BigInteger bigInteger(int i) {
        ChunkColumn column = chunks.column(i);
        if (column.width() == Long.BYTES) {
            return unsigned(column.data().getLong(row * Long.BYTES));
        }
        return wide(column);
    }

    private BigInteger wide(ChunkColumn column) {
        long low = column.data().getLong(row * column.width());
        long high = column.data().getLong(row * column.width() + Long.BYTES);
        return BigInteger.valueOf(high).shiftLeft(Long.SIZE).or(unsigned(low));
    }

    private static BigInteger unsigned(long bits) {
        BigInteger low = BigInteger.valueOf(bits & Long.MAX_VALUE);
        return bits < 0 ? low.setBit(Long.SIZE - 1) : low;
    }

    public float single(int i) {
        return chunks.column(i).data().getFloat(row * Float.BYTES);
    }

    /** Returns a DOUBLE. As in MariaDB 10.11, -0 becomes 0. */
    public double floating(int i) {
        return chunks.column(i).data().getDouble(row * Double.BYTES) + 0.0;
    }

    public BigDecimal decimal(int i) {
        ChunkColumn column = chunks.column(i);
        ByteBuffer data = column.data();
        int at = row * column.width();
        return switch (column.width()) {
            case Short.BYTES -> BigDecimal.valueOf(data.getShort(at), column.scale());
            case Integer.BYTES -> BigDecimal.valueOf(data.getInt(at), column.scale());
            case Long.BYTES -> BigDecimal.valueOf(data.getLong(at), column.scale());
            default -> new BigDecimal(wide(column), column.scale());
        };
    }

    public LocalDate date(int i) {
        return LocalDate.ofEpochDay(chunks.column(i).data().getInt(row * Integer.BYTES));
    }

    public LocalDateTime dateTime(int i) {
        long micros = chunks.column(i).data().getLong(row * Long.BYTES);
        long nanos = Math.floorMod(micros, SECOND_MICROS) * 1_000;
        return LocalDateTime.ofEpochSecond(Math.floorDiv(micros, SECOND_MICROS), (int) nanos, ZoneOffset.UTC);
    }

    /** Returns a copy of a BLOB, or of a TEXT in UTF-8. */
    public byte[] bytes(int i) {
        return chunks.column(i).bytes(row);
    }

    public String text(int i) {
        return switch (types[i]) {
            case NULL -> "NULL";
            case BOOLEAN -> String.valueOf(truth(i));
            case INTEGER -> Long.toString(integer(i));
            case BIG_INTEGER -> bigInteger(i).toString();
            case FLOAT -> Float.toString(single(i));
            case DOUBLE -> Double.toString(floating(i));
            case DECIMAL -> decimal(i).toPlainString();
            case DATE -> date(i).toString();
            case TIMESTAMP -> TIMESTAMP.format(dateTime(i));
            case BLOB, TEXT -> new String(bytes(i), UTF_8);
        };
    }

    @Override
    public void close() {
        connection.finished();
        try {
            chunks.close();
        } catch (SQLException ignored) {
            connection.forget(sql);
        }
        connection.release(sql);
        giveBack();
    }
}
