package org.keyline.planner;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * One column of a table. Immutable.
 *
 * @param defaultSql the default as SQL text; null where there is none
 * @param computed whether the store computes the value for each reader, from more than the row
 */
public record ColumnSchema(
        String name,
        ColumnType type,
        boolean nullable,
        @Nullable String defaultSql,
        boolean autoIncrement,
        String comment,
        boolean computed) {
    public ColumnSchema {
        requireNonNull(name, "name is null");
        requireNonNull(type, "type is null");
        requireNonNull(comment, "comment is null");
    }

    /** A column whose value is in the row. */
    public ColumnSchema(
            String name,
            ColumnType type,
            boolean nullable,
            @Nullable String defaultSql,
            boolean autoIncrement,
            String comment) {
        this(name, type, nullable, defaultSql, autoIncrement, comment, false);
    }

    /** The same, computed for each reader. */
    public ColumnSchema asComputed() {
        return new ColumnSchema(name, type, nullable, defaultSql, autoIncrement, comment, true);
    }

    /** A column without default or comment. */
    public static ColumnSchema of(String name, ColumnType type, boolean nullable) {
        return new ColumnSchema(name, type, nullable, null, false, "");
    }
}
