package org.keyline.planner;

/** A table's treatment of rows with equal keys. Only {@link #UNIQUE} tables have lines. */
public enum TableModel {
    UNIQUE,
    /** Sorted by the key columns, which do not identify a row. */
    DUPLICATE,
    /** The store merges rows with equal keys. */
    AGGREGATE,
    NONE
}
