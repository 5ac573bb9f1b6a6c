package org.keyline.stores.mysql.catalog;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.keyline.planner.TableName;
import org.keyline.planner.TriggerText;

/**
 * What the store said of all its tables. Immutable.
 *
 * @param tables base tables by their exact names
 * @param code what statements may run beside their own text
 * @param names how the store compares names
 * @param unread tables that are not listed though they may be there: the store refused to tell of them, or they were seen changing. Writes to any
 *     table may reach others by way of them
 * @param remarks what the operator should know, each to be said once
 */
record Reading(
        Map<TableName, ListedTable> tables,
        StoredCode code,
        NameRule names,
        Set<TableName> unread,
        Set<String> remarks) {
    /** More are dropped; there are a few of each kind. */
    private static final int MAX_REMARKS = 100;

    Reading {
        tables = Map.copyOf(tables);
        unread = Set.copyOf(unread);
        remarks = Set.copyOf(remarks);
    }

    static Reading of(
            Collection<ListedTable> tables,
            StoredCode code,
            NameRule names,
            Set<TableName> unread,
            Set<String> remarks) {
        Set<TableName> reaching = new HashSet<>();
        tables.forEach(table -> reaching.addAll(table.reachedFrom()));
        Map<TableName, ListedTable> byName = new HashMap<>();
        for (ListedTable table : tables) {
            TableName name = table.schema().name();
            byName.put(name, table.reaching(reaching.contains(names.key(name))));
        }
        return new Reading(byName, code, names, unread, remarks);
    }

    /** The same with what a later reading says of these tables in place of what is said here; it says nothing else. */
    Reading with(Set<TableName> read, Reading later) {
        Map<TableName, ListedTable> merged = new HashMap<>(tables);
        merged.keySet().removeAll(read);
        read.forEach(name -> {
            ListedTable table = later.tables.get(name);
            if (table != null) {
                merged.put(name, table);
            }
        });
        Set<TableName> unknown = new HashSet<>(later.unread);
        unknown.retainAll(read);
        unread.stream().filter(name -> !read.contains(name)).forEach(unknown::add);
        Set<String> all = new TreeSet<>(remarks);
        if (all.size() < MAX_REMARKS) {
            all.addAll(later.remarks);
        }
        return of(merged.values(), code, later.names, unknown, all);
    }

    /**
     * The same with what statements run by a later reading.
     *
     * @param triggers by the tables that have some
     */
    Reading with(StoredCode later, Map<TableName, List<TriggerText>> triggers) {
        Map<TableName, List<TriggerText>> byKey = new HashMap<>();
        triggers.forEach((name, of) -> byKey.put(names.key(name), of));
        List<ListedTable> listed = new ArrayList<>();
        tables.forEach((name, table) -> listed.add(table.with(byKey.getOrDefault(names.key(name), List.of()))));
        return of(listed, later, names, unread, remarks);
    }

    /** The names as the store writes them, of tables that are there or not. */
    Set<TableName> named(Collection<TableName> asked) {
        Set<TableName> keys = new HashSet<>();
        asked.forEach(name -> keys.add(names.key(name)));
        Set<TableName> written = new HashSet<>(asked);
        tables.keySet().stream().filter(name -> keys.contains(names.key(name))).forEach(written::add);
        return written;
    }

    /** Names of tables that are not alike here and there. */
    Set<TableName> differences(Reading other) {
        Set<TableName> different = new HashSet<>();
        tables.forEach((name, table) -> {
            if (!table.equals(other.tables.get(name))) {
                different.add(name);
            }
        });
        other.tables.keySet().forEach(name -> {
            if (!tables.containsKey(name)) {
                different.add(name);
            }
        });
        return different;
    }

    /** What two readings of all tables, one after the other, say alike. */
    Reading confirmedBy(Reading second) {
        return confirmedBy(second, differences(second));
    }

    /**
     * What two readings of these tables, one after the other, say alike. A reading takes several queries, so a definition that changes
     * meanwhile may show half; what a second reading confirms was whole.
     */
    Reading confirmedBy(Reading second, Set<TableName> asked) {
        Set<TableName> differing = differences(second);
        differing.retainAll(asked);
        if (differing.isEmpty()) {
            return second;
        }
        Map<TableName, ListedTable> confirmed = new HashMap<>(second.tables);
        confirmed.keySet().removeAll(differing);
        // A table that is new may be reached by others' writes, and in turn reaches only what is newer still.
        Set<TableName> unknown = new HashSet<>(differing);
        unknown.removeIf(name -> !tables.containsKey(name) && !unread.contains(name));
        unknown.addAll(second.unread);
        return of(confirmed.values(), code.and(second.code), second.names, unknown, second.remarks);
    }
}
