package org.keyline.planner;

/** A table's treatment of rows with equal keys. Only {@link #UNIQUE} tables have lines. */
public enum TableModel {
    /** At most one row per value of the key columns. */
    UNIQUE,
    /** Sorted by the key columns, which do not identify a row. */
    DUPLICATE,
    /** The store merges rows with equal keys. */
    AGGREGATE,
    /** No key. */
    NONE
}
