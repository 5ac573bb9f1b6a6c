package org.keyline.planner;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The tables of a store, by name. Thread-safe; answers from memory. */
public interface Catalog {
    /**
     * Returns the base table of this name, matched by the store's rule of letter case; null if it
     * is unknown or a view. Includes tables without a unique key, because a write to an unknown
     * name closes every fence.
     */
    @Nullable
    TableSchema table(String schema, String table);

    /**
     * Returns the same as {@link #table}, for a statement that changes the definition. Does not
     * read an unknown definition from the store.
     */
    default @Nullable TableSchema known(String schema, String table) {
        return table(schema, table);
    }

    /**
     * Returns the name of the catalog of these tables, which may precede a schema; null if the
     * store has only one catalog.
     */
    default @Nullable String ownName() {
        return null;
    }

    /**
     * Returns a number that each change of a definition increments, before {@link #table} returns
     * the new definition.
     */
    long version();

    /**
     * Returns whether the store has stored functions or triggers, which may also change the state
     * of their session. False until they have been read.
     */
    default boolean storedCode() {
        return true;
    }

    /**
     * Returns whether the store may have stored functions, which may write when a SELECT calls
     * them.
     */
    default boolean storedFunctions() {
        return true;
    }

    /** Returns whether a view of this name, in any schema, may call a stored function. */
    default boolean mayCallFunctions(String view) {
        return storedFunctions();
    }

    /**
     * Returns whether this name always calls a built-in function of the store.
     *
     * @param function in upper case, built into at least one store
     */
    default boolean isBuiltIn(String function) {
        return true;
    }

    /**
     * Returns whether this word may be a keyword of the store. Any other word neither begins a
     * statement nor follows CREATE, ALTER or DROP.
     */
    default boolean isKeyword(String word) {
        return true;
    }

    /**
     * Returns whether a write may currently change any row of any table, whatever scope the
     * definition of its table states.
     */
    default boolean writeScopeUnknown() {
        return false;
    }

    /** Returns whether the table exists, even while {@link #table} cannot return it. */
    default boolean has(String schema, String table) {
        return table(schema, table) != null;
    }

    /**
     * Returns the tables that cannot be cached although they may have a unique key. The value is
     * the reason as a sentence.
     */
    default Map<TableName, String> excluded() {
        return Map.of();
    }

    /** Returns whether a schema of this name is known to have tables. */
    default boolean hasSchema(String schema) {
        return false;
    }
}
