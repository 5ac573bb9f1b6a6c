package org.keyline.planner;

/** What a write to a table can change, apart from its triggers. */
public enum WriteScope {
    /** Only the assigned cells of the named rows may change. The store derives no column. */
    CELLS,
    /** Only the named rows may change. */
    ROWS,
    /** Any row may change. With a second unique key, REPLACE can change a row of another key. */
    TABLE,
    /**
     * Rows of any table may change, because the store may hide triggers or foreign keys, or has
     * rows on other servers.
     */
    ANYWHERE;

    public boolean isWithinRows() {
        return this == CELLS || this == ROWS;
    }
}
