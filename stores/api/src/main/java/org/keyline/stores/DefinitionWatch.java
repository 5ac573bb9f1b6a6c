package org.keyline.stores;

import java.util.concurrent.CompletionStage;

/**
 * A watch over one statement, which determines whether rows or definitions may have changed while
 * it ran. Thread-safe.
 */
public interface DefinitionWatch {
    /** Changes by any session since the watch began; each constant includes the previous ones. */
    enum Seen {
        /** No row was written and no definition changed. */
        NOTHING,
        /** Rows may have been written, but no definition changed. */
        ROWS,
        /**
         * Definitions may have changed. The catalog then returns only definitions that are known to
         * be current.
         */
        DEFINITIONS
    }

    /**
     * Reports that the statement is complete or its outcome unknown. Must be called once.
     *
     * @return completes on any thread, never exceptionally
     */
    CompletionStage<Seen> ended();
}
