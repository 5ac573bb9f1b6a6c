package org.keyline.stores;

import java.util.concurrent.CompletionStage;

/** Determines whether rows or definitions changed while one statement ran. Thread-safe. */
public interface DefinitionWatch {
    /** Changes by any session since the watch began. Each constant includes the previous ones. */
    enum Seen {
        NOTHING,
        /** Rows may have been written, but no definition changed. */
        ROWS,
        /** Definitions may have changed. The catalog then returns only current definitions. */
        DEFINITIONS
    }

    /**
     * Called once, when the statement is complete or its outcome is unknown.
     *
     * @return the changes since the watch began; completes on any thread, never exceptionally
     */
    CompletionStage<Seen> ended();
}
