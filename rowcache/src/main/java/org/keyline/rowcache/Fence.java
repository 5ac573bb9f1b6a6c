package org.keyline.rowcache;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What one write, or one transaction, keeps closed: prefixes, tables, or everything. To be closed before the write is sent to
 * the store, and opened after the store answered and before the client hears of it. Fences of different writers overlap
 * freely: rows are open again when the last one is. Thread-safe.
 *
 * <p>When a close returns, lines there are dropped, loads there will not be published, and until {@link #open} reads there
 * find nothing and begin no load. {@linkplain OtherCaches Other caches} are told of what was closed before it opens.
 */
public final class Fence {
    private static final int MAX_ELSEWHERE = 256;

    /** What is closed of one table: all of it, or some prefixes. */
    private static final class Closed {
        boolean table;
        final Set<Slot.Prefix> prefixes = new HashSet<>();
    }

    private final RowCache cache;

    // Guarded by this.
    private final Map<LineTable, Closed> closed = new HashMap<>();
    private boolean all;
    /** Names of what is not kept here; if there were too many, everywhere. */
    private Set<Object> elsewhere = Set.of();

    private boolean everywhere;
    /** Whether something was closed since other caches were told. */
    private boolean untold;
    /** Ends when other caches have taken what they were told last; null: that need not be waited for. */
    private @Nullable CompletionStage<Void> taken;
    /** What the one write may put back that this fence is closed for. */
    private @Nullable Patch patch;
    /** The row that the one write adds that this fence is closed for, while it changes no other. */
    private @Nullable AddedRow added;

    /** Whether it is known that the write did that. */
    private boolean addedSurely;

    Fence(RowCache cache) {
        this.cache = cache;
    }

    /**
     * Closes the line that the key's first cells name, for all row formats; of a table that is kept as ranges, the keys that begin with those
     * cells. A key with fewer cells than the table's
     * {@linkplain TableOptions#prefixCells() prefix} may touch many lines, so it closes the table; so does one that does
     * not fit.
     */
    public void close(LineTable table, KeyEncoder key) {
        if (key.fits() && key.cells() > 0 && key.cells() >= table.options().prefixCells()) {
            close(table, key.buffer(), 0, table.fencedEnd(key));
            table.written(key);
        } else {
            close(table);
        }
    }

    /**
     * The same for a write that changes the one row of the key and nothing else, and is alone in this fence: where its outcome is known, it
     * may put the lines back that it drops, by {@link Patch#row} before {@link #open}.
     *
     * @return null where there is nothing to put back, or other writes are in the fence
     */
    public synchronized @Nullable Patch closeToPatch(LineTable table, KeyEncoder key) {
        int prefixCells = table.options().prefixCells();
        boolean alone = !all && closed.isEmpty();
        if (!alone || table.isRanged() || !key.fits() || key.cells() < prefixCells) {
            close(table, key);
            return null;
        }
        byte[] bytes = key.buffer();
        int to = key.cellEnd(prefixCells);
        Patch taking = new Patch(table, table.prefix(bytes, 0, to), Arrays.copyOfRange(bytes, to, key.length()));
        close(table, bytes, 0, to, taking, null);
        table.written(key);
        patch = taking.isEmpty() ? null : taking;
        return patch;
    }

    /**
     * The same as {@link #close(LineTable, KeyEncoder)} for a write that adds the one row of the key and changes no other, or does nothing,
     * and is alone in this fence until it opens: filter lines that the row cannot come into go on. When the fence opens all of them are
     * over, unless {@link #addedSurely} was said before.
     */
    public synchronized void closeToAdd(LineTable table, KeyEncoder key, AddedRow row) {
        boolean alone = !all && closed.isEmpty();
        if (!alone
                || table.filters() == null
                || !key.fits()
                || key.cells() < Math.max(1, table.options().prefixCells())) {
            close(table, key);
            return;
        }
        close(table, key.buffer(), 0, table.fencedEnd(key), null, row);
        table.written(key);
    }

    /** Whatever was to be put back stays out: what the write did is not certain. */
    public synchronized void dropPatch() {
        patch = null;
    }

    /** Closes the line under the prefix {@code key[from..to)}, for all row formats; the bytes are copied. */
    public synchronized void close(LineTable table, byte[] key, int from, int to) {
        close(table, key, from, to, null, null);
    }

    private void close(LineTable table, byte[] key, int from, int to, @Nullable Patch taking, @Nullable AddedRow row) {
        patch = null;
        closeFilters();
        untold = true;
        if (all) {
            return;
        }
        Closed here = closed.computeIfAbsent(table, t -> new Closed());
        Slot.Prefix prefix = table.prefix(key, from, to);
        if (here.table || here.prefixes.contains(prefix)) {
            return;
        }
        if (here.prefixes.size() >= cache.options().maxPrefixesPerFence() || !cache.takeClosedPrefix()) {
            close(table);
        } else {
            here.prefixes.add(prefix);
            added = row;
            addedSurely = false;
            table.close(prefix, taking, row);
            closeSuccessor(table);
        }
    }

    /** Closes a whole table. */
    public synchronized void close(LineTable table) {
        patch = null;
        closeFilters();
        untold = true;
        if (all) {
            return;
        }
        Closed here = closed.computeIfAbsent(table, t -> new Closed());
        if (!here.table) {
            here.table = true;
            table.close();
            openPrefixes(table, here);
            closeSuccessor(table);
        }
    }

    /**
     * Closes all tables, and those that come to be.
     *
     * @return false if they were closed by this fence before
     */
    public synchronized boolean closeAll() {
        patch = null;
        closeFilters();
        untold = true;
        if (all) {
            return false;
        }
        all = true;
        cache.closeAll();
        return true;
    }

    /**
     * Undoes a {@link #closeAll} for a write that did not come to be, as is now known: lines that were there before answer again, where
     * nobody else wrote meanwhile. What was closed before it stays closed.
     */
    public synchronized void reopenAll() {
        if (all) {
            all = false;
            cache.reopenAll();
        }
    }

    /**
     * The write may change rows that are not kept here, but perhaps in {@linkplain OtherCaches other caches}: they are told when this
     * fence opens; nothing is closed for them.
     *
     * @param name by which the listener knows them
     */
    public synchronized void elsewhere(Object name) {
        if (cache.others().listener() == null) {
            return;
        }
        untold = true;
        if (elsewhere.isEmpty()) {
            elsewhere = new HashSet<>();
        }
        if (elsewhere.size() < MAX_ELSEWHERE) {
            elsewhere.add(name);
        } else {
            everywhere = true;
        }
    }

    /** Whether nothing is closed, and nobody has to be told of anything. */
    public synchronized boolean isOpen() {
        return !all && closed.isEmpty() && elsewhere.isEmpty();
    }

    /** Tells other caches of what stays closed: some of it was written, and who wrote it hears of that before the fence opens. */
    public synchronized void tell() {
        tell(false);
    }

    /**
     * The same when a statement was answered in a transaction that is still open: of what does not wait for its end, and of nothing if
     * nothing was closed since.
     */
    public synchronized void tellWithinTransaction() {
        if (untold) {
            tell(true);
        }
    }

    /** Ends when other caches have taken all that this told since it was asked before; null: nobody has to wait for them. */
    public synchronized @Nullable CompletionStage<Void> taken() {
        CompletionStage<Void> told = taken;
        taken = null;
        return told;
    }

    private void tell(boolean within) {
        untold = false;
        OtherCaches.Listener listener = cache.others().listener();
        if (listener == null) {
            return;
        }
        if (all || everywhere) {
            listener.everything();
        } else if (!tellSome(listener, within)) {
            return;
        }
        taken = listener.taken();
    }

    /** Whether there was anything to be told. */
    private boolean tellSome(OtherCaches.Listener listener, boolean within) {
        boolean[] told = {!elsewhere.isEmpty()};
        closed.forEach((table, here) -> {
            if (within && listener.waitsForCommit(table)) {
                return;
            }
            told[0] = true;
            if (here.table) {
                listener.table(table);
            } else {
                listener.rows(
                        table, here.prefixes.stream().map(Slot.Prefix::bytes).toList());
            }
        });
        elsewhere.forEach(listener::elsewhere);
        return told[0];
    }

    /** Opens all that this fence closed. It can be closed again, for the next write; opening an open fence does nothing. */
    public synchronized void open() {
        tell(false);
        elsewhere = Set.of();
        everywhere = false;
        if (!addedSurely) {
            closeFilters();
        }
        openTables();
        if (all) {
            all = false;
            cache.openAll();
        }
    }

    /**
     * A write that still knows the table by its former definition reaches the rows of the new one; where that is not here yet,
     * it may be any that comes.
     */
    private void closeSuccessor(LineTable table) {
        LineTable successor = table.successor();
        if (successor != null) {
            close(successor);
        } else if (table.isRetired()) {
            closeAll();
        }
    }

    /** The write has added the row that this fence is closed for, as it was said to be, and has done nothing else. */
    public synchronized void addedSurely() {
        addedSurely = true;
    }

    /** More is written than the one row, or perhaps another: all filter lines of its table are closed. */
    private void closeFilters() {
        AddedRow row = added;
        added = null;
        if (row != null) {
            closed.forEach((table, here) -> table.closeAllFilters(row));
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
        patch = null;
        added = null;
    }

    private void openPrefixes(LineTable table, Closed here) {
        here.prefixes.forEach(
                prefix -> table.open(prefix, patch != null && patch.isOf(table, prefix) ? patch : null, added));
        cache.returnClosedPrefixes(here.prefixes.size());
        here.prefixes.clear();
    }
}
