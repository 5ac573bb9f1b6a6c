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
 * One trip to the store on its way, for one load or several of single rows, with the clock that bounds it. Confined to the event loop of
 * its {@link LoadPool}.
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
    /** Whether it asks past what may miss rows. */
    private boolean certain;

    /** What asks for the rows of a filter line; null for lines under a key prefix. */
    private final @Nullable FilterSelect filter;

    LoadJob(CachedTable table, boolean binary, Load load, @Nullable FilterSelect filter) {
        this.filter = filter;
        this.table = table;
        this.binary = binary;
        this.loads.add(load);
    }

    /**
     * Appends the statement. How many keys it names is a power of two, with the last one named again, so that few statements are
     * prepared.
     */
    void write(byte[] certainty, LoadSelect.ValueWriter values, ByteBuf sql) {
        if (filter != null) {
            filter.write(loads.get(0), values, sql);
            return;
        }
        if (loads.size() == 1) {
            table.select().write(loads.get(0), certain ? certainty : NO_HINT, values, sql);
            return;
        }
        int named = Integer.highestOneBit(2 * loads.size() - 1);
        byte[][] keys = new byte[named][];
        for (int i = 0; i < named; i++) {
            keys[i] = i < loads.size() ? loads.get(i).prefix() : keys[i - 1];
        }
        table.select().write(keys, named, values, sql);
    }

    /** The key of the row that a reader holds, perhaps in the encoder given. */
    KeyEncoder keyOf(RowReader row, KeyEncoder key) {
        if (filter != null) {
            return filter.keyOf(row, binary);
        }
        table.keyOf(row, binary, key);
        return key;
    }

    /** Its trip to the store took so long. */
    void took(long nanos) {
        if (filter == null) {
            table.admission().loadTook(nanos, rows, loads.size());
        } else {
            filter.took(nanos, rows);
        }
    }

    /**
     * Hands a row to every load that asked for it: a write to the row may have come between two of them, and the second one did not
     * join the first.
     *
     * @return whether more rows are wanted
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

    /** Whether a row came that none of several loads asked for. */
    boolean unasked() {
        return unasked;
    }

    boolean ended() {
        return ended;
    }

    /** Names what ends the job if nothing else does. Its end cancels it. */
    void watch(Future<?> clock) {
        watch = clock;
    }

    /** Takes its session away for one more try, on another; false if it had that already. */
    boolean retry() {
        if (retried) {
            return false;
        }
        retried = true;
        session = null;
        return true;
    }

    /** Whether one more load may join: of the same table, in the same format, as long as there are fewer than {@code most}. */
    boolean takes(CachedTable of, boolean inBinary, int most) {
        return table == of && binary == inBinary && loads.size() < most;
    }

    /** Whether it asks for single rows and has fewer of them than were asked for, on a path that may miss rows. */
    boolean mayMissRows() {
        return filter == null && !certain && table.select().ofSingleRows() && rows < loads.size();
    }

    void makeCertain() {
        certain = true;
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
