package org.keyline.rowcache;

/**
 * A time in a table's life that no fence over the whole table interrupted; told apart by identity. Lines belong to the epoch
 * in which their load began and answer only while it is the table's current one, so that ending it drops them all at once.
 * The ranges of a split prefix have an epoch of their own for the same purpose. Immutable.
 */
final class Epoch {
    private final LineTable table;
    private final boolean open;
    private final long beganNanos;

    /**
     * An epoch that is not open is the time while a fence over the whole table is closed: no line belongs to it.
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

    /** What was loaded elsewhere before does not belong to it. */
    long beganNanos() {
        return beganNanos;
    }
}
