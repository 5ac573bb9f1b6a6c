package org.keyline.planner;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The tables of a store, by name. Thread-safe; answers from memory. */
public interface Catalog {
    /**
     * Returns the base table of this name, by the store's rule of letter case; null if it is
     * unknown or a view. Tables without a unique key are included: a write to an unknown name
     * closes every fence.
     */
    @Nullable
    TableSchema table(String schema, String table);

    /**
     * Returns the same as {@link #table}, for a statement that changes the definition: an unknown
     * definition is not read for it.
     */
    default @Nullable TableSchema known(String schema, String table) {
        return table(schema, table);
    }

    /**
     * Returns the name of the catalog of these tables, which may precede a schema; null if the
     * store has one catalog only.
     */
    default @Nullable String ownName() {
        return null;
    }

    /**
     * Returns a number that every change of a definition raises before {@link #table} shows the
     * change.
     */
    long version();

    /**
     * Returns whether the store is known to have stored functions or triggers, which may also
     * change their session. False until they are read.
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
     * Returns whether this name, in upper case, always calls a function that is built into the
     * store. The name is built into some store.
     */
    default boolean isBuiltIn(String function) {
        return true;
    }

    /**
     * Returns whether the store's grammar may have this word, in upper case. If not, no statement
     * begins with it, and CREATE, ALTER and DROP do not define such a thing.
     */
    default boolean isKeyword(String word) {
        return true;
    }

    /**
     * Returns whether a write may currently change any row of any table, beyond what the definition
     * of its table says.
     */
    default boolean writeScopeUnknown() {
        return false;
    }

    /** Returns whether the table is known to exist, even while {@link #table} cannot return it. */
    default boolean has(String schema, String table) {
        return table(schema, table) != null;
    }

    /**
     * Returns the tables that are not cached although they may have a unique key, each with the
     * reason as a sentence.
     */
    default Map<TableName, String> excluded() {
        return Map.of();
    }

    /** Returns whether a schema of this name is known to have tables. */
    default boolean hasSchema(String schema) {
        return false;
    }
}
