package org.keyline.stores;

import java.util.concurrent.CompletionStage;

/** Determines whether rows or definitions may have changed while one statement ran. Thread-safe. */
public interface DefinitionWatch {
    /** Changes by any session since the watch began; each value includes the earlier ones. */
    enum Seen {
        /** No row was written, and no table was defined. */
        NOTHING,
        /** Rows may have been written. */
        ROWS,
        /**
         * Tables may have been defined. The catalog then serves only definitions that are certain
         * to be current.
         */
        DEFINITIONS
    }

    /**
     * Reports that the statement is complete, or that its outcome is unknown. Must be called once.
     *
     * @return completes on any thread, never exceptionally
     */
    CompletionStage<Seen> ended();
}
