package org.keyline.stores.duckdb.translate;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.TableName;
import org.keyline.stores.ddl.DeclaredColumn;
import org.keyline.stores.ddl.TableDefinition;

/**
 * Looks up the relations that statements can name: the store's tables, and the read-only views of
 * {@code information_schema} and {@code performance_schema}.
 */
public interface Relations {

    /** Returns the table or view with this name, in any letter case; null if it does not exist. */
    @Nullable
    Relation relation(TableName name);

    /** Returns a number that increases with each change of a definition. */
    long version();

    /**
     * A table or view.
     *
     * @param name its name for MySQL's clients
     * @param duckSchema its schema in DuckDB
     * @param duckTable its name in DuckDB
     * @param columns the columns of {@code SELECT *}
     * @param definition the definition of a base table; null for a read-only view
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

        /** Returns a base table that has the same names in DuckDB. */
        public static Relation of(TableDefinition definition) {
            return new Relation(
                    definition.name(),
                    definition.name().schema(),
                    definition.name().table(),
                    definition.columns().stream().map(DeclaredColumn::schema).toList(),
                    definition);
        }

        /** Returns a view that has other names in DuckDB. */
        public static Relation view(TableName name, String duckSchema, String duckTable, List<ColumnSchema> columns) {
            return new Relation(name, duckSchema, duckTable, columns, null);
        }
    }
}
