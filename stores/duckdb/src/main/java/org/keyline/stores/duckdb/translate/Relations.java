package org.keyline.stores.duckdb.translate;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.TableName;
import org.keyline.stores.ddl.DeclaredColumn;
import org.keyline.stores.ddl.TableDefinition;

/**
 * What a statement may read and write: the store's tables and the views it makes of
 * {@code information_schema} and {@code mysql}.
 */
public interface Relations {

    /**
     * The table or view of this name; null if there is none. Databases and tables are told apart by
     * case as the store does.
     */
    @Nullable
    Relation relation(TableName name);

    /** Raised by every change of any definition. */
    long version();

    /**
     * A table or view.
     *
     * @param name as MySQL's clients know it
     * @param duckSchema where DuckDB has it
     * @param duckTable as DuckDB names it
     * @param columns what {@code SELECT *} answers
     * @param definition of a base table; null for what is only read
     */
    record Relation(
            TableName name,
            String duckSchema,
            String duckTable,
            List<ColumnSchema> columns,
            @Nullable TableDefinition definition) {
        public Relation {
            columns = List.copyOf(columns);
        }

        /** A base table that DuckDB has under the same names. */
        public static Relation of(TableDefinition definition) {
            return new Relation(
                    definition.name(),
                    definition.name().schema(),
                    definition.name().table(),
                    definition.columns().stream().map(DeclaredColumn::schema).toList(),
                    definition);
        }

        /** A view that DuckDB has under other names. */
        public static Relation view(TableName name, String duckSchema, String duckTable, List<ColumnSchema> columns) {
            return new Relation(name, duckSchema, duckTable, columns, null);
        }
    }
}
