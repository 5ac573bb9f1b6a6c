package org.keyline.planner;

/** The reads of a table that filter lines (all rows that meet given conditions) may answer. */
public enum FilterReads {
    OFF,
    /**
     * Reads with a condition {@code column = value} or {@code column IN (…)}. They have no ranges,
     * and no conditions that only the store can evaluate.
     */
    EQUAL,
    ALL
}
