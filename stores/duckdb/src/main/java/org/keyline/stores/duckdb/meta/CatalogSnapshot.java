package org.keyline.stores.duckdb.meta;

import java.util.Collection;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.stores.ddl.SqlText;
import org.keyline.stores.duckdb.translate.Relations.Relation;

/**
 * The databases and tables of the store at one moment. Lookups ignore the case of names, as
 * DuckDB's do. Immutable.
 *
 * @param version increases with each change
 * @param databases maps the name in lower case to the name as declared
 * @param tables maps {@code `database`.`table`} in lower case to the table
 */
record CatalogSnapshot(long version, Map<String, String> databases, Map<String, StoredTable> tables) {
    static final CatalogSnapshot EMPTY = new CatalogSnapshot(0, Map.of(), Map.of());

    CatalogSnapshot {
        databases = Collections.unmodifiableMap(new TreeMap<>(databases));
        tables = Collections.unmodifiableMap(new TreeMap<>(tables));
    }

    @Nullable
    Relation relation(TableName name) {
        if (SystemViews.isSystem(name.schema())) {
            return SystemViews.relation(name);
        }
        StoredTable stored = table(name);
        return stored == null ? null : stored.relation();
    }

    @Nullable
    StoredTable table(TableName name) {
        return tables.get(key(name));
    }

    @Nullable
    String database(String name) {
        return databases.get(name.toLowerCase(Locale.ROOT));
    }

    Collection<StoredTable> allTables() {
        return tables.values();
    }

    CatalogSnapshot with(StoredTable table) {
        Map<String, StoredTable> changed = new TreeMap<>(tables);
        changed.put(key(table.definition().name()), table);
        return new CatalogSnapshot(version + 1, databases, changed);
    }

    CatalogSnapshot without(TableName table) {
        Map<String, StoredTable> changed = new TreeMap<>(tables);
        changed.remove(key(table));
        return new CatalogSnapshot(version + 1, databases, changed);
    }

    CatalogSnapshot withDatabase(String name) {
        Map<String, String> changed = new TreeMap<>(databases);
        changed.put(name.toLowerCase(Locale.ROOT), name);
        return new CatalogSnapshot(version + 1, changed, tables);
    }

    CatalogSnapshot withoutDatabase(String name) {
        Map<String, String> changed = new TreeMap<>(databases);
        changed.remove(name.toLowerCase(Locale.ROOT));
        Map<String, StoredTable> rest = new TreeMap<>(tables);
        rest.values().removeIf(table -> table.definition().name().schema().equalsIgnoreCase(name));
        return new CatalogSnapshot(version + 1, changed, rest);
    }

    private static String key(TableName name) {
        return (SqlText.name(name.schema()) + "." + SqlText.name(name.table())).toLowerCase(Locale.ROOT);
    }
}
