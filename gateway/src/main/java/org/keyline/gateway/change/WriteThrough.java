package org.keyline.gateway.change;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;
import org.keyline.gateway.table.CachedTable;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.rowcache.Fence;
import org.keyline.rowcache.Patch;

/**
 * A write by the key of a row, whose new row is exact if the store's reply is as expected. Then the
 * row's lines are patched, or filter lines without the row are left in place. Confined to one event
 * loop.
 */
public final class WriteThrough {
    private static final int NOT_ALONE = ServerStatus.SERVER_STATUS_IN_TRANS | ServerStatus.SERVER_MORE_RESULTS_EXISTS;

    private final CachedTable table;
    private final Fence fence;
    /** Null if the fence is closed for filter lines. */
    private final @Nullable Patch patch;

    private final @Nullable CellChange change;
    private final boolean several;
    /** Minimum rows that the store must report. */
    private final int fewestRows;

    private WriteThrough(
            CachedTable table,
            Fence fence,
            @Nullable Patch patch,
            @Nullable CellChange change,
            boolean several,
            int fewestRows) {
        this.fewestRows = fewestRows;
        this.table = table;
        this.fence = fence;
        this.patch = patch;
        this.change = change;
        this.several = several;
    }

    /** Creates the change of an existing row. */
    static WriteThrough of(CachedTable table, Fence fence, Patch patch, CellChange change, boolean several) {
        return new WriteThrough(table, fence, patch, change, several, 1);
    }

    /**
     * Creates the addition or change of a row for which the fence is closed.
     *
     * @param fewestRows minimum rows that the store must report
     */
    static WriteThrough ofRow(CachedTable table, Fence fence, int fewestRows) {
        return new WriteThrough(table, fence, null, null, false, fewestRows);
    }

    /**
     * Receives the store's reply while the fence is still closed: if the row is exact, the lines
     * return when it opens.
     *
     * @return how many lines return
     */
    public int received(ReplySummary reply) {
        Patch back = patch;
        CellChange cells = change;
        boolean certain = isCertain(reply);
        if (back == null || cells == null) {
            if (certain) {
                fence.addedSurely();
            }
            return 0;
        }
        if (certain) {
            back.row(cells, several);
        }
        return back.lines().size();
    }

    /** Returns whether only this row was written, without warnings, and the write is committed. */
    private boolean isCertain(ReplySummary reply) {
        return reply.error() == null
                && reply.results() == 1
                && reply.columnCount() == 0
                && reply.affectedRows() >= fewestRows
                && reply.affectedRows() <= 1
                && reply.warnings() == 0
                && reply.hasStatus()
                && (reply.status() & ServerStatus.SERVER_STATUS_AUTOCOMMIT) != 0
                && (reply.status() & NOT_ALONE) == 0;
    }

    /** Returns the table of the row. */
    public CachedTable table() {
        return table;
    }

    /** Returns the lines as they return, or have returned. */
    public Patch patch() {
        return requireNonNull(patch, "no line is patched");
    }
}
