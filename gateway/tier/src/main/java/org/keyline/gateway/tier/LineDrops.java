package org.keyline.gateway.tier;

import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.CachedTables;
import org.keyline.rowcache.LineTable;

/** Drops lines when other gateways report writes. Thread-safe. */
final class LineDrops implements Peers.Listener {
    private final CachedTables tables;

    LineDrops(CachedTables tables) {
        this.tables = tables;
    }

    @Override
    public void drop(Drop drop) {
        if (drop instanceof Drop.Rows rows) {
            CachedTable known = tables.known(rows.table());
            if (known == null) {
                return;
            }
            // If the sender has another definition of the table, its key bytes have no meaning
            // here, so all lines of the table are dropped.
            if (known.origin().definitionHash() == rows.definition()) {
                known.lines().flush(rows.key(), 0, rows.key().length);
            } else {
                known.lines().flush();
            }
        } else if (drop instanceof Drop.Table table) {
            LineTable lines = tables.lines(table.table());
            if (lines != null) {
                lines.flush();
            }
        } else {
            tables.cache().flush();
        }
    }

    @Override
    public void freshUpTo(long asOfNanos) {
        tables.cache().others().extendFreshness(asOfNanos);
    }
}
