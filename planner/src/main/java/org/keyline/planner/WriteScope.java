package org.keyline.planner;

/** The scope of a write: what a statement can change beyond the rows that it names. */
public enum WriteScope {
    /**
     * The assigned cells in the rows named by key, and no others: the store derives no column of
     * the table.
     */
    CELLS,
    /** The rows named by key, and no others. */
    ROWS,
    /**
     * Other rows of the same table: with a second unique key, REPLACE and ON DUPLICATE KEY UPDATE
     * can change a row of another key.
     */
    TABLE,
    /** Other tables: cascading foreign keys, hidden triggers. */
    ANYWHERE;

    /** Returns whether the scope is at most the rows that a statement names. */
    public boolean isWithinRows() {
        return this == CELLS || this == ROWS;
    }
}
