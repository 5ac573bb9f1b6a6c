package org.keyline.gateway.change;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.table.CachedTables;
import org.keyline.planner.TableName;
import org.keyline.rowcache.AddedRow;
import org.keyline.rowcache.LineTable;

/**
 * Rows to drop again some time after a signal reported them, because a load that began in between
 * may have read the old rows. Guarded by its owner.
 */
final class FollowUps {
    /*
     * A binary log reports a row before the engine shows it, usually a moment before. So the row is
     * dropped again soon, and once more just before the lines loaded in between would be older than
     * the ttl that is valid without a signal.
     *
     * Rows are remembered one by one up to a bound, beyond that their tables. A table has one mark,
     * however often it changes: its drops continue until one is late enough after the last change.
     */
    private static final long SOON_NANOS = Duration.ofMillis(25).toNanos();
    private static final int MAX_ROWS = 100_000;
    /**
     * Beyond this number of waiting rows, their images are not remembered, and all filter lines of
     * their tables are dropped instead.
     */
    private static final int MAX_IMAGES = 4_096;

    /** A line to drop at a time, and perhaps once more. Immutable. */
    private static final class Row implements Comparable<Row> {
        final LineTable lines;
        final byte[] prefix;
        final List<AddedRow> images;
        final long changedNanos;
        final long dueNanos;

        Row(LineTable lines, byte[] prefix, List<AddedRow> images, long changedNanos, long dueNanos) {
            this.lines = lines;
            this.prefix = prefix;
            this.images = images;
            this.changedNanos = changedNanos;
            this.dueNanos = dueNanos;
        }

        @Override
        public int compareTo(Row other) {
            return Long.signum(dueNanos - other.dueNanos);
        }
    }

    /**
     * The time to drop a table for its changes up to {@code covered}; later changes begin another
     * turn.
     */
    private static final class Mark {
        boolean settled = true;
        long lastNanos;
        long coveredNanos;
        long dueNanos;

        void changed(long now) {
            lastNanos = now;
            if (settled) {
                settled = false;
                coveredNanos = now;
                dueNanos = now + SOON_NANOS;
            }
        }

        boolean isDue(long now) {
            return !settled && dueNanos - now <= 0;
        }

        void dropped(long now, long lateNanos) {
            if (coveredNanos + lateNanos - now > 0) {
                dueNanos = coveredNanos + lateNanos;
            } else if (lastNanos - coveredNanos > 0) {
                coveredNanos = lastNanos;
                dueNanos = Math.max(lastNanos + SOON_NANOS - now, 1) + now;
            } else {
                settled = true;
            }
        }
    }

    private final CachedTables tables;
    private final Supplier<Duration> ttl;
    private final int maxRows;
    private final LongSupplier clock;
    private final PriorityQueue<Row> rows = new PriorityQueue<>();
    private final Map<TableName, Mark> marks = new HashMap<>();
    private final Mark everything = new Mark();

    /** @param ttl of tables that have no lines yet */
    FollowUps(CachedTables tables, Supplier<Duration> ttl, LongSupplier clock) {
        this(tables, ttl, MAX_ROWS, clock);
    }

    FollowUps(CachedTables tables, Supplier<Duration> ttl, int maxRows, LongSupplier clock) {
        this.tables = tables;
        this.ttl = ttl;
        this.maxRows = maxRows;
        this.clock = clock;
    }

    /**
     * Adds a changed row by a prefix of key bytes; returns false if there are too many: its table
     * must be dropped.
     *
     * @param images the row before and after; empty if unknown
     */
    boolean row(LineTable lines, byte[] prefix, List<AddedRow> images) {
        if (rows.size() >= maxRows) {
            return false;
        }
        long now = clock.getAsLong();
        List<AddedRow> remembered = rows.size() < MAX_IMAGES ? images : List.of();
        rows.add(new Row(lines, prefix, remembered, now, now + SOON_NANOS));
        return true;
    }

    /** Adds a change of any rows of a table, which need not have lines yet. */
    void table(TableName name) {
        marks.computeIfAbsent(name, at -> new Mark()).changed(clock.getAsLong());
    }

    /** Adds a change of anything; tables with lines are also added on their own. */
    void everything() {
        everything.changed(clock.getAsLong());
    }

    /** Drops the due rows and tables. */
    void drop() {
        long now = clock.getAsLong();
        for (Row row = rows.peek(); row != null && row.dueNanos - now <= 0; row = rows.peek()) {
            rows.remove();
            row.lines.flush(row.prefix, 0, row.prefix.length, row.images);
            long last = row.changedNanos + lateNanos(row.lines);
            if (last - now > 0) {
                rows.add(new Row(row.lines, row.prefix, row.images, row.changedNanos, last));
            }
        }
        marks.entrySet().removeIf(at -> {
            LineTable lines = tables.lines(at.getKey());
            if (at.getValue().isDue(now)) {
                flush(lines);
                at.getValue().dropped(now, lateNanos(lines));
            }
            return at.getValue().settled;
        });
        if (everything.isDue(now)) {
            tables.names().forEach(name -> flush(tables.lines(name)));
            everything.dropped(now, lateNanos(null));
        }
    }

    /** Returns how many rows and tables wait. */
    int pending() {
        return rows.size() + marks.size() + (everything.settled ? 0 : 1);
    }

    private static void flush(@Nullable LineTable lines) {
        if (lines != null) {
            lines.flush();
        }
    }

    /** Returns a little before the end of the ttl, because a timer may be late. */
    private long lateNanos(@Nullable LineTable lines) {
        long nanos = (lines == null ? ttl.get() : lines.options().ttl()).toNanos();
        return nanos - nanos / 8;
    }
}
