package org.keyline.gateway.views;

import java.util.concurrent.CompletionStage;

/**
 * What runs reads of views. Thread-safe. Stages complete on any thread; they fail with a {@link org.keyline.stores.StoreException} that
 * has the client's error.
 */
public interface ViewEngine extends AutoCloseable {
    /** The columns of a read that is to be prepared; no rows. */
    CompletionStage<ViewResult> describe(ViewRead query);

    /**
     * Runs a read without placeholders.
     *
     * @param binary whether rows are those of the binary protocol
     */
    CompletionStage<ViewResult> run(ViewRead query, View.Asker asker, boolean binary);

    @Override
    void close();
}
