package org.keyline.rowcache;

/** Loads rows from the store. Thread-safe. */
public interface Loader {
    /**
     * Begins to fetch the rows that {@code load} requests, and returns at once. The implementation
     * passes the rows to {@link Load#row}, then calls {@link Load#succeed}, {@link Load#fail} or
     * {@link Load#decline}. The implementation must limit the time of the load, because a load that
     * never ends blocks its waiting reads and counts as running forever. An exception fails the
     * load.
     */
    void start(Load load);
}
