package org.keyline.stores;

import java.util.concurrent.CompletionStage;

/** Tells whether definitions may have changed while one statement ran. Thread-safe. */
public interface DefinitionWatch {
    /**
     * The statement is done, or its outcome is unknown. To be called once.
     *
     * @return completes on any thread, never exceptionally: whether any definition may have changed since the watch began; if so, the catalog
     *     answers nothing any more that may not hold
     */
    CompletionStage<Boolean> ended();
}
