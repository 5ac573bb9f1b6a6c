package org.keyline.stores.duckdb.translate;

import org.jspecify.annotations.Nullable;

/**
 * A literal or placeholder of a statement.
 *
 * @param kind the kind of its value
 * @param value Long, BigInteger, BigDecimal, Double, String, byte[], LocalDate or LocalDateTime;
 *     null for NULL and for a placeholder without a value
 * @param placeholder whether this is a {@code ?}
 * @param start the byte offset in the statement at which the slot begins
 * @param end the byte offset after the slot's end
 */
public record ValueSlot(Kind kind, @Nullable Object value, boolean placeholder, int start, int end) {

    /** The kinds of values. */
    public enum Kind {
        INTEGER,
        DECIMAL,
        DOUBLE,
        STRING,
        BYTES,
        /** {@code 0x41} or {@code b'101'}: bytes that become a number in a numeric context. */
        HEX,
        DATE,
        DATETIME,
        NULL,
        /** A placeholder whose value is not known yet. */
        UNKNOWN
    }

    /** Returns the number of digits after the point of a decimal; 0 for other values. */
    public int scale() {
        return value instanceof java.math.BigDecimal decimal ? Math.max(decimal.scale(), 0) : 0;
    }
}
