package org.keyline.planner;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The tables of a store, by name. Thread-safe; answers from memory. */
public interface Catalog {
    /**
     * Returns the base table of this name, by the store's rule of letter case; null if it is
     * unknown or a view. Includes tables without a unique key: if they were unknown, each write
     * to one would count as a write to every table.
     */
    @Nullable
    TableSchema table(String schema, String table);

    /** Like {@link #table}, but does not make the catalog read an unknown definition. */
    default @Nullable TableSchema known(String schema, String table) {
        return table(schema, table);
    }

    /**
     * Returns whether the catalog must read a changed definition to know what a write to this name
     * may change. Until then, the write may change any table.
     */
    default boolean isUnread(String schema, String table) {
        return false;
    }

    /** Returns the store's name for the catalog of these schemas; null if it has no catalogs. */
    default @Nullable String ownName() {
        return null;
    }

    /**
     * Returns the catalog's version. A change increments it before {@link #table} returns the new
     * definition.
     */
    long version();

    /** Returns whether stored functions or triggers are known to exist. */
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

    /**
     * Returns whether a name calls a built-in function of this store and not a stored function.
     *
     * @param function in upper case, a built-in function of at least one kind of store
     */
    default boolean isBuiltIn(String function) {
        return true;
    }

    /**
     * Returns whether the word, in upper case, is a keyword. Only a keyword begins a statement or
     * follows CREATE, ALTER or DROP.
     */
    default boolean isKeyword(String word) {
        return true;
    }

    /** Returns whether writes can change more than {@link TableSchema#writeScope} says. */
    default boolean writeScopeUnknown() {
        return false;
    }

    /** Returns whether the table exists, even while {@link #table} cannot return it. */
    default boolean has(String schema, String table) {
        return table(schema, table) != null;
    }

    /** Returns tables that have a unique key but cannot be cached, with reasons as sentences. */
    default Map<TableName, String> excluded() {
        return Map.of();
    }

    default boolean hasSchema(String schema) {
        return false;
    }
}
