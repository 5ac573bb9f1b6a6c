package org.keyline.gateway.change;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.table.CachedTable;
import org.keyline.planner.Effect;
import org.keyline.planner.TableName;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.rowcache.AddedRow;
import org.keyline.rowcache.Fence;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.KeyReader;
import org.keyline.rowcache.Patch;

/**
 * A write by the keys of its rows. If the store's reply is as expected, the new rows are exact.
 * Then the lines of these rows are patched, and filter lines without them stay in place. Confined
 * to one event loop.
 */
public final class WriteThrough {
    /**
     * The new cells of one row, which are written into its dropped lines.
     *
     * @param several whether lines of several rows are patched
     */
    record Cells(Patch patch, CellChange change, boolean several) {}

    private final CachedTable table;
    private final Fence fence;
    private final Effect.Rows rows;
    /** The rows that the fence covers; null if it covers all filter lines. */
    private final @Nullable AddedRow row;

    private final @Nullable Cells cells;
    /** The key of the rows that it adds, up to the cell that the store numbers; null if it numbers none. */
    private byte @Nullable [] numbered;

    WriteThrough(CachedTable table, Fence fence, Effect.Rows rows, @Nullable AddedRow row, @Nullable Cells cells) {
        this.table = table;
        this.fence = fence;
        this.rows = rows;
        this.row = row;
        this.cells = cells;
    }

    /** Sets the key of the rows that it adds, up to the cell that the store numbers. */
    WriteThrough numbers(KeyEncoder key) {
        numbered = key.toBytes();
        return this;
    }

    /** Returns the table to which it adds rows that the store numbers; null if it does not. */
    public @Nullable TableName numberedTable() {
        return numbered == null ? null : rows.table().name();
    }

    /**
     * Receives the store's reply while the fence is still closed. If the rows are exact, the
     * dropped lines return when the fence opens.
     *
     * @param numbers of all rows that the reply returns; empty if unknown
     * @return how many lines return
     */
    public int received(ReplySummary reply, List<Long> numbers) {
        if (numbered != null) {
            reportNumbers(numbered, reply, numbers);
        }
        boolean asSent = isAsSent(reply);
        if (row != null) {
            fence.wrote(row, asSent);
        }
        if (cells == null) {
            return 0;
        }
        if (asSent && isCommitted(reply) && reply.affectedRows() == 1) {
            cells.patch.row(cells.change, cells.several);
        }
        return cells.patch.lines().size();
    }

    /** Reports the keys of the added rows to the fence, if the reply says which they are. */
    private void reportNumbers(byte[] begin, ReplySummary reply, List<Long> numbers) {
        boolean oneRow = rows.prefixes().size() == 1;
        ErrPacket error = reply.error();
        if (error != null) {
            // Of several rows, an engine without transactions may keep the first ones.
            if (oneRow && error.code() == ErrorCode.ER_DUP_ENTRY.number()) {
                fence.added(table.lines());
            }
            return;
        }
        if (reply.results() != 1 || !reply.hasStatus()) {
            return;
        }
        if (reply.columnCount() > 0) {
            report(begin, numbers);
        } else if (reply.affectedRows() == 0) {
            fence.added(table.lines());
        } else if (reply.affectedRows() == 1 && oneRow) {
            report(begin, List.of(reply.lastInsertId()));
        }
    }

    /** @param numbers of all added rows; empty if unknown */
    private void report(byte[] begin, List<Long> numbers) {
        for (long number : numbers) {
            KeyEncoder key = new KeyEncoder();
            key.cells(begin, 0, begin.length, new KeyReader().wrap(begin, 0, begin.length));
            if (number < 0 || !table.number(number, key)) {
                return;
            }
            fence.close(table.lines(), key);
        }
        if (!numbers.isEmpty()) {
            fence.added(table.lines());
        }
    }

    /** Returns whether the store has written these rows only, without warnings. */
    private boolean isAsSent(ReplySummary reply) {
        int named = rows.prefixes().size();
        boolean overwrites = !rows.added().isEmpty() && rows.changed() != null;
        return reply.error() == null
                && reply.results() == 1
                && reply.columnCount() == 0
                && reply.affectedRows() >= (rows.changed() == null ? 1 : 0)
                && reply.affectedRows() <= (overwrites ? 2 * named : named)
                && reply.warnings() == 0
                && reply.hasStatus()
                && (reply.status() & ServerStatus.SERVER_MORE_RESULTS_EXISTS) == 0;
    }

    private static boolean isCommitted(ReplySummary reply) {
        return (reply.status() & ServerStatus.SERVER_STATUS_AUTOCOMMIT) != 0
                && (reply.status() & ServerStatus.SERVER_STATUS_IN_TRANS) == 0;
    }

    /** Returns the table of the row. */
    public CachedTable table() {
        return table;
    }

    /** Returns the patched lines. */
    public Patch patch() {
        return requireNonNull(cells, "no line is patched").patch;
    }
}
