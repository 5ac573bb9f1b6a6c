package org.keyline.rowcache;

/**
 * What a read learns of the load it needs: exactly one call, in the thread that ends the load, or within
 * {@link LineTable#load} itself. Must neither block nor throw.
 */
public interface LoadListener {
    /**
     * The rows are there: {@code line} holds all that the probe asked for. The line may answer this read even where it was
     * not kept; {@link LineTable#stillCurrent} tells whether it was.
     */
    void loaded(Line line);

    /** The same for rows that were {@linkplain Load#succeedAsOf loaded elsewhere}. */
    default void adopted(Line line) {
        loaded(line);
    }

    /** The load failed with {@code cause}, which everybody who waited for it is told. */
    void failed(Throwable cause);

    /** The cache has no answer: ask the store itself. */
    void declined(Decline reason);
}
