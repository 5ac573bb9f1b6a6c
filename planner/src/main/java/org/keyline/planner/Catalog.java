package org.keyline.planner;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The tables of a store, by name. Thread-safe; answers from memory. */
public interface Catalog {
    /**
     * Returns the base table of this name, by the store's rule of letter case; null if it is
     * unknown or a view. Includes tables without a unique key, because a write to an unknown name
     * closes every fence.
     */
    @Nullable
    TableSchema table(String schema, String table);

    /** Like {@link #table}, but does not read an unknown definition from the store. */
    default @Nullable TableSchema known(String schema, String table) {
        return table(schema, table);
    }

    /** Returns the catalog's name before a schema; null if the store has only one catalog. */
    default @Nullable String ownName() {
        return null;
    }

    /** A change increments the number before {@link #table} returns the new definition. */
    long version();

    /** Returns false until the store's functions and triggers have been read. */
    default boolean storedCode() {
        return true;
    }

    /** A stored function may write when a SELECT calls it. */
    default boolean storedFunctions() {
        return true;
    }

    default boolean mayCallFunctions(String view) {
        return storedFunctions();
    }

    /** The function is in upper case, and built into at least one store. */
    default boolean isBuiltIn(String function) {
        return true;
    }

    /** Only a keyword begins a statement or follows CREATE, ALTER or DROP. */
    default boolean isKeyword(String word) {
        return true;
    }

    /** Returns whether a write may exceed {@link TableSchema#writeScope} at present. */
    default boolean writeScopeUnknown() {
        return false;
    }

    /** Returns whether the table exists, even while {@link #table} cannot return it. */
    default boolean has(String schema, String table) {
        return table(schema, table) != null;
    }

    /** Returns why tables with a unique key cannot be cached, as sentences. */
    default Map<TableName, String> excluded() {
        return Map.of();
    }

    default boolean hasSchema(String schema) {
        return false;
    }
}
