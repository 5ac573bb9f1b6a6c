package org.keyline.gateway.change;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.CachedTables;
import org.keyline.planner.Catalog;
import org.keyline.planner.Effect;
import org.keyline.planner.KeyPart;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.rowcache.AddedRow;
import org.keyline.rowcache.Fence;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.Patch;

/** Closes the fences that a write needs before it may be forwarded. Confined to one event loop. */
public final class Fences {
    private final CachedTables tables;
    private final Catalog catalog;
    private final boolean writeThrough;
    private final boolean soleWriter;
    private final boolean insertsAdd;
    private final KeyEncoder key = new KeyEncoder();

    /**
     * @param writeThrough whether writes with exact rows patch lines
     * @param soleWriter whether nobody writes past the gateway
     * @param insertsAdd whether an INSERT never changes an existing row
     */
    public Fences(CachedTables tables, Catalog catalog, boolean writeThrough, boolean soleWriter, boolean insertsAdd) {
        this.insertsAdd = insertsAdd;
        this.tables = tables;
        this.catalog = catalog;
        this.writeThrough = writeThrough;
        this.soleWriter = soleWriter;
    }

    /** Returns a fence over nothing yet, for a session's writes. */
    public Fence fence() {
        return tables.cache().fence();
    }

    /**
     * Returns whether any table's definition may differ from the known one, because a statement
     * that may change it is not completed.
     */
    public boolean closedToAll() {
        return tables.cache().isClosed();
    }

    /** Closes everything that a statement may write; {@code values} are those of its slots. */
    public void close(Fence fence, Effect effect, SlotValues values) {
        if (effect instanceof Effect.Rows rows) {
            closeRows(fence, rows, values);
        } else if (effect instanceof Effect.Tables named) {
            for (TableName name : named.tables()) {
                closeTable(fence, name);
            }
        } else if (effect instanceof Effect.Everything) {
            fence.closeAll();
        }
    }

    /**
     * Closes the fence of a single statement outside transactions.
     *
     * @return to be notified of the reply before the fence opens, so that it can restore dropped
     *     lines or leave filter lines in place; null if not needed
     */
    public @Nullable WriteThrough closeAlone(Fence fence, Effect effect, SlotValues values) {
        if (writeThrough
                && effect instanceof Effect.Rows rows
                && !rows.assigned().isEmpty()) {
            CachedTable table = tables.of(rows.table());
            CellChange change = table == null ? null : CellChange.of(table, rows.assigned(), values);
            if (table != null && change != null && table.bind(rows.prefixes().get(0), values, key)) {
                Patch patch = fence.closeToPatch(table.lines(), key);
                return patch == null ? null : WriteThrough.of(table, fence, patch, change, soleWriter);
            }
        }
        CachedTable table = effect instanceof Effect.Rows rows ? tables.of(rows.table()) : null;
        if (insertsAdd && table != null && table.lines().filters() != null && effect instanceof Effect.Rows rows) {
            AddedRow row = row(table, rows, values);
            if (row != null) {
                fence.closeToAdd(table.lines(), key, row);
                return WriteThrough.ofRow(table, fence, rows.changed() == null ? 1 : 0);
            }
        }
        close(fence, effect, values);
        return null;
    }

    /**
     * Returns the one row that a statement adds or changes, and puts its key into the encoder; null
     * if that is not exact.
     */
    private @Nullable AddedRow row(CachedTable table, Effect.Rows rows, SlotValues values) {
        boolean one = rows.prefixes().size() == 1 && (!rows.added().isEmpty() || rows.changed() != null);
        if (!one || !table.bind(rows.prefixes().get(0), values, key)) {
            return null;
        }
        if (rows.changed() == null) {
            return NewRow.of(table, rows.added(), values);
        }
        return key.cells() == table.schema().keyColumns().size()
                ? new WrittenRow(key.toBytes(), rows.changed(), NewRow.of(table, rows.assigned(), values))
                : null;
    }

    private void closeRows(Fence fence, Effect.Rows rows, SlotValues values) {
        CachedTable table = tables.of(rows.table());
        if (table == null) {
            TableName name = rows.table().name();
            closeTable(fence, name);
            TableSchema current = catalog.table(name.schema(), name.table());
            if (current == null || current.id() != rows.table().id()) {
                // The plan's table is currently unknown: it may return while the write runs.
                fence.closeAll();
            }
            return;
        }
        for (List<KeyPart> tuple : rows.prefixes()) {
            if (!table.bind(tuple, values, key)) {
                fence.close(table.lines());
                return;
            }
            fence.close(table.lines(), key);
        }
    }

    /**
     * A table that never had lines has none to drop. But it may get some while the write runs, here
     * or in another gateway, so it must be closed now.
     */
    private void closeTable(Fence fence, TableName name) {
        CachedTable known = tables.known(name);
        if (known != null) {
            fence.close(known.lines());
        }
        TableSchema schema = catalog.known(name.schema(), name.table());
        CachedTable current = schema == null ? null : tables.of(schema);
        if (current != null && current != known) {
            fence.close(current.lines());
        }
        if (known == null && current == null) {
            fence.elsewhere(name);
        }
    }
}
