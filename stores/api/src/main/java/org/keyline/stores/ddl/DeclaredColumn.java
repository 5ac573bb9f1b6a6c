package org.keyline.stores.ddl;

import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;

/**
 * A column as declared.
 *
 * @param type the type as declared, with its text and members
 * @param aggregation how an aggregate table combines values, such as SUM; null if not declared
 * @param onUpdate text of ON UPDATE, e.g. {@code CURRENT_TIMESTAMP(3)}; null if not declared
 */
public record DeclaredColumn(
        ColumnSchema schema,
        DeclaredType type,
        @Nullable String aggregation,
        @Nullable String onUpdate) {

    public String name() {
        return schema.name();
    }

    /** Returns this column with another name, nullability and comment. */
    public DeclaredColumn with(String name, boolean nullable, String comment) {
        return new DeclaredColumn(
                new ColumnSchema(name, schema.type(), nullable, schema.defaultSql(), schema.autoIncrement(), comment),
                type,
                aggregation,
                onUpdate);
    }

    DeclaredColumn notNull() {
        return with(name(), false, schema.comment());
    }
}
