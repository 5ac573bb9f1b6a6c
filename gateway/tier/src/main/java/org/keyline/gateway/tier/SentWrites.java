package org.keyline.gateway.tier;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.table.CachedTables;
import org.keyline.gateway.table.TableOrigin;
import org.keyline.planner.TableName;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.OtherCaches;

/** Reports the writes that complete at this gateway to the other gateways. Thread-safe. */
final class SentWrites implements OtherCaches.Listener {
    /** If a write changes more prefixes of a table than this, the whole table counts as changed. */
    private static final int MAX_ROWS = 100;

    private final CachedTables tables;
    private final PeerLink link;

    SentWrites(CachedTables tables, PeerLink link) {
        this.tables = tables;
        this.link = link;
    }

    @Override
    public void rows(LineTable table, List<byte[]> prefixes) {
        TableOrigin origin = tables.origin(table);
        if (origin == null) {
            everything();
        } else if (prefixes.size() > MAX_ROWS) {
            elsewhere(origin.name());
        } else {
            prefixes.forEach(prefix -> link.wrote(new Drop.Rows(origin.name(), origin.definitionHash(), prefix)));
        }
    }

    @Override
    public void table(LineTable table) {
        TableOrigin origin = tables.origin(table);
        if (origin == null) {
            everything();
        } else {
            elsewhere(origin.name());
        }
    }

    @Override
    public void everything() {
        link.wrote(new Drop.Everything());
    }

    @Override
    public void elsewhere(Object name) {
        if (name instanceof TableName table) {
            link.wrote(new Drop.Table(table));
        } else {
            everything();
        }
    }

    @Override
    public @Nullable CompletionStage<Void> taken() {
        return link.taken();
    }

    @Override
    public boolean waitsForCommit(LineTable table) {
        TableOrigin origin = tables.origin(table);
        return origin != null && origin.hasSnapshots();
    }
}
