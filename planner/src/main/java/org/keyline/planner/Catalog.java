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
     * Like {@link #table}, for a statement that changes the definition. Does not read an unknown
     * definition from the store.
     */
    default @Nullable TableSchema known(String schema, String table) {
        return table(schema, table);
    }

    /** The catalog's name before a schema; null if the store has only one catalog. */
    default @Nullable String ownName() {
        return null;
    }

    /**
     * Each change of a definition increments this number, before {@link #table} returns the new
     * definition.
     */
    long version();

    /**
     * Whether the store has stored functions or triggers, which may also change the state of their
     * session. False until they have been read.
     */
    default boolean storedCode() {
        return true;
    }

    /** Whether the store may have stored functions, which may write when a SELECT calls them. */
    default boolean storedFunctions() {
        return true;
    }

    default boolean mayCallFunctions(String view) {
        return storedFunctions();
    }

    /**
     * Returns whether a call of this name, in upper case, always calls a built-in function of the
     * store. At least one store has the function.
     */
    default boolean isBuiltIn(String function) {
        return true;
    }

    /**
     * Returns whether this word may be a keyword of the store. Only a keyword begins a statement or
     * follows CREATE, ALTER or DROP.
     */
    default boolean isKeyword(String word) {
        return true;
    }

    /**
     * Whether a write may currently change any row of any table, whatever
     * {@link TableSchema#writeScope} states.
     */
    default boolean writeScopeUnknown() {
        return false;
    }

    /** Returns whether the table exists, even while {@link #table} cannot return it. */
    default boolean has(String schema, String table) {
        return table(schema, table) != null;
    }

    /**
     * The tables that cannot be cached although they may have a unique key, each with the reason as
     * a sentence.
     */
    default Map<TableName, String> excluded() {
        return Map.of();
    }

    default boolean hasSchema(String schema) {
        return false;
    }
}
