package org.keyline.stores.duckdb.session;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.ddl.TableIndex;

/**
 * The rows that a statement writes. They show which key a duplicate entry violates.
 *
 * @param columns ordinals of the columns of a row, in order; empty if the values are not known
 * @param values the values of the rows, one row after the other
 */
record WrittenRows(TableDefinition table, List<Integer> columns, List<@Nullable Object> values) {
    private static final String PRIMARY = "PRIMARY";

    /**
     * Guesses the name of the unique key over these columns if the table is not known. The guess is
     * the name of the first column, or PRIMARY if there is no column.
     */
    static String guessed(String columns) {
        return columns.isEmpty() ? PRIMARY : columns.split(",", -1)[0];
    }

    /**
     * Returns the name of the key that an entry violates.
     *
     * @param named the key's columns, separated by commas; empty if DuckDB does not name them,
     *     because two rows of the statement share the key
     */
    String keyOf(String entry, String named) {
        if (named.isEmpty()) {
            return shared(entry);
        }
        for (TableIndex index : table.indexes()) {
            if (index.unique() && String.join(",", index.columns()).equalsIgnoreCase(named)) {
                return index.name();
            }
        }
        String primary = table.keyColumns().stream().map(this::name).collect(Collectors.joining(","));
        // An index that the statement adds is not in the definition. It has the name of its first
        // column.
        return named.equalsIgnoreCase(primary) ? PRIMARY : guessed(named);
    }

    /** Returns the name of the first key in which two rows have this entry; otherwise PRIMARY. */
    private String shared(String entry) {
        if (isShared(table.keyColumns(), entry)) {
            return PRIMARY;
        }
        for (TableIndex index : table.indexes()) {
            if (index.unique()
                    && isShared(index.columns().stream().map(table::ordinal).toList(), entry)) {
                return index.name();
            }
        }
        return PRIMARY;
    }

    private boolean isShared(List<Integer> key, String entry) {
        if (columns.isEmpty() || !columns.containsAll(key)) {
            return false;
        }
        Set<List<@Nullable Object>> seen = new HashSet<>();
        for (int from = 0; from < values.size(); from += columns.size()) {
            List<@Nullable Object> cells = new ArrayList<>();
            for (int ordinal : key) {
                cells.add(values.get(from + columns.indexOf(ordinal)));
            }
            boolean meant = cells.stream()
                    .map(String::valueOf)
                    .collect(Collectors.joining("-"))
                    .equals(entry);
            if (meant && !cells.contains(null) && !seen.add(cells)) {
                return true;
            }
        }
        return false;
    }

    private String name(int ordinal) {
        return table.columns().get(ordinal).name();
    }
}
