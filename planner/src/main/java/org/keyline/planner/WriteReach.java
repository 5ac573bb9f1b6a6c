package org.keyline.planner;

/** How far a statement that writes rows of a table can reach beyond what it names. */
public enum WriteReach {
    /**
     * The cells that it assigns, in the rows that it names by key, and no others: no column of the table has a value that the store
     * derives.
     */
    CELLS,
    /** The rows that it names by key and no others. */
    ROWS,
    /** Other rows of the same table: a second unique key lets REPLACE and ON DUPLICATE KEY UPDATE change a row of another key. */
    TABLE,
    /** Other tables: cascading foreign keys, triggers that are not seen. */
    ANYWHERE;

    /** Whether it is at most the rows that a statement names. */
    public boolean isWithinRows() {
        return this == CELLS || this == ROWS;
    }
}
