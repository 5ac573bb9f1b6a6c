package org.keyline.stores.duckdb.translate;

/**
 * The MySQL type of a value, reduced to what affects comparing, computing and sending the value.
 *
 * @param digits the number of digits of DECIMAL or INTEGER, or the length of STRING in characters;
 *     0 if unknown
 * @param scale the number of decimals of DECIMAL, or of fractional digits of DATETIME
 */
public record SqlType(Family family, int digits, int scale, boolean unsigned) {

    public enum Family {
        NULL,
        /**
         * DuckDB's BOOLEAN: the result of a comparison, or a BOOLEAN column of Doris. In MySQL it
         * is the integer 0 or 1.
         */
        BOOLEAN,
        INTEGER,
        DECIMAL,
        DOUBLE,
        STRING,
        BYTES,
        DATE,
        DATETIME,
        JSON,
        ROW,
        /** A placeholder without a value. */
        UNKNOWN
    }

    public static final SqlType NULL = of(Family.NULL);
    public static final SqlType BOOLEAN = of(Family.BOOLEAN);
    public static final SqlType INTEGER = of(Family.INTEGER);
    public static final SqlType UNSIGNED = new SqlType(Family.INTEGER, 20, 0, true);
    public static final SqlType DOUBLE = of(Family.DOUBLE);
    public static final SqlType STRING = of(Family.STRING);
    public static final SqlType BYTES = of(Family.BYTES);
    public static final SqlType DATE = of(Family.DATE);
    public static final SqlType JSON = of(Family.JSON);
    public static final SqlType UNKNOWN = of(Family.UNKNOWN);

    public static SqlType of(Family family) {
        return new SqlType(family, 0, 0, false);
    }

    public static SqlType decimal(int precision, int scale) {
        return new SqlType(Family.DECIMAL, Math.min(precision, 38), Math.min(scale, 37), false);
    }

    public static SqlType datetime(int digits) {
        return new SqlType(Family.DATETIME, 0, digits, false);
    }

    /** Returns whether this is an integer, decimal, double or truth value. */
    public boolean numeric() {
        return switch (family) {
            case BOOLEAN, INTEGER, DECIMAL, DOUBLE -> true;
            default -> false;
        };
    }

    /** Returns whether this is a date or time. */
    public boolean temporal() {
        return switch (family) {
            case DATE, DATETIME -> true;
            default -> false;
        };
    }

    /** Returns whether this is text, bytes or JSON. */
    public boolean textual() {
        return switch (family) {
            case STRING, BYTES, JSON -> true;
            default -> false;
        };
    }
}
