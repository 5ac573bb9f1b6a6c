package org.keyline.planner;

import static java.util.Objects.requireNonNull;

/** A qualified table name, in the catalog's spelling if the catalog has the table. Immutable. */
public record TableName(String schema, String table) {
    public TableName {
        requireNonNull(schema, "schema is null");
        requireNonNull(table, "table is null");
    }

    @Override
    public String toString() {
        return schema + "." + table;
    }
}
