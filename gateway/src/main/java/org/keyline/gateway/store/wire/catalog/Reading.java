package org.keyline.gateway.store.wire.catalog;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.keyline.planner.TableName;

/**
 * What the store said of all its tables. Immutable.
 *
 * @param tables base tables by their exact names
 * @param storedFunctions whether there may be stored functions
 * @param names how the store compares names
 * @param remarks what the operator should know, each to be said once
 */
record Reading(Map<TableName, ListedTable> tables, boolean storedFunctions, NameRule names, Set<String> remarks) {
    Reading {
        tables = Map.copyOf(tables);
        remarks = Set.copyOf(remarks);
    }

    static Reading of(List<ListedTable> tables, boolean storedFunctions, NameRule names, Set<String> remarks) {
        Map<TableName, ListedTable> byName = new HashMap<>();
        tables.forEach(table -> byName.put(table.schema().name(), table));
        return new Reading(byName, storedFunctions, names, remarks);
    }

    /**
     * What two readings, one after the other, say alike. A reading takes several queries, so a definition that changes meanwhile may
     * show half; what a second reading confirms was whole.
     */
    Reading confirmedBy(Reading second) {
        if (second.tables.equals(tables)) {
            return second;
        }
        Map<TableName, ListedTable> confirmed = new HashMap<>(second.tables);
        confirmed.entrySet().removeIf(table -> !table.getValue().equals(tables.get(table.getKey())));
        Set<String> all = new TreeSet<>(remarks);
        all.addAll(second.remarks);
        return new Reading(confirmed, storedFunctions || second.storedFunctions, second.names, all);
    }
}
