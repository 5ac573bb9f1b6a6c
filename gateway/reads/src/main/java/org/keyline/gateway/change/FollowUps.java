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
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.KeyReader;
import org.keyline.rowcache.LineTable;

/** Drops lines again, because a load soon after a change may read old rows. Callers synchronize. */
final class FollowUps {
    /*
     * A binary log usually reports a changed row a moment before other sessions can read it. So
     * Keyline drops the row's lines again soon, and for the last time a little less than a ttl
     * after the change. Before the last drop, a line may be outdated, but no longer than without a
     * signal. If a store waits for its replicas, a change may become visible after the last drop.
     * MySQL's log position includes the change only once it is visible. Until then, lines live for
     * their ttl only. Then Keyline drops the table again if its last drop came too early. Up to a
     * maximum number, rows are remembered one by one. For further rows, only their tables are
     * remembered. A table has a single mark, however often it changes. The table is dropped
     * repeatedly, until a drop comes late enough after the last change.
     */
    private static final long SOON_NANOS = Duration.ofMillis(25).toNanos();
    private static final int MAX_ROWS = 100_000;
    /**
     * Maximum number of retained row images. For further rows, all filter lines of their tables are
     * dropped.
     */
    private static final int MAX_IMAGES = 4_096;

    /** A changed row. Its lines are dropped when due, and possibly once more. Immutable. */
    private static final class Row implements Comparable<Row> {
        final LineTable lines;
        final byte[] key;
        final List<AddedRow> images;
        final long changedNanos;
        final long dueNanos;

        Row(LineTable lines, byte[] key, List<AddedRow> images, long changedNanos, long dueNanos) {
            this.lines = lines;
            this.key = key;
            this.images = images;
            this.changedNanos = changedNanos;
            this.dueNanos = dueNanos;
        }

        @Override
        public int compareTo(Row other) {
            return Long.signum(dueNanos - other.dueNanos);
        }
    }

    /** Determines when to drop a table next because of its changes up to {@code coveredNanos}. */
    private static final class Mark {
        boolean done = true;
        /** Whether the table's last drop came before its changes were known to be visible. */
        boolean unseen;

        long lastNanos;
        long coveredNanos;
        long dueNanos;

        void changed(long now) {
            lastNanos = now;
            if (done || unseen) {
                done = false;
                unseen = false;
                coveredNanos = now;
                dueNanos = now + SOON_NANOS;
            }
        }

        boolean isDue(long now) {
            return !done && !unseen && dueNanos - now <= 0;
        }

        void dropped(long now, long lateNanos, long seenNanos) {
            if (coveredNanos + lateNanos - now > 0) {
                dueNanos = coveredNanos + lateNanos;
            } else if (lastNanos - coveredNanos > 0) {
                coveredNanos = lastNanos;
                dueNanos = Math.max(lastNanos + SOON_NANOS - now, 1) + now;
            } else {
                unseen = lastNanos - seenNanos > 0;
                done = !unseen;
            }
        }

        /** Returns whether changes became visible after the last drop, so a drop is due again. */
        boolean isSeen(long asOfNanos) {
            boolean seen = unseen && lastNanos - asOfNanos <= 0;
            done |= seen;
            unseen &= !seen;
            return seen;
        }
    }

    private final CachedTables tables;
    private final Supplier<Duration> ttl;
    private final int maxRows;
    private final LongSupplier clock;
    private final KeyEncoder encoder = new KeyEncoder();
    private final KeyReader reader = new KeyReader();
    private final PriorityQueue<Row> rows = new PriorityQueue<>();
    private final Map<TableName, Mark> marks = new HashMap<>();
    private final Mark everything = new Mark();
    /** Time up to which all changes are known to be visible at the store. */
    private long seenNanos;
    /** For each table, the time of the last row change for which its last drop came too early. */
    private final Map<LineTable, Long> unseen = new HashMap<>();

    /** @param ttl returns the ttl of tables that have no lines yet */
    FollowUps(CachedTables tables, Supplier<Duration> ttl, LongSupplier clock) {
        this(tables, ttl, MAX_ROWS, clock);
    }

    FollowUps(CachedTables tables, Supplier<Duration> ttl, int maxRows, LongSupplier clock) {
        this.tables = tables;
        this.ttl = ttl;
        this.maxRows = maxRows;
        this.clock = clock;
        this.seenNanos = clock.getAsLong() - Duration.ofDays(1).toNanos();
    }

    /**
     * Adds a changed row by its key bytes.
     *
     * @param images the row before and after the change; empty if unknown
     * @return false if too many rows are waiting, so that the caller must drop the whole table
     */
    boolean row(LineTable lines, byte[] key, List<AddedRow> images) {
        if (rows.size() >= maxRows) {
            return false;
        }
        long now = clock.getAsLong();
        List<AddedRow> remembered = rows.size() < MAX_IMAGES ? images : List.of();
        rows.add(new Row(lines, key, remembered, now, now + SOON_NANOS));
        return true;
    }

    /** Records a change of unknown rows in a table. The table may have no lines yet. */
    void table(TableName name) {
        marks.computeIfAbsent(name, at -> new Mark()).changed(clock.getAsLong());
    }

    /** Records a change in unknown tables. The caller also records it for each known table. */
    void everything() {
        everything.changed(clock.getAsLong());
    }

    void drop() {
        long now = clock.getAsLong();
        for (Row row = rows.peek(); row != null && row.dueNanos - now <= 0; row = rows.peek()) {
            rows.remove();
            encoder.reset().cells(row.key, 0, row.key.length, reader.wrap(row.key, 0, row.key.length));
            row.lines.flush(encoder, row.images);
            long last = row.changedNanos + lateNanos(row.lines);
            if (last - now > 0) {
                rows.add(new Row(row.lines, row.key, row.images, row.changedNanos, last));
            } else if (row.changedNanos - seenNanos > 0) {
                unseen.merge(row.lines, row.changedNanos, Math::max);
            }
        }
        marks.entrySet().removeIf(at -> {
            LineTable lines = tables.lines(at.getKey());
            if (at.getValue().isDue(now)) {
                flush(lines);
                at.getValue().dropped(now, lateNanos(lines), seenNanos);
            }
            return at.getValue().done;
        });
        if (everything.isDue(now)) {
            tables.names().forEach(name -> flush(tables.lines(name)));
            everything.dropped(now, lateNanos(null), seenNanos);
        }
    }

    /** Drops tables again that were dropped before the changes up to this time were visible. */
    void seen(long asOfNanos) {
        seenNanos = asOfNanos;
        unseen.entrySet().removeIf(at -> {
            boolean seen = at.getValue() - asOfNanos <= 0;
            if (seen) {
                at.getKey().flush();
            }
            return seen;
        });
        marks.entrySet().removeIf(at -> {
            if (at.getValue().isSeen(asOfNanos)) {
                flush(tables.lines(at.getKey()));
            }
            return at.getValue().done;
        });
        if (everything.isSeen(asOfNanos)) {
            tables.names().forEach(name -> flush(tables.lines(name)));
        }
    }

    int pending() {
        return rows.size() + unseen.size() + marks.size() + (everything.done ? 0 : 1);
    }

    private static void flush(@Nullable LineTable lines) {
        if (lines != null) {
            lines.flush();
        }
    }

    /** Returns the delay of the last drop: a bit less than the ttl, because timers may be late. */
    private long lateNanos(@Nullable LineTable lines) {
        long nanos = (lines == null ? ttl.get() : lines.options().ttl()).toNanos();
        return nanos - nanos / 8;
    }
}
