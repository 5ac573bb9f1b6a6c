package org.keyline.stores.ddl;

import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;

/**
 * A column as declared.
 *
 * @param type with its text and members
 * @param aggregation SUM, REPLACE, … of an aggregate table; null without one
 * @param onUpdate text of ON UPDATE, e.g. {@code CURRENT_TIMESTAMP(3)}; null without one
 */
public record DeclaredColumn(
        ColumnSchema schema,
        DeclaredType type,
        @Nullable String aggregation,
        @Nullable String onUpdate) {

    public String name() {
        return schema.name();
    }

    DeclaredColumn notNull() {
        ColumnSchema s = schema;
        return new DeclaredColumn(
                new ColumnSchema(s.name(), s.type(), false, s.defaultSql(), s.autoIncrement(), s.comment()),
                type,
                aggregation,
                onUpdate);
    }
}
