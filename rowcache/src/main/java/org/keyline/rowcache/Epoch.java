package org.keyline.rowcache;

/**
 * A time in a table's life that no fence over the whole table interrupted; told apart by identity. Lines belong to the epoch
 * in which their load began and answer only while it is the table's current one, so that ending it drops them all at once.
 * The ranges of a split prefix have an epoch of their own for the same purpose. Immutable.
 */
final class Epoch {
    private final LineTable table;
    private final boolean open;

    /** An epoch that is not open is the time while a fence over the whole table is closed: no line belongs to it. */
    Epoch(LineTable table, boolean open) {
        this.table = table;
        this.open = open;
    }

    LineTable table() {
        return table;
    }

    boolean open() {
        return open;
    }
}
