package org.keyline.rowcache;

/**
 * Receives the outcome of a load that a read waits for: exactly one call, in the thread that ends
 * the load, or within {@link LineTable#load} itself. Must neither block nor throw.
 */
public interface LoadListener {
    /**
     * Receives a line with all rows that the probe asked for. The line may answer this read even if
     * it was not cached; {@link LineTable#stillCurrent} returns whether it was.
     */
    void loaded(Line line);

    /** Receives a line whose rows were {@linkplain Load#succeedAsOf loaded elsewhere}. */
    default void adopted(Line line) {
        loaded(line);
    }

    /** Reports that the load failed with {@code cause}, to every waiting read. */
    void failed(Throwable cause);

    /** Reports that the cache has no answer, so that the read must go to the store. */
    void declined(Decline reason);
}
