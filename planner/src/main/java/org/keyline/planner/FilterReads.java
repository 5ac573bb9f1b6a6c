package org.keyline.planner;

/** The reads of a table that filter lines may answer. Their conditions bind no key prefix. */
public enum FilterReads {
    OFF,
    /**
     * Reads with a condition {@code column = value} or {@code column IN (…)}, without ranges, and
     * without conditions that only the store can evaluate.
     */
    EQUAL,
    /** Reads with any conditions. */
    ALL
}
