package org.keyline.stores.mysql.catalog;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.keyline.planner.TableName;
import org.keyline.planner.TriggerText;

/**
 * All tables, as one pass over the store's definitions (a reading) found them. Immutable.
 *
 * @param tables base tables by their exact names
 * @param code stored code that statements may run
 * @param names how the store compares names
 * @param unread tables that possibly exist but are not in {@code tables}, because the store refused
 * to describe them or they changed during the reading. Writes to any table can cascade through them
 * @param remarks messages for the operator, each to be logged once
 */
record Reading(
        Map<TableName, ListedTable> tables,
        StoredCode code,
        NameRule names,
        Set<TableName> unread,
        Set<String> remarks) {
    /** If a reading has this many remarks, later partial readings add no more. */
    private static final int MAX_REMARKS = 100;

    private static final Comparator<TableName> BY_NAME =
            Comparator.comparing(TableName::schema).thenComparing(TableName::table);

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
        Map<TableName, Set<TableName>> children = new HashMap<>();
        for (ListedTable table : tables) {
            for (TableName parent : table.cascadesFrom()) {
                children.computeIfAbsent(parent, at -> new TreeSet<>(BY_NAME))
                        .add(table.schema().name());
            }
        }
        Map<TableName, ListedTable> byName = new HashMap<>();
        for (ListedTable table : tables) {
            TableName name = table.schema().name();
            byName.put(name, table.cascading(reached(name, children, names)));
        }
        return new Reading(byName, code, names, unread, remarks);
    }

    /** Returns the tables into which writes to {@code from} cascade, also through other tables. */
    private static Set<TableName> reached(TableName from, Map<TableName, Set<TableName>> children, NameRule names) {
        Set<TableName> reached = new TreeSet<>(BY_NAME);
        Deque<TableName> next = new ArrayDeque<>(List.of(from));
        while (!next.isEmpty()) {
            for (TableName child : children.getOrDefault(names.key(next.remove()), Set.of())) {
                if (reached.add(child)) {
                    next.add(child);
                }
            }
        }
        return reached;
    }

    /** Returns this reading, but with the tables {@code read} as {@code later} found them. */
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

    /** @param triggers the triggers of each table that has any */
    Reading with(StoredCode later, Map<TableName, List<TriggerText>> triggers) {
        Map<TableName, List<TriggerText>> byKey = new HashMap<>();
        triggers.forEach((name, of) -> byKey.put(names.key(name), of));
        List<ListedTable> listed = new ArrayList<>();
        tables.forEach((name, table) -> listed.add(table.with(byKey.getOrDefault(names.key(name), List.of()))));
        return of(listed, later, names, unread, remarks);
    }

    /** Returns these names and, for tables that are listed, the store's spellings of the names. */
    Set<TableName> named(Collection<TableName> asked) {
        Set<TableName> keys = new HashSet<>();
        asked.forEach(name -> keys.add(names.key(name)));
        Set<TableName> written = new HashSet<>(asked);
        tables.keySet().stream().filter(name -> keys.contains(names.key(name))).forEach(written::add);
        return written;
    }

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

    /** Returns the tables and code on which two consecutive readings of all tables agree. */
    Reading confirmedBy(Reading second) {
        return confirmedBy(second, differences(second));
    }

    /**
     * Returns the second of two consecutive readings, without those {@code asked} tables that
     * differ. A reading takes several queries, so it can show half of a concurrent change. A second
     * equal reading shows that the first was consistent.
     */
    Reading confirmedBy(Reading second, Set<TableName> asked) {
        Set<TableName> differing = differences(second);
        differing.retainAll(asked);
        if (differing.isEmpty()) {
            return second;
        }
        Map<TableName, ListedTable> confirmed = new HashMap<>(second.tables);
        confirmed.keySet().removeAll(differing);
        // A new table is not counted as unread. Writes to other tables can cascade into the new
        // table, but from there only to newer tables.
        Set<TableName> unknown = new HashSet<>(differing);
        unknown.removeIf(name -> !tables.containsKey(name) && !unread.contains(name));
        unknown.addAll(second.unread);
        return of(confirmed.values(), code.and(second.code), second.names, unknown, second.remarks);
    }
}
