package org.keyline.rowcache;

/**
 * Receives the outcome of {@link LineTable#load} for a read. Exactly one method is called, on the
 * thread that ends the load or within {@link LineTable#load}. Must neither block nor throw.
 */
public interface LoadListener {
    /**
     * Receives the line, which may answer this read even if it is not
     * {@linkplain LineTable#stillCurrent current}.
     */
    void loaded(Line line);

    /** Receives a line whose rows {@linkplain Load#succeedAsOf another process loaded}. */
    default void adopted(Line line) {
        loaded(line);
    }

    void failed(Throwable cause);

    void declined(Decline reason);
}
