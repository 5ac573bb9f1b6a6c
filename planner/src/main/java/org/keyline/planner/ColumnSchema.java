package org.keyline.planner;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * One column of a table. Immutable.
 *
 * @param defaultSql the default as SQL text; null where there is none
 */
public record ColumnSchema(
        String name,
        ColumnType type,
        boolean nullable,
        @Nullable String defaultSql,
        boolean autoIncrement,
        String comment) {
    public ColumnSchema {
        requireNonNull(name, "name is null");
        requireNonNull(type, "type is null");
        requireNonNull(comment, "comment is null");
    }

    /** A column without default or comment. */
    public static ColumnSchema of(String name, ColumnType type, boolean nullable) {
        return new ColumnSchema(name, type, nullable, null, false, "");
    }
}
