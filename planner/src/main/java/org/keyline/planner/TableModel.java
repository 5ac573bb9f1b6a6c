package org.keyline.planner;

/** How a table treats rows with equal keys. Only {@link #UNIQUE} tables have lines. */
public enum TableModel {
    UNIQUE,
    /** A table that is sorted by key columns which do not identify a row. */
    DUPLICATE,
    /** A table in which the store merges rows with equal keys. */
    AGGREGATE,
    NONE
}
