package org.keyline.planner.ddl;

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
}
