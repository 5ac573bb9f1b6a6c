package org.keyline.gateway.change;

import org.keyline.gateway.table.CachedTable;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.rowcache.Patch;

/** One write by the key of a row, whose new row is known if the store's reply is the one that it should be. Confined to one event loop. */
public final class WriteThrough {
    private static final int NOT_ALONE = ServerStatus.SERVER_STATUS_IN_TRANS | ServerStatus.SERVER_MORE_RESULTS_EXISTS;

    private final CachedTable table;
    private final Patch patch;
    private final CellChange change;
    private final boolean several;

    WriteThrough(CachedTable table, Patch patch, CellChange change, boolean several) {
        this.table = table;
        this.patch = patch;
        this.change = change;
        this.several = several;
    }

    /**
     * The store has answered, and the fence is still closed: if the row is certain, the lines go back when it opens.
     *
     * @return how many lines are to go back
     */
    public int told(ReplySummary reply) {
        if (isCertain(reply)) {
            patch.row(change, several);
        }
        return patch.lines().size();
    }

    /** Exactly one row was found, nothing about it is to be said, and it is committed. */
    private static boolean isCertain(ReplySummary reply) {
        return reply.error() == null
                && reply.results() == 1
                && reply.columnCount() == 0
                && reply.affectedRows() == 1
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
        return patch;
    }
}
