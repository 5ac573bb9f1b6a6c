package org.keyline.stores.duckdb.session;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.duckdb.translate.ValueType;

/** Values that a session keeps in variables: Long, BigInteger, BigDecimal, Double, String, byte[] or null. */
final class UserValues {
    private UserValues() {}

    /** A cell of DuckDB's as such a value; dates and times become text, as in MySQL. */
    @Nullable
    static Object of(ResultSet row, int column) throws SQLException {
        Object value = row.getObject(column);
        if (value == null) {
            return null;
        }
        if (value instanceof Boolean truth) {
            return truth ? 1L : 0L;
        }
        if (value instanceof Byte || value instanceof Short || value instanceof Integer || value instanceof Long) {
            return ((Number) value).longValue();
        }
        if (value instanceof BigInteger big) {
            return big.bitLength() < Long.SIZE ? (Object) big.longValue() : big;
        }
        if (value instanceof BigDecimal) {
            return value;
        }
        if (value instanceof Float || value instanceof Double) {
            return ((Number) value).doubleValue();
        }
        if (value instanceof Timestamp) {
            return String.valueOf(row.getObject(column, LocalDateTime.class)).replace('T', ' ');
        }
        if (value instanceof java.sql.Blob) {
            return row.getBytes(column);
        }
        return row.getString(column);
    }

    static ValueType type(@Nullable Object value) {
        if (value == null) {
            return ValueType.NULL;
        }
        if (value instanceof Long || value instanceof BigInteger) {
            return ValueType.INTEGER;
        }
        if (value instanceof BigDecimal decimal) {
            return ValueType.decimal(decimal.precision(), Math.max(0, decimal.scale()));
        }
        if (value instanceof Double) {
            return ValueType.DOUBLE;
        }
        if (value instanceof byte[]) {
            return ValueType.BYTES;
        }
        if (value instanceof LocalDate || value instanceof LocalDateTime || value instanceof LocalTime) {
            return ValueType.STRING;
        }
        return ValueType.STRING;
    }
}
