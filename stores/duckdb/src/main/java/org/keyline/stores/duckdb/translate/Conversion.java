package org.keyline.stores.duckdb.translate;

/** What a value becomes before it is bound, by MySQL's rules. See {@link Values#converted}. */
public enum Conversion {
    /** As it is. */
    NONE,
    /**
     * For comparison with a number: text becomes the number it begins with, 0 if with none; dates
     * become yyyymmdd and so on.
     */
    NUMBER,
    /**
     * As NUMBER, for equality with an exact number: at its scale, so that neither side loses
     * digits; NaN, which equals nothing, where the value has more decimals.
     */
    EQUAL,
    /** As EQUAL, rounded down: for {@code >} and {@code <=}. */
    FLOOR,
    /** As EQUAL, rounded up: for {@code <} and {@code >=}. */
    CEILING,
    /** As NUMBER, as a double. */
    DOUBLE,
    /** Rounded to an integer, e.g. for LIMIT or an argument that counts. */
    INTEGER,
    /** Text. */
    STRING,
    /** Raw bytes. */
    BYTES,
    /** Date and time for a comparison; what is none becomes NULL. */
    DATETIME,
    /** Time of day for a comparison; what is none becomes NULL. */
    TIME,
    /** For a column: what does not fit it is the error that MySQL's strict mode raises. */
    STORE;

    /** Whether a number is wanted. */
    boolean isNumeric() {
        return switch (this) {
            case NUMBER, EQUAL, FLOOR, CEILING, DOUBLE, INTEGER -> true;
            case NONE, STRING, BYTES, DATETIME, TIME, STORE -> false;
        };
    }
}
