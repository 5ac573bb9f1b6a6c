package org.keyline.gateway.load;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.filter.FilterSelect;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.LoadSelect;
import org.keyline.protocol.codec.RowReader;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.Load;

/**
 * A round trip to the store for one or several loads, with a time limit. Confined to its event
 * loop.
 */
final class LoadJob {
    private static final byte[] NO_HINT = {};

    final CachedTable table;
    final boolean binary;
    final List<Load> loads = new ArrayList<>(1);

    @Nullable
    LoadSession session;

    private @Nullable Future<?> watch;
    private boolean ended;
    private boolean retried;
    private boolean unasked;
    private int rows;
    /** Whether the SELECT has a hint that avoids a fast path on which rows may be missing. */
    private boolean hinted;

    /** The SELECT of a filter line; null for lines under a key prefix. */
    private final @Nullable FilterSelect filter;

    LoadJob(CachedTable table, boolean binary, Load load, @Nullable FilterSelect filter) {
        this.filter = filter;
        this.table = table;
        this.binary = binary;
        this.loads.add(load);
    }

    /**
     * Writes the SELECT. It repeats the last key until the number of keys is a power of two, so
     * that sessions prepare few different statements.
     */
    void write(byte[] reliableReadHint, LoadSelect.ValueWriter values, ByteBuf sql) {
        if (filter != null) {
            filter.write(loads.get(0), values, sql);
            return;
        }
        if (loads.size() == 1) {
            table.select().write(loads.get(0), hinted ? reliableReadHint : NO_HINT, values, sql);
            return;
        }
        int named = Integer.highestOneBit(2 * loads.size() - 1);
        byte[][] keys = new byte[named][];
        for (int i = 0; i < named; i++) {
            keys[i] = i < loads.size() ? loads.get(i).prefix() : keys[i - 1];
        }
        table.select().write(keys, named, values, sql);
    }

    /** Encodes a row's key. Returns {@code key} or, for a filter line, the filter's own encoder. */
    KeyEncoder keyOf(RowReader row, KeyEncoder key) {
        if (filter != null) {
            return filter.keyOf(row, binary);
        }
        table.keyOf(row, binary, key);
        return key;
    }

    void took(long nanos) {
        if (filter == null) {
            table.admission().loadTook(nanos, rows, loads.size());
        } else {
            filter.took(nanos, rows);
        }
    }

    /**
     * Passes a row to every load that requested it. Two loads may request the same row if a write
     * to the row began between them.
     *
     * @return whether the job needs further rows
     */
    boolean row(KeyEncoder key, byte[] row, int length) {
        rows++;
        if (loads.size() == 1) {
            return loads.get(0).row(key, row, 0, length);
        }
        boolean asked = false;
        for (Load load : loads) {
            if (load.isFor(key)) {
                load.row(key, row, 0, length);
                asked = true;
            }
        }
        unasked |= !asked;
        return asked;
    }

    /** Called when the rows cannot form a line. Several loads are then repeated one by one. */
    void unfit() {
        if (loads.size() == 1) {
            loads.get(0).unfit();
        } else {
            unasked = true;
        }
    }

    /** Returns whether a row arrived that none of the job's loads requested. */
    boolean unasked() {
        return unasked;
    }

    boolean ended() {
        return ended;
    }

    /** Sets the timer that fails the job. The end of the job cancels the timer. */
    void watch(Future<?> clock) {
        watch = clock;
    }

    /** Prepares a second attempt in another session. Returns false after the second attempt. */
    boolean retry() {
        if (retried) {
            return false;
        }
        retried = true;
        session = null;
        return true;
    }

    /** Returns whether the job has fewer than {@code most} loads, all of this table and format. */
    boolean takes(CachedTable of, boolean inBinary, int most) {
        return table == of && binary == inBinary && loads.size() < most;
    }

    /** Returns whether the store's fast path, which can omit rows, returned too few rows. */
    boolean mayMissRows() {
        return filter == null && !hinted && table.select().ofSingleRows() && rows < loads.size();
    }

    void useHint() {
        hinted = true;
    }

    void succeed() {
        if (end()) {
            loads.forEach(Load::succeed);
        }
    }

    void fail(Throwable cause) {
        if (end()) {
            loads.forEach(load -> load.fail(cause));
        }
    }

    boolean end() {
        if (ended) {
            return false;
        }
        ended = true;
        if (watch != null) {
            watch.cancel(false);
        }
        return true;
    }
}
