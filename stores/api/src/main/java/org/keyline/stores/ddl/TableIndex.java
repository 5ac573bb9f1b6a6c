package org.keyline.stores.ddl;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A secondary index as declared.
 *
 * @param name as declared; empty where none was given
 * @param columns names as declared, without prefix lengths and directions
 * @param unique whether it forbids duplicates; all others change no answer
 * @param using INVERTED, BITMAP, NGRAM_BF, BTREE, …; null where none was given
 * @param properties of Doris's inverted indexes, in order
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

    /** What UNIQUE in the definition of a column declares. */
    static TableIndex unique(String column) {
        return new TableIndex("", List.of(column), true, null, Map.of(), "");
    }

    /**
     * The same with a name: where it has none, the one that MySQL gives it, its first column's, perhaps with a number behind it.
     *
     * @param others the table's indexes before it
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

    /** Whether one of the indexes has a name, in any letter case. */
    public static boolean isNameOfAny(List<TableIndex> indexes, String name) {
        return indexes.stream().anyMatch(index -> index.name().equalsIgnoreCase(name));
    }
}
