package org.keyline.planner;

/** How far a statement that writes rows of a table can reach beyond the keys that it names. */
public enum WriteReach {
    /** The rows that it names by key and no others. */
    ROWS,
    /** Other rows of the same table: a second unique key lets REPLACE and ON DUPLICATE KEY UPDATE change a row of another key. */
    TABLE,
    /** Other tables: triggers, cascading foreign keys, a view's base tables. */
    ANYWHERE
}
