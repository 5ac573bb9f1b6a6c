package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.ddl.TableDefinition.Flavour;
import org.keyline.stores.duckdb.translate.DuckDdl;

/**
 * What an INSERT does if a stored row already has the key of the new row.
 *
 * @param columns the ordinals of the key columns; empty if the table has no key
 * @param reaction the effect on the stored row
 * @param sequence the ordinal of Doris's sequence column; -1 if the table has none. The row with
 *     the higher value in this column stays
 * @param countsReplaced whether a replaced row counts as affected, in addition to the new one
 */
record UniqueKey(List<Integer> columns, Reaction reaction, int sequence, boolean countsReplaced) {

    UniqueKey {
        columns = List.copyOf(columns);
    }

    enum Reaction {
        /** The insert fails with error 1062. */
        FAIL,
        /** The stored row stays. */
        IGNORE,
        /** The new row replaces the stored row. */
        REPLACE,
        /** The assignments of ON DUPLICATE KEY UPDATE change the stored row. */
        UPDATE
    }

    /**
     * @param generated the ordinal of the column that gets a generated value in every row, so that
     *     no stored row has the same key; -1 if there is no such column
     */
    static UniqueKey of(TableDefinition table, boolean replace, boolean ignore, boolean update, int generated) {
        boolean doris = table.flavour() == Flavour.DORIS;
        List<List<Integer>> keys = DuckDdl.uniqueKeys(table).values().stream()
                .map(columns -> columns.stream().map(table::ordinal).toList())
                .distinct()
                .collect(Collectors.toCollection(ArrayList::new));
        if (update && keys.size() > 1) {
            keys.removeIf(key -> key.contains(generated));
        }
        if (ignore && !update && !replace && !keys.isEmpty()) {
            return new UniqueKey(keys.get(0), Reaction.IGNORE, -1, false);
        }
        boolean upserts = replace || update || (doris && !keys.isEmpty());
        if (keys.isEmpty() || !upserts) {
            return new UniqueKey(keys.isEmpty() ? List.of() : keys.get(0), Reaction.FAIL, -1, false);
        }
        if (keys.size() > 1) {
            throw StatementRefusedException.unsupported(
                    (replace ? "REPLACE" : "ON DUPLICATE KEY UPDATE") + " on a table with more than one unique key");
        }
        int sequence = doris ? DuckDdl.sequenceColumn(table) : -1;
        return new UniqueKey(keys.get(0), update ? Reaction.UPDATE : Reaction.REPLACE, sequence, !doris);
    }
}
