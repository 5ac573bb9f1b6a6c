package org.keyline.stores.duckdb.meta;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Catalog;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.stores.duckdb.translate.Relations;

/** The tables of the embedded store, for planning and for translation. Thread-safe. */
public final class DuckDbCatalog implements Catalog, Relations {
    private volatile CatalogSnapshot snapshot = CatalogSnapshot.EMPTY;

    @Override
    @Nullable
    public TableSchema table(String schema, String table) {
        StoredTable stored = stored(new TableName(schema, table));
        return stored == null ? null : stored.schema();
    }

    @Override
    @Nullable
    public Relation relation(TableName name) {
        return snapshot.relation(name);
    }

    @Override
    public long version() {
        return snapshot.version();
    }

    @Override
    public boolean hasSchema(String schema) {
        return snapshot.database(schema) != null;
    }

    @Override
    public boolean storedFunctions() {
        return false;
    }

    @Override
    public boolean storedCode() {
        return false;
    }

    /** Returns a table; null if it does not exist. */
    @Nullable
    public StoredTable stored(TableName name) {
        return snapshot.table(name);
    }

    /** Returns a database's name as declared; null if the database does not exist. */
    @Nullable
    public String database(String name) {
        String system = SystemViews.systemName(name);
        return system == null ? snapshot.database(name) : system;
    }

    /** Returns the tables of one database, by name. */
    public List<StoredTable> tables(String database) {
        List<StoredTable> tables = new ArrayList<>();
        for (StoredTable table : snapshot.allTables()) {
            if (table.definition().name().schema().equalsIgnoreCase(database)) {
                tables.add(table);
            }
        }
        return tables;
    }

    CatalogSnapshot snapshot() {
        return snapshot;
    }

    void publish(CatalogSnapshot changed) {
        snapshot = changed;
    }
}
