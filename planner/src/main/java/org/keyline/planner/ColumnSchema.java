package org.keyline.planner;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * A column of a table. Immutable.
 *
 * @param defaultSql the default as SQL text; null if the column has none
 * @param computed whether the value depends on more than the row, such as the reading session
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

    public ColumnSchema(
            String name,
            ColumnType type,
            boolean nullable,
            @Nullable String defaultSql,
            boolean autoIncrement,
            String comment) {
        this(name, type, nullable, defaultSql, autoIncrement, comment, false);
    }

    public ColumnSchema asComputed() {
        return new ColumnSchema(name, type, nullable, defaultSql, autoIncrement, comment, true);
    }

    public static ColumnSchema of(String name, ColumnType type, boolean nullable) {
        return new ColumnSchema(name, type, nullable, null, false, "");
    }
}
