package org.keyline.stores.ddl;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A secondary index as declared.
 *
 * @param name the declared name; empty if the declaration has none
 * @param columns the declared names of the columns, without prefix lengths and directions
 * @param unique whether the index forbids duplicates; other indexes do not affect replies
 * @param using the declared kind of index, such as INVERTED or BTREE; null if not declared
 * @param properties the properties of an inverted index of Doris, in declared order
 */
public record TableIndex(
        String name,
        List<String> columns,
        boolean unique,
        @Nullable String using,
        Map<String, String> properties,
        String comment) {
    public TableIndex {
        columns = List.copyOf(columns);
        properties = java.util.Collections.unmodifiableMap(new java.util.LinkedHashMap<>(properties));
    }

    /** Returns the index for a UNIQUE in the definition of this column. */
    static TableIndex unique(String column) {
        return new TableIndex("", List.of(column), true, null, Map.of(), "");
    }

    /**
     * Returns the index with a name. If none is declared, uses MySQL's default: the name of the
     * first column, with a number if an index of that name exists.
     *
     * @param others the table's indexes before this one
     */
    public TableIndex namedBeside(List<TableIndex> others) {
        if (!name.isEmpty()) {
            return this;
        }
        String given = columns.get(0);
        for (int i = 2; given.equalsIgnoreCase("PRIMARY") || isNameOfAny(others, given); i++) {
            given = columns.get(0) + '_' + i;
        }
        return new TableIndex(given, columns, unique, using, properties, comment);
    }

    /** Returns whether an index has this name, ignoring case. */
    public static boolean isNameOfAny(List<TableIndex> indexes, String name) {
        return indexes.stream().anyMatch(index -> index.name().equalsIgnoreCase(name));
    }
}
