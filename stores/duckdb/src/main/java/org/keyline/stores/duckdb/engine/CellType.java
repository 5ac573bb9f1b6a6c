package org.keyline.stores.duckdb.engine;

import java.sql.SQLException;

/** A group of DuckDB's types whose cells are read in the same way. */
public enum CellType {
    NULL,
    BOOLEAN,
    /** Signed integers of up to 64 bits, and unsigned integers of up to 32 bits. */
    INTEGER,
    /** Integers that can exceed the range of a long. */
    BIG_INTEGER,
    FLOAT,
    DOUBLE,
    DECIMAL,
    DATE,
    TIMESTAMP,
    BLOB,
    TEXT;

    static CellType of(String type) throws SQLException {
        return switch (type) {
            case "SQLNULL" -> NULL;
            case "BOOLEAN" -> BOOLEAN;
            case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER" -> INTEGER;
            case "UBIGINT", "HUGEINT", "UHUGEINT" -> BIG_INTEGER;
            case "FLOAT" -> FLOAT;
            case "DOUBLE" -> DOUBLE;
            case "DECIMAL" -> DECIMAL;
            case "DATE" -> DATE;
            case "TIMESTAMP" -> TIMESTAMP;
            case "BLOB" -> BLOB;
            case "VARCHAR" -> TEXT;
            default -> throw new SQLException("a column of the type " + type);
        };
    }
}
