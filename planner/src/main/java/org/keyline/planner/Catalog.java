package org.keyline.planner;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The tables of a store, by name. Thread-safe, answers from memory. */
public interface Catalog {
    /**
     * The base table of this name, by the store's own rule of letter case; null if there is none or it is a view. Tables
     * without a unique key are listed too: a write to a name that is not listed closes every fence.
     */
    @Nullable
    TableSchema table(String schema, String table);

    /** The name of the catalog that these tables are in, which may stand before a schema; null where the store has one catalog only. */
    default @Nullable String ownName() {
        return null;
    }

    /** Raised by every change of any definition, before the change can be seen through {@link #table}. */
    long version();

    /**
     * Whether the store is known to have stored functions or triggers, which may also change the session that they run in. False while that
     * is being read.
     */
    default boolean storedCode() {
        return true;
    }

    /** Whether the store may have stored functions, which may write when a SELECT calls them. */
    default boolean storedFunctions() {
        return true;
    }

    /** Whether a view of this name, in whatever schema, may call one of them. */
    default boolean mayCallFunctions(String view) {
        return storedFunctions();
    }

    /** Whether only what the store has built in is called by this name, in upper case; asked for names that some store has built in. */
    default boolean isBuiltIn(String function) {
        return true;
    }

    /**
     * Whether the store may know this word, in upper case, as one of its grammar: where it does not, no statement begins with it, nor
     * defines anything behind CREATE, ALTER or DROP.
     */
    default boolean isKeyword(String word) {
        return true;
    }

    /** Whether a write may reach further at the moment than the definition of its table tells: to any row of any table. */
    default boolean reachUncertain() {
        return false;
    }

    /** Whether the table is there as far as is known, even where {@link #table} does not answer at the moment. */
    default boolean has(String schema, String table) {
        return table(schema, table) != null;
    }

    /** Returns the tables whose rows are not cached though they may have a unique key, each with the reason as a sentence. */
    default Map<TableName, String> keptOut() {
        return Map.of();
    }

    /** Whether there are tables in a schema of this name, as far as is known. */
    default boolean hasSchema(String schema) {
        return false;
    }
}
