package org.keyline.gateway.change;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;
import org.keyline.gateway.table.CachedTable;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.rowcache.Fence;
import org.keyline.rowcache.Patch;

/**
 * One write by the key of a row, whose new row is known if the store's reply is the one that it should be: lines that have the row are
 * patched, or filter lines that the row is not in stay. Confined to one event loop.
 */
public final class WriteThrough {
    private static final int NOT_ALONE = ServerStatus.SERVER_STATUS_IN_TRANS | ServerStatus.SERVER_MORE_RESULTS_EXISTS;

    private final CachedTable table;
    private final Fence fence;
    /** Null where the fence is closed for filter lines. */
    private final @Nullable Patch patch;

    private final @Nullable CellChange change;
    private final boolean several;
    /** Rows that the store has to report, at least. */
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

    /** A row that is there changes. */
    static WriteThrough of(CachedTable table, Fence fence, Patch patch, CellChange change, boolean several) {
        return new WriteThrough(table, fence, patch, change, several, 1);
    }

    /**
     * A row is added or changed, for which the fence is closed.
     *
     * @param fewestRows rows that the store has to report, at least
     */
    static WriteThrough ofRow(CachedTable table, Fence fence, int fewestRows) {
        return new WriteThrough(table, fence, null, null, false, fewestRows);
    }

    /**
     * The store has answered, and the fence is still closed: if the row is certain, the lines go back when it opens.
     *
     * @return how many lines are to go back
     */
    public int told(ReplySummary reply) {
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

    /** No more than the one row was written, the store warns of nothing, and the write is committed. */
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

    /** The table of the row. */
    public CachedTable table() {
        return table;
    }

    /** The lines as they are to go back, or were put back. */
    public Patch patch() {
        return requireNonNull(patch, "no line is patched");
    }
}
