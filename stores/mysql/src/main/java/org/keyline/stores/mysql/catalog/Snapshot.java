package org.keyline.stores.mysql.catalog;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.WriteScope;

/** All tables at one moment, by name. Immutable. */
final class Snapshot {
    /** A snapshot that knows no table, so that every statement is forwarded. */
    static final Snapshot NOTHING =
            new Snapshot(Map.of(), Set.of(), Set.of(), new Rules(StoredCode.ANY, true, NameRule.EXACT, false));

    private final Map<TableName, TableSchema> tables;
    private final Set<TableName> hidden;
    /** Tables, existing or not, from which writes cascade to other tables. */
    private final Set<TableName> cascading;

    private final Rules rules;

    /** @param doubted whether most tables may have changed */
    private record Rules(StoredCode code, boolean writeScopeUnknown, NameRule names, boolean doubted) {}

    private Snapshot(Map<TableName, TableSchema> tables, Set<TableName> hidden, Set<TableName> cascading, Rules rules) {
        this.tables = tables;
        this.hidden = hidden;
        this.cascading = cascading;
        this.rules = rules;
    }

    /** Returns a snapshot of a reading, without tables whose names the store considers equal. */
    static Snapshot of(Map<TableName, TableSchema> schemas, Reading reading) {
        NameRule names = reading.names();
        Map<TableName, TableSchema> tables = new HashMap<>();
        Set<TableName> cascading = new HashSet<>();
        Set<TableName> ambiguous = new HashSet<>();
        schemas.forEach((name, schema) -> {
            TableName key = names.key(name);
            if (tables.put(key, schema) != null) {
                ambiguous.add(key);
            }
            if (schema.writeScope() == WriteScope.ANYWHERE || !schema.triggers().isEmpty()) {
                cascading.add(key);
            }
        });
        tables.keySet().removeAll(ambiguous);
        reading.tables().values().forEach(table -> cascading.addAll(table.cascadesFrom()));
        return new Snapshot(
                tables,
                Set.of(),
                cascading,
                new Rules(reading.code(), !reading.unread().isEmpty(), names, false));
    }

    boolean hasSchema(String schema) {
        return tables.keySet().stream().anyMatch(name -> name.schema().equalsIgnoreCase(schema));
    }

    /** Returns the tables that possibly have a unique key but are not cached, with reasons. */
    Map<TableName, String> excluded() {
        Map<TableName, String> out = new HashMap<>();
        for (TableSchema table : tables.values()) {
            String because = table.properties().get(TableSchema.EXCLUDED_BECAUSE);
            if (because != null) {
                out.put(table.name(), because);
            }
        }
        return out;
    }

    @Nullable
    TableSchema table(String schema, String table) {
        TableName key = rules.names().key(schema, table);
        return hidden.contains(key) ? null : tables.get(key);
    }

    /** Returns whether definitions of some tables have changed and were not read yet. */
    boolean isChanging() {
        return !hidden.isEmpty();
    }

    /** Returns whether the definition has changed and was not read yet. */
    boolean isHidden(String schema, String table) {
        return isChanging() && hidden.contains(rules.names().key(schema, table));
    }

    /** Returns whether the table exists, even if its definition is unknown. */
    boolean has(String schema, String table) {
        return tables.containsKey(rules.names().key(schema, table));
    }

    StoredCode code() {
        return rules.code();
    }

    /** Returns whether a write can change more than its table's definition says. */
    boolean writeScopeUnknown() {
        return rules.writeScopeUnknown();
    }

    /**
     * Returns the snapshot during a change of these tables, whose definitions are then unknown. The
     * change can add foreign keys, through which writes to any table cascade into these tables. If
     * writes cascade from these tables into others, the write scope of all tables is unknown.
     */
    Snapshot changing(Collection<TableName> changed) {
        Set<TableName> gone = new HashSet<>();
        boolean reach = rules.writeScopeUnknown();
        for (TableName name : changed) {
            TableName key = rules.names().key(name);
            gone.add(key);
            reach |= cascading.contains(key);
        }
        return new Snapshot(tables, gone, cascading, new Rules(rules.code(), reach, rules.names(), rules.doubted()));
    }

    /** Returns a snapshot that knows only these tables. Any write can change anything. */
    Snapshot doubted(Collection<TableName> known) {
        Map<TableName, TableSchema> left = new HashMap<>();
        for (TableName name : known) {
            TableName key = rules.names().key(name);
            TableSchema table = tables.get(key);
            if (table != null) {
                left.put(key, table);
            }
        }
        return new Snapshot(left, Set.of(), cascading, new Rules(StoredCode.ANY, true, rules.names(), true));
    }

    /** Returns the snapshot during a change of stored code. Any write can change anything. */
    Snapshot changingCode() {
        return new Snapshot(tables, hidden, cascading, new Rules(StoredCode.ANY, true, rules.names(), rules.doubted()));
    }

    boolean isDoubted() {
        return rules.doubted();
    }
}
