package org.keyline.stores.duckdb.translate;

/**
 * What a value is in MySQL's eyes, as far as it decides how it is compared, computed and sent.
 *
 * @param digits precision of DECIMAL, length of STRING in characters where known, else 0
 * @param scale decimals of DECIMAL, fractional digits of DATETIME and TIME
 */
public record ValueType(Family family, int digits, int scale, boolean unsigned) {

    /** Kinds of values that behave alike. */
    public enum Family {
        NULL,
        /** DuckDB's BOOLEAN: the outcome of a comparison, or a column of Doris's BOOLEAN. To MySQL it is the integer 0 or 1. */
        BOOLEAN,
        INTEGER,
        DECIMAL,
        DOUBLE,
        STRING,
        BYTES,
        DATE,
        DATETIME,
        TIME,
        JSON,
        INTERVAL,
        ROW,
        /** A placeholder whose value decides. */
        UNKNOWN
    }

    public static final ValueType NULL = of(Family.NULL);
    public static final ValueType BOOLEAN = of(Family.BOOLEAN);
    public static final ValueType INTEGER = of(Family.INTEGER);
    public static final ValueType UNSIGNED = new ValueType(Family.INTEGER, 20, 0, true);
    public static final ValueType DOUBLE = of(Family.DOUBLE);
    public static final ValueType STRING = of(Family.STRING);
    public static final ValueType BYTES = of(Family.BYTES);
    public static final ValueType DATE = of(Family.DATE);
    public static final ValueType JSON = of(Family.JSON);
    public static final ValueType UNKNOWN = of(Family.UNKNOWN);

    public static ValueType of(Family family) {
        return new ValueType(family, 0, 0, false);
    }

    public static ValueType decimal(int precision, int scale) {
        return new ValueType(Family.DECIMAL, Math.min(precision, 38), Math.min(scale, 37), false);
    }

    public static ValueType datetime(int digits) {
        return new ValueType(Family.DATETIME, 0, digits, false);
    }

    public static ValueType time(int digits) {
        return new ValueType(Family.TIME, 0, digits, false);
    }

    /** Integer, decimal, double or truth value. */
    public boolean numeric() {
        return switch (family) {
            case BOOLEAN, INTEGER, DECIMAL, DOUBLE -> true;
            default -> false;
        };
    }

    /** Date or time of any kind. */
    public boolean temporal() {
        return switch (family) {
            case DATE, DATETIME, TIME -> true;
            default -> false;
        };
    }

    /** Text, bytes or JSON. */
    public boolean textual() {
        return switch (family) {
            case STRING, BYTES, JSON -> true;
            default -> false;
        };
    }
}
