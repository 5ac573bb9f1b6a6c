package org.keyline.rowcache;

import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A period of a table. It ends when a fence closes the whole table, or when the table is flushed.
 * Compared by identity. A line belongs to the epoch in which its load began, and answers only in
 * this epoch. The end of an epoch therefore drops all its lines at once. The {@link Ranges} of a
 * split prefix have a separate epoch.
 *
 * <p>In a table with {@link Partitions}, the lines of a partition belong to a part of the epoch,
 * which can end separately. Thread-safe.
 */
final class Epoch {
    private final LineTable table;
    private final @Nullable Epoch whole;
    private final boolean open;
    private final long beganNanos;
    /** Null if the table has no partitions. */
    private final @Nullable ConcurrentHashMap<Long, Epoch> parts;

    private volatile boolean ended;

    /**
     * @param open false if the table is retired, disabled, or wholly closed by a fence; no line
     * belongs to such an epoch
     * @param beganNanos the beginning of the epoch by the ticker
     */
    Epoch(LineTable table, boolean open, long beganNanos, boolean parted) {
        this(table, null, open, beganNanos, parted);
    }

    Epoch(LineTable table, boolean open, long beganNanos) {
        this(table, null, open, beganNanos, false);
    }

    private Epoch(LineTable table, @Nullable Epoch whole, boolean open, long beganNanos, boolean parted) {
        this.table = table;
        this.whole = whole;
        this.open = open;
        this.beganNanos = beganNanos;
        this.parts = parted ? new ConcurrentHashMap<>() : null;
    }

    LineTable table() {
        return table;
    }

    boolean open() {
        return open;
    }

    /**
     * Returns the ticker's time at the beginning of the epoch. Rows that another process loaded
     * before this time do not belong to the epoch.
     */
    long beganNanos() {
        return beganNanos;
    }

    /** Returns the part for a partition; this epoch if the table has no partitions. */
    Epoch part(long partition) {
        return parts == null
                ? this
                : parts.computeIfAbsent(partition, id -> new Epoch(table, this, open, beganNanos, false));
    }

    void endPart(long partition, long nowNanos) {
        if (parts != null) {
            Epoch old = parts.put(partition, new Epoch(table, this, open, nowNanos, false));
            if (old != null) {
                old.ended = true;
            }
        }
    }

    /** Returns whether this is a current part of {@code epoch}. */
    boolean isPartOf(Epoch epoch) {
        return whole == epoch && !ended;
    }
}
