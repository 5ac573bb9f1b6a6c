package org.keyline.stores.duckdb.translate;

/** How {@link Values#converted} converts a value by MySQL's rules before it is bound. */
public enum Conversion {
    NONE,
    /**
     * A number, for a comparison with a number. Text becomes the number at its beginning, or 0. A
     * date is refused.
     */
    NUMBER,
    /**
     * Like NUMBER, for {@code =} with an exact number. The value gets the scale of that number. A
     * value with more decimals becomes NaN, which equals no number; it is not rounded.
     */
    EQUAL,
    /** Like EQUAL, for {@code <>}. */
    UNEQUAL,
    /** Like EQUAL, but rounded down, for {@code >} and {@code <=}. */
    FLOOR,
    /** Like EQUAL, but rounded up, for {@code <} and {@code >=}. */
    CEILING,
    /** Like NUMBER, but a double. */
    DOUBLE,
    /** A rounded integer, for LIMIT or an argument that is a count. */
    INTEGER,
    STRING,
    BYTES,
    /** A date and time for a comparison. A value without a date becomes NULL. */
    DATETIME,
    /** Like DATETIME, but a value without a date becomes a time that no column stores. */
    SAME_MOMENT,
    /** Like DATETIME, but a value without a date causes error 1525. */
    MOMENT,
    /** A value for a column. A value that does not fit causes the error of MySQL's strict mode. */
    STORE;

    /** Returns whether the result is a number. */
    boolean isNumeric() {
        return switch (this) {
            case NUMBER, EQUAL, UNEQUAL, FLOOR, CEILING, DOUBLE, INTEGER -> true;
            case NONE, STRING, BYTES, DATETIME, SAME_MOMENT, MOMENT, STORE -> false;
        };
    }
}
