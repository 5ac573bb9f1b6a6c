package org.keyline.stores.duckdb.session;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.duckdb.engine.EngineRows;
import org.keyline.stores.duckdb.translate.SqlType;

/** Converts cells for variables to Long, BigInteger, BigDecimal, Double, String, byte[] or null. */
final class UserValues {
    private UserValues() {}

    /** Returns a cell as the value of a user variable. As in MySQL, dates and times become text. */
    @Nullable
    static Object of(EngineRows rows, int column) {
        if (rows.isNull(column)) {
            return null;
        }
        return switch (rows.type(column)) {
            case BOOLEAN -> rows.truth(column) ? 1L : 0L;
            case INTEGER -> rows.integer(column);
            case BIG_INTEGER -> {
                BigInteger big = rows.bigInteger(column);
                yield big.bitLength() < Long.SIZE ? (Object) big.longValue() : big;
            }
            case DECIMAL -> rows.decimal(column);
            case FLOAT -> (double) rows.single(column);
            case DOUBLE -> rows.floating(column);
            case BLOB -> rows.bytes(column);
            default -> rows.text(column);
        };
    }

    static SqlType type(@Nullable Object value) {
        if (value == null) {
            return SqlType.NULL;
        }
        if (value instanceof BigDecimal decimal) {
            return SqlType.decimal(decimal.precision(), Math.max(0, decimal.scale()));
        }
        return value instanceof Long || value instanceof BigInteger
                ? SqlType.INTEGER
                : value instanceof Double ? SqlType.DOUBLE : value instanceof byte[] ? SqlType.BYTES : SqlType.STRING;
    }
}
