package org.keyline.rowcache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A lock over the prefixes and tables that one write, or one transaction, can change. The session
 * must close the fence before it sends the write to the store. It must open the fence after the
 * store's reply, and before the client gets the reply. Fences may overlap: rows are open when no
 * fence over them is closed. Thread-safe.
 *
 * <p>When a close returns, all lines of the closed rows are dropped, and no running load of these
 * rows will become a line. Until {@link #open}, reads of these rows find no line and begin no load.
 * {@linkplain OtherCaches Other caches} are notified before the fence opens.
 */
public final class Fence {
    private static final int MAX_ELSEWHERE = 256;
    /** Maximum number of writes whose rows are stored. A further write closes all filter lines. */
    private static final int MAX_KNOWN_ROWS = 64;

    private static final class Closed {
        boolean table;
        /** Whether the writes add rows under keys that the store chooses. */
        boolean adds;

        int unnamed;
        final Set<Slot.Prefix> prefixes = new HashSet<>();
        /** Whether all filter lines of the table are closed. */
        boolean filters;
        /**
         * Rows whose writes close only the filter lines that may contain these rows. The value is
         * whether {@link #wrote} has reported the write.
         */
        final IdentityHashMap<AddedRow, Boolean> rows = new IdentityHashMap<>();
    }

    private final RowCache cache;

    // Guarded by this.
    private final Map<LineTable, Closed> closed = new HashMap<>();
    private boolean all;
    /**
     * The names passed to {@link #elsewhere(Object)}. Beyond {@link #MAX_ELSEWHERE} names,
     * {@link #everywhere} is set instead.
     */
    private Set<Object> elsewhere = Set.of();

    private boolean everywhere;
    /** Whether anything was closed after the last notification of other caches. */
    private boolean pending;
    /** Completes when other caches have applied the last notification; null if none is awaited. */
    private @Nullable CompletionStage<Void> taken;

    Fence(RowCache cache) {
        this.cache = cache;
    }

    /**
     * Closes the prefix with which the key begins, in all row formats. In a table that is cached as
     * ranges, closes the keys that begin with the encoder's cells. Closes the table if the key has
     * fewer cells than the {@linkplain TableOptions#prefixCells() prefix}, or does not fit.
     */
    public void close(LineTable table, KeyEncoder key) {
        closeToAdd(table, key, null);
    }

    /**
     * Closes like {@link #close(LineTable, KeyEncoder)}, for a write that adds or changes only
     * known rows, or does nothing. Must be called for the key of each row. Filter lines that cannot
     * contain such a row continue to answer. All filter lines are dropped when the fence opens,
     * unless {@link #wrote} has reported the write.
     *
     * @param row all rows of the write, passed as the same object for each key; null if unknown
     */
    public synchronized void closeToAdd(LineTable table, KeyEncoder key, @Nullable AddedRow row) {
        if (!key.fits() || key.cells() < Math.max(1, table.options().prefixCells())) {
            close(table);
            return;
        }
        close(table, key.buffer(), 0, table.fencedEnd(key), row);
        table.written(key);
    }

    /**
     * Closes for a write that only adds rows and lets the store choose their remaining key cells.
     * If the encoder has fewer cells than a line's prefix, a line continues to answer reads of a
     * single row that is in the line. When the fence opens, the table's lines are dropped, unless
     * {@link #added} has reported the write. Without that report, any line may lack one of the new
     * rows.
     *
     * @param row the rows; null if unknown
     * @return whether the caller must report the write by {@link #added}
     */
    public synchronized boolean closeForNewRow(LineTable table, KeyEncoder key, @Nullable AddedRow row) {
        table.added(key);
        if (key.cells() >= Math.max(1, table.options().prefixCells())) {
            close(table, key.buffer(), 0, table.fencedEnd(key), row);
            return false;
        }
        pending = true;
        if (all) {
            return false;
        }
        Closed here = closed.computeIfAbsent(table, t -> new Closed());
        if (here.table) {
            return false;
        }
        closeFilters(table, here, row);
        here.unnamed++;
        if (!here.adds) {
            here.adds = true;
            table.closeToAdd();
            closeSuccessor(table);
        }
        return true;
    }

    /** Reports the write of a {@link #closeForNewRow}, whose added keys the caller has closed. */
    public synchronized void added(LineTable table) {
        Closed here = closed.get(table);
        if (here != null && here.unnamed > 0) {
            here.unnamed--;
        }
    }

    /** Closes the lines of all row formats under the prefix. Copies the bytes of the prefix. */
    public synchronized void close(LineTable table, byte[] key, int from, int to) {
        close(table, key, from, to, null);
    }

    private void close(LineTable table, byte[] key, int from, int to, @Nullable AddedRow row) {
        pending = true;
        if (all) {
            return;
        }
        Closed here = closed.computeIfAbsent(table, t -> new Closed());
        if (here.table) {
            return;
        }
        closeFilters(table, here, row);
        Slot.Prefix prefix = table.prefix(key, from, to);
        if (here.prefixes.contains(prefix)) {
            return;
        }
        if (here.prefixes.size() >= cache.options().maxPrefixesPerFence() || !cache.takeClosedPrefix()) {
            close(table);
        } else {
            here.prefixes.add(prefix);
            table.close(prefix);
            closeSuccessor(table);
        }
    }

    public synchronized void close(LineTable table) {
        pending = true;
        if (all) {
            return;
        }
        Closed here = closed.computeIfAbsent(table, t -> new Closed());
        if (!here.table) {
            here.table = true;
            here.unnamed = 0;
            table.close();
            openPrefixes(table, here);
            closeSuccessor(table);
        }
    }

    /**
     * Closes all tables, present and future.
     *
     * @return false if this fence had already closed all tables
     */
    public synchronized boolean closeAll() {
        pending = true;
        if (all) {
            return false;
        }
        all = true;
        cache.closeAll();
        return true;
    }

    /**
     * Undoes a {@link #closeAll} for a write that did not happen, or whose rows another fence
     * closes. Earlier lines answer again, unless another session has written since. Tables and
     * prefixes that this fence closed separately remain closed.
     */
    public synchronized void reopenAll() {
        if (all) {
            all = false;
            cache.reopenAll();
        }
    }

    /**
     * Records a possible write to rows that this cache does not have, but {@linkplain OtherCaches
     * other caches} may have. The other caches are notified when this fence opens. Closes nothing.
     *
     * @param name identifies the rows to the listener
     */
    public synchronized void elsewhere(Object name) {
        if (cache.others().listener() == null) {
            return;
        }
        pending = true;
        if (elsewhere.isEmpty()) {
            elsewhere = new HashSet<>();
        }
        if (elsewhere.size() < MAX_ELSEWHERE) {
            elsewhere.add(name);
        } else {
            everywhere = true;
        }
    }

    /** Returns whether nothing is closed and no notification is due. */
    public synchronized boolean isOpen() {
        return !all && closed.isEmpty() && elsewhere.isEmpty();
    }

    /**
     * Notifies other caches before the fence opens. Called if the client gets a reply while the
     * rows are still closed.
     */
    public synchronized void notifyOthers() {
        notifyOthers(false);
    }

    /**
     * Notifies other caches after a statement in an open transaction. Reports only writes that
     * other sessions see before the transaction ends.
     */
    public synchronized void notifyOthersWithinTransaction() {
        if (pending) {
            notifyOthers(true);
        }
    }

    /**
     * Returns a stage that completes when other caches have applied the notifications since the
     * last call; null if there were none.
     */
    public synchronized @Nullable CompletionStage<Void> taken() {
        CompletionStage<Void> last = taken;
        taken = null;
        return last;
    }

    private void notifyOthers(boolean within) {
        pending = false;
        OtherCaches.Listener listener = cache.others().listener();
        if (listener == null) {
            return;
        }
        if (all || everywhere) {
            listener.everything();
        } else if (!notifySome(listener, within)) {
            return;
        }
        taken = listener.taken();
    }

    /**
     * Notifies the listener of the closed rows and tables, and of the tables of other caches.
     * Returns whether there was anything to report.
     *
     * @param within whether to omit tables whose writes other sessions see only after the commit
     */
    private boolean notifySome(OtherCaches.Listener listener, boolean within) {
        boolean[] any = {!elsewhere.isEmpty()};
        closed.forEach((table, here) -> {
            boolean addedNone = here.adds && !here.table && here.unnamed == 0 && here.prefixes.isEmpty();
            if (addedNone || (within && listener.waitsForCommit(table))) {
                return;
            }
            any[0] = true;
            if (here.table || here.adds) {
                listener.table(table);
            } else {
                listener.rows(
                        table, here.prefixes.stream().map(Slot.Prefix::bytes).toList());
            }
        });
        elsewhere.forEach(listener::elsewhere);
        return any[0];
    }

    /** Opens everything that this fence closed. The next write can close the fence again. */
    public synchronized void open() {
        notifyOthers(false);
        elsewhere = Set.of();
        everywhere = false;
        closed.forEach((table, here) -> {
            if (here.rows.containsValue(false)) {
                closeFilters(table, here, null);
            }
        });
        dropUnnamed();
        openTables();
        if (all) {
            all = false;
            cache.openAll();
        }
    }

    private void dropUnnamed() {
        List<LineTable> unnamed = List.of();
        for (Map.Entry<LineTable, Closed> each : closed.entrySet()) {
            if (each.getValue().unnamed > 0) {
                unnamed = new ArrayList<>(unnamed);
                unnamed.add(each.getKey());
            }
        }
        unnamed.forEach(this::close);
    }

    /**
     * Closes the replacement of a table, because the write affects the replacement's rows, too. If
     * the table is retired and its replacement is not known yet, closes all tables.
     */
    private void closeSuccessor(LineTable table) {
        LineTable successor = table.successor();
        if (successor != null) {
            close(successor);
        } else if (table.isRetired()) {
            closeAll();
        }
    }

    /**
     * Records the end of a write for which {@link #closeToAdd} was called.
     *
     * @param only whether the write changed no other rows; if false, all filter lines are closed
     */
    public synchronized void wrote(AddedRow row, boolean only) {
        closed.forEach((table, here) -> {
            if (here.rows.replace(row, true) != null && !only) {
                closeFilters(table, here, null);
            }
        });
    }

    /** @param row the written rows; null to close all filter lines */
    private static void closeFilters(LineTable table, Closed here, @Nullable AddedRow row) {
        if (here.filters) {
            return;
        }
        if (row == null || (here.rows.size() == MAX_KNOWN_ROWS && !here.rows.containsKey(row))) {
            here.filters = true;
            table.closeFilters(null);
        } else if (here.rows.putIfAbsent(row, false) == null) {
            table.closeFilters(row);
        }
    }

    private void openTables() {
        closed.forEach((table, here) -> {
            openPrefixes(table, here);
            if (here.table) {
                table.open();
            }
        });
        closed.clear();
    }

    private void openPrefixes(LineTable table, Closed here) {
        here.prefixes.forEach(table::open);
        cache.returnClosedPrefixes(here.prefixes.size());
        here.prefixes.clear();
        if (here.adds) {
            here.adds = false;
            table.openToAdd();
        }
        here.rows.keySet().forEach(table::openFilters);
        here.rows.clear();
        if (here.filters) {
            here.filters = false;
            table.openFilters(null);
        }
    }
}
