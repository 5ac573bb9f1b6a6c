package org.keyline.stores.duckdb.session;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.translate.DuckDdl;

/** Names the key that a duplicate entry violates. */
final class KeyNames {
    private KeyNames() {}

    /**
     * Returns the name of a unique key. If the definition has no such key, because the statement
     * adds it, returns the name of the key's first column.
     *
     * @param table the table; null if it is not known
     * @param columns the key's columns, separated by commas; empty if DuckDB does not name them,
     *     because two rows of the statement share a key
     * @param rows the values of the statement's rows by column, as far as they are known; if these
     *     rows share no key, the names of all unique keys are returned
     */
    static String of(@Nullable TableDefinition table, String columns, List<Map<String, String>> rows) {
        Map<String, List<String>> keys = table == null ? Map.of() : DuckDdl.uniqueKeys(table);
        for (Map.Entry<String, List<String>> key : keys.entrySet()) {
            if (String.join(",", key.getValue()).equalsIgnoreCase(columns)) {
                return key.getKey();
            }
            Set<List<String>> seen = new HashSet<>();
            for (Map<String, String> row : columns.isEmpty() ? rows : List.<Map<String, String>>of()) {
                List<String> entry = key.getValue().stream()
                        .map(column -> row.getOrDefault(column, ""))
                        .toList();
                if (!entry.contains("") && !seen.add(entry)) {
                    return key.getKey();
                }
            }
        }
        return !columns.isEmpty()
                ? columns.split(",", -1)[0]
                : keys.isEmpty() ? DuckDdl.PRIMARY : String.join("' or '", keys.keySet());
    }
}
