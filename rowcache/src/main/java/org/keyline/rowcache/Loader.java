package org.keyline.rowcache;

/** Loads rows from the store. Thread-safe. */
public interface Loader {
    /**
     * Begins to fetch the rows that {@code load} requests and returns at once. The rows go to
     * {@link Load#row}. Afterwards, or if the fetch failed or took too long, one of the load's end
     * methods must be called. A load that is never ended occupies its place, and blocks its
     * waiters, for ever, so the implementation must limit its time. An exception fails the load.
     */
    void start(Load load);
}
