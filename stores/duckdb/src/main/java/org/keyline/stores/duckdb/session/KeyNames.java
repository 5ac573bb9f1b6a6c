package org.keyline.stores.duckdb.session;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableModel;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.ddl.TableIndex;

/** Names the key that a duplicate entry violates. */
final class KeyNames {
    private static final String PRIMARY = "PRIMARY";

    private KeyNames() {}

    /**
     * Returns the name of a unique key. If the definition has no such key, because the statement
     * adds it, returns the name of the key's first column. If {@code columns} is empty, returns the
     * names of all unique keys.
     *
     * @param table the table; null if it is not known
     * @param columns the key's columns, separated by commas; empty if DuckDB does not name them,
     *     because two rows of the statement share a key
     */
    static String of(@Nullable TableDefinition table, String columns) {
        List<String> names = new ArrayList<>();
        if (table != null && table.model() == TableModel.UNIQUE) {
            String primary = table.keyColumns().stream()
                    .map(ordinal -> table.columns().get(ordinal).name())
                    .collect(Collectors.joining(","));
            if (columns.equalsIgnoreCase(primary)) {
                return PRIMARY;
            }
            names.add(PRIMARY);
        }
        for (TableIndex index : table == null ? List.<TableIndex>of() : table.indexes()) {
            if (index.unique() && String.join(",", index.columns()).equalsIgnoreCase(columns)) {
                return index.name();
            }
            if (index.unique()) {
                names.add(index.name());
            }
        }
        return !columns.isEmpty()
                ? columns.split(",", -1)[0]
                : names.isEmpty() ? PRIMARY : String.join("' or '", names);
    }
}
