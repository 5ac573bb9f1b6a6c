package org.keyline.stores.duckdb.meta;

import org.jspecify.annotations.Nullable;
import org.keyline.planner.Catalog;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.stores.duckdb.engine.Errors;
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

    /** Returns a table or view. Throws error 1146 if it doesn't exist. */
    public Relation require(TableName name) {
        Relation relation = relation(name);
        if (relation == null) {
            throw Errors.error(1146, "42S02", "Table '" + name + "' doesn't exist");
        }
        return relation;
    }

    /** Returns a database's name as declared. Throws error 1049 if it doesn't exist. */
    public String requireDatabase(String name) {
        String found = database(name);
        if (found == null) {
            throw Errors.error(1049, "42000", "Unknown database '" + name + "'");
        }
        return found;
    }

    CatalogSnapshot snapshot() {
        return snapshot;
    }

    void publish(CatalogSnapshot changed) {
        snapshot = changed;
    }
}
