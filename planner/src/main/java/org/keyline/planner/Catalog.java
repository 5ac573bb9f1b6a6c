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

    /**
     * Returns the table like {@link #table}, but does not read an unknown definition from the
     * store.
     */
    default @Nullable TableSchema known(String schema, String table) {
        return table(schema, table);
    }

    /** Returns the catalog's name before a schema; null if the store has only one catalog. */
    default @Nullable String ownName() {
        return null;
    }

    /**
     * Returns a number that a change increments before {@link #table} returns the new definition.
     */
    long version();

    /** Returns false until the store's functions and triggers have been read. */
    default boolean storedCode() {
        return true;
    }

    /** Returns whether the store has stored functions, which may write when a SELECT calls them. */
    default boolean storedFunctions() {
        return true;
    }

    default boolean mayCallFunctions(String view) {
        return storedFunctions();
    }

    /** Returns whether a function, in upper case, is built into at least one store. */
    default boolean isBuiltIn(String function) {
        return true;
    }

    /**
     * Returns whether the word is a keyword. Only a keyword begins a statement or follows CREATE,
     * ALTER or DROP.
     */
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
