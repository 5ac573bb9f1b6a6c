package org.keyline.planner;

/** The data that a statement can change besides the rows that it names. */
public enum WriteScope {
    /**
     * Only the assigned cells of the named rows may change, because the store derives no column.
     */
    CELLS,
    /** Only the named rows may change. */
    ROWS,
    /** Any row may change. With a second unique key, REPLACE can change a row of another key. */
    TABLE,
    /**
     * Rows of any table may change, because triggers or foreign keys may be hidden, or rows are at
     * other servers.
     */
    ANYWHERE;

    public boolean isWithinRows() {
        return this == CELLS || this == ROWS;
    }
}
