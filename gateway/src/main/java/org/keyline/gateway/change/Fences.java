package org.keyline.gateway.change;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.CachedTables;
import org.keyline.planner.Assignment;
import org.keyline.planner.Catalog;
import org.keyline.planner.Effect;
import org.keyline.planner.KeyPart;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.rowcache.AddedRow;
import org.keyline.rowcache.Fence;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.Patch;

/**
 * Closes the fences that a write needs before the session may forward it. Confined to one event
 * loop.
 */
public final class Fences {
    /** A statement with more rows closes all filter lines of its table. */
    private static final int MAX_EXACT_ROWS = 100;

    private final CachedTables tables;
    private final Catalog catalog;
    private final boolean writeThrough;
    private final boolean soleWriter;
    private final boolean insertsAdd;
    private final KeyEncoder key = new KeyEncoder();

    /**
     * @param writeThrough whether writes with exact rows patch lines
     * @param soleWriter whether all writes pass through the gateway
     * @param insertsAdd whether an INSERT never changes an existing row
     */
    public Fences(CachedTables tables, Catalog catalog, boolean writeThrough, boolean soleWriter, boolean insertsAdd) {
        this.insertsAdd = insertsAdd;
        this.tables = tables;
        this.catalog = catalog;
        this.writeThrough = writeThrough;
        this.soleWriter = soleWriter;
    }

    /** Creates an empty fence for a session's writes. */
    public Fence fence() {
        return tables.cache().fence();
    }

    /**
     * Returns whether the definition of any table may differ from the known one. A statement in
     * progress may be changing it.
     */
    public boolean closedToAll() {
        return tables.cache().isClosed();
    }

    /**
     * Closes everything that a statement may write.
     *
     * @param values the values of the statement's slots
     */
    public void close(Fence fence, Effect effect, SlotValues values) {
        if (effect instanceof Effect.Rows rows) {
            closeRows(fence, rows, values, null);
        } else if (effect instanceof Effect.Tables named) {
            for (TableName name : named.tables()) {
                closeTable(fence, name);
            }
        } else if (effect instanceof Effect.Everything) {
            fence.closeAll();
        }
    }

    /**
     * Closes the fence of a statement whose values are exact.
     *
     * @param alone whether the statement is a transaction of its own
     * @return a listener for the reply; null if not needed. Before the fence opens, it can restore
     *     dropped lines or leave filter lines in place
     */
    public @Nullable WriteThrough closeExact(Fence fence, Effect effect, SlotValues values, boolean alone) {
        CachedTable table = effect instanceof Effect.Rows rows ? tables.of(rows.table()) : null;
        if (table == null || !(effect instanceof Effect.Rows rows)) {
            close(fence, effect, values);
            return null;
        }
        AddedRow row = insertsAdd && table.lines().filters() != null ? row(table, rows, values) : null;
        boolean patches = writeThrough
                && alone
                && rows.prefixes().size() == 1
                && !rows.assigned().isEmpty();
        CellChange change = patches ? CellChange.of(table, rows.assigned(), values) : null;
        if (change != null && table.bind(rows.prefixes().get(0), values, key)) {
            Patch patch = fence.closeToPatch(table.lines(), key, row);
            WriteThrough.Cells cells = patch == null ? null : new WriteThrough.Cells(patch, change, soleWriter);
            return cells == null && row == null ? null : new WriteThrough(table, fence, rows, row, cells);
        }
        boolean alike = rows.prefixes().size() == 1 || rows.table().autoIncrementPosition() == 0;
        boolean numbered = insertsAdd && alike && isNumbered(rows, values);
        if (numbered && table.bind(given(rows.prefixes().get(0), rows), values, key)) {
            if (fence.closeForNewRow(table.lines(), key, row)) {
                return new WriteThrough(table, fence, rows, row, null).numbers(key);
            }
        } else {
            closeRows(fence, rows, values, row);
        }
        return row == null ? null : new WriteThrough(table, fence, rows, row, null);
    }

    /** Returns the part of a tuple before the cell that the store numbers. */
    private static List<KeyPart> given(List<KeyPart> tuple, Effect.Rows rows) {
        return tuple.subList(0, rows.table().autoIncrementPosition());
    }

    /** Returns whether the store may number a row that a statement only adds. */
    private boolean isNumbered(Effect.Rows rows, SlotValues values) {
        int number = rows.onlyAdds() ? rows.table().autoIncrementPosition() : -1;
        for (List<KeyPart> tuple : rows.prefixes()) {
            if (number >= 0 && (tuple.size() <= number || !insertsAdd || !isNumber(tuple.get(number), values))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isNumber(KeyPart given, SlotValues values) {
        return values.kind(given.slot()) == SlotValues.Kind.INTEGER && values.integer(given.slot()) != 0;
    }

    /** Returns the rows that a statement adds or changes; null if they are not exact. */
    private @Nullable AddedRow row(CachedTable table, Effect.Rows rows, SlotValues values) {
        Set<Integer> changed = rows.changed();
        if (rows.prefixes().size() > MAX_EXACT_ROWS
                || (changed == null && rows.added().isEmpty())
                || (changed != null && !rows.namesRows())) {
            return null;
        }
        List<AddedRow> all = new ArrayList<>();
        for (List<Assignment> cells : rows.added()) {
            all.add(NewRow.of(table, cells, values));
        }
        if (changed != null) {
            List<byte[]> keys = new ArrayList<>();
            for (List<KeyPart> tuple : rows.prefixes()) {
                if (!table.bind(tuple, values, key)) {
                    return null;
                }
                keys.add(key.toBytes());
            }
            all.add(new ChangedKeys(keys, changed, NewRow.of(table, rows.assigned(), values)));
        }
        return AddedRow.anyOf(all);
    }

    /** @param row all rows of the write; null if they are not exact */
    private void closeRows(Fence fence, Effect.Rows rows, SlotValues values, @Nullable AddedRow row) {
        CachedTable table = tables.of(rows.table());
        if (table == null) {
            TableName name = rows.table().name();
            closeTable(fence, name);
            TableSchema current = catalog.table(name.schema(), name.table());
            if (current == null || current.id() != rows.table().id()) {
                // The plan's table is unknown at the moment, but may become known again while the
                // write runs.
                fence.closeAll();
            }
            return;
        }
        boolean numbered = isNumbered(rows, values);
        for (List<KeyPart> named : rows.prefixes()) {
            List<KeyPart> tuple = numbered ? given(named, rows) : named;
            if (tuple.isEmpty() || !table.bind(tuple, values, key)) {
                fence.close(table.lines());
                return;
            }
            fence.closeToAdd(table.lines(), key, row);
        }
    }

    /**
     * A table that never had lines has none to drop. But a gateway may load some while the write
     * runs, so the fence must close the table now.
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
