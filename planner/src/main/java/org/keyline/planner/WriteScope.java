package org.keyline.planner;

/** The scope of a write: which data a statement can change besides the rows that it names. */
public enum WriteScope {
    /**
     * The assigned cells in the rows named by key, because the store derives no column of the
     * table.
     */
    CELLS,
    /** The rows named by key. */
    ROWS,
    /**
     * Any row of the same table: with a second unique key, REPLACE and ON DUPLICATE KEY UPDATE can
     * change a row of another key.
     */
    TABLE,
    /** Any table, because triggers or foreign keys may be hidden, or rows are at other servers. */
    ANYWHERE;

    /** Returns whether the scope is within the rows that a statement names. */
    public boolean isWithinRows() {
        return this == CELLS || this == ROWS;
    }
}
