package org.keyline.planner;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The declared type of a column. Immutable.
 *
 * @param unsigned whether the type is UNSIGNED, which only integers and decimals can be
 * @param length the declared length in characters, bytes or digits; 0 if the type has none
 * @param scale digits after the point of a number or of the seconds; 0 if the type has none
 * @param collation the name; null if the type has no collation, or if the collation is unknown
 * @param fields the element of an ARRAY, key and value of a MAP, or the fields of a STRUCT; empty
 *     for other types
 */
public record ColumnType(
        Kind kind,
        boolean unsigned,
        int length,
        int scale,
        @Nullable String collation,
        List<Field> fields) {
    /** A part of a nested type. Only the fields of a STRUCT have names. */
    public record Field(String name, ColumnType type) {}

    /** The types in the stores' data definitions. The protocol's types differ. */
    public enum Kind {
        BOOLEAN,
        TINYINT,
        SMALLINT,
        MEDIUMINT,
        INT,
        BIGINT,
        LARGEINT,
        FLOAT,
        DOUBLE,
        DECIMAL,
        DATE,
        DATETIME,
        TIMESTAMP,
        TIME,
        YEAR,
        BIT,
        CHAR,
        VARCHAR,
        TEXT,
        BINARY,
        VARBINARY,
        BLOB,
        ENUM,
        SET,
        JSON,
        IPV4,
        IPV6,
        GEOMETRY,
        ARRAY,
        MAP,
        STRUCT,
        VARIANT,
        OTHER
    }

    public ColumnType {
        requireNonNull(kind, "kind is null");
        fields = List.copyOf(fields);
        if (length < 0) {
            throw new IllegalArgumentException("length: " + length + " (expected: >= 0)");
        }
        if (scale < 0) {
            throw new IllegalArgumentException("scale: " + scale + " (expected: >= 0)");
        }
    }

    public ColumnType(Kind kind, boolean unsigned, int length, int scale, @Nullable String collation) {
        this(kind, unsigned, length, scale, collation, List.of());
    }

    /** Returns true for ARRAY, MAP, STRUCT, and VARIANT. */
    public boolean nested() {
        return switch (kind) {
            case ARRAY, MAP, STRUCT, VARIANT -> true;
            default -> false;
        };
    }

    /** Returns a signed type without length, scale or collation. */
    public static ColumnType of(Kind kind) {
        return new ColumnType(kind, false, 0, 0, null);
    }
}
