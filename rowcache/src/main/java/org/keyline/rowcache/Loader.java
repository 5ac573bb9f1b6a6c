package org.keyline.rowcache;

/** Brings rows from the store. Thread-safe. */
public interface Loader {
    /**
     * Begins to fetch what {@code load} asks for and returns at once. The rows go to {@link Load#row}; then, or when the
     * fetch failed or took too long, one of the load's ends is called. A load that is never ended keeps its place, and its
     * waiters, for ever: whoever starts it also watches its time. An exception from here fails the load.
     */
    void start(Load load);
}
