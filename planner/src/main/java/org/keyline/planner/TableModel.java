package org.keyline.planner;

/** How a table treats rows with equal keys. Only {@link #UNIQUE} tables have lines. */
public enum TableModel {
    /** At most one row per value of the key columns. */
    UNIQUE,
    /** Sorted by the key columns, which do not identify a row. */
    DUPLICATE,
    /** Rows with equal keys are merged by the store. */
    AGGREGATE,
    /** No key. */
    NONE
}
