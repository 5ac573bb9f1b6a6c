package org.keyline.stores;

import java.util.concurrent.CompletionStage;

/** Tells what may have been written and defined while one statement ran. Thread-safe. */
public interface DefinitionWatch {
    /** What may have been done, by anybody, since the watch began; each includes those ahead of it. */
    enum Seen {
        /** No row was written, and no table defined. */
        NOTHING,
        /** Rows may have been written. */
        ROWS,
        /** Tables may have been defined: the catalog answers nothing any more that may not hold. */
        DEFINITIONS
    }

    /**
     * The statement is done, or its outcome is unknown. To be called once.
     *
     * @return completes on any thread, never exceptionally
     */
    CompletionStage<Seen> ended();
}
