package org.keyline.rowcache;

/**
 * A period of a table that no fence over the whole table interrupts; compared by identity. Lines
 * belong to the epoch in which their load began and answer only while it is the table's current
 * one. Ending an epoch therefore drops all its lines at once. The ranges of a split prefix have a
 * separate epoch for the same purpose. Immutable.
 */
final class Epoch {
    private final LineTable table;
    private final boolean open;
    private final long beganNanos;

    /**
     * Creates an epoch. One that is not open lasts while a fence over the whole table is closed; no
     * line belongs to it.
     *
     * @param beganNanos the ticker's time
     */
    Epoch(LineTable table, boolean open, long beganNanos) {
        this.table = table;
        this.open = open;
        this.beganNanos = beganNanos;
    }

    LineTable table() {
        return table;
    }

    boolean open() {
        return open;
    }

    /** Rows that were loaded elsewhere before this time do not belong to the epoch. */
    long beganNanos() {
        return beganNanos;
    }
}
