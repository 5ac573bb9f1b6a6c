package org.keyline.planner;

import org.jspecify.annotations.Nullable;

/** The tables of a store, by name. Thread-safe, answers from memory. */
public interface Catalog {
    /**
     * The base table of this name, by the store's own rule of letter case; null if there is none or it is a view. Tables
     * without a unique key are listed too: a write to a name that is not listed closes every fence.
     */
    @Nullable
    TableSchema table(String schema, String table);

    /** Raised by every change of any definition, before the change can be seen through {@link #table}. */
    long version();

    /** Whether the store may have stored functions, which may write when a SELECT calls them. */
    default boolean storedFunctions() {
        return true;
    }
}
