package org.keyline.planner;

/** The data that a statement can change besides the rows that it names. */
public enum WriteScope {
    /** Only the assigned cells of the named rows, because the store derives no column. */
    CELLS,
    /** Only the named rows. */
    ROWS,
    /** With a second unique key, REPLACE can change a row of another key. */
    TABLE,
    /** Any table, because triggers or foreign keys may be hidden, or rows are at other servers. */
    ANYWHERE;

    public boolean isWithinRows() {
        return this == CELLS || this == ROWS;
    }
}
