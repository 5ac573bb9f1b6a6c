package org.keyline.rowcache;

/**
 * A listener for the outcome of a load that a read waits for. Exactly one method is called, on the
 * thread that ends the load or within {@link LineTable#load}. Must neither block nor throw.
 */
public interface LoadListener {
    /**
     * Receives a line with all requested rows. The line may answer this read even if it was not
     * cached; {@link LineTable#stillCurrent} returns whether it was.
     */
    void loaded(Line line);

    /** Receives a line whose rows were {@linkplain Load#succeedAsOf loaded elsewhere}. */
    default void adopted(Line line) {
        loaded(line);
    }

    /** Reports to every waiting read that the load failed. */
    void failed(Throwable cause);

    /** Reports that the read must go to the store. */
    void declined(Decline reason);
}
