package org.keyline.gateway.change;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
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
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.rowcache.AddedRow;
import org.keyline.rowcache.Fence;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.KeyReader;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.RowCache;

/** Closes and opens a session's {@link Fence}; no other class does. Confined to one event loop. */
public final class Fencing {
    /*
     * Before the session sends a write, the fence closes over the write's rows and drops their
     * lines. If the store's reply does not show that exactly these rows were written, more lines
     * are dropped. The fence opens before the client gets the end of the reply. In a transaction,
     * it opens after the transaction's end, because other sessions see the rows only then.
     */

    /** A write of more rows than this drops all filter lines of its table. */
    private static final int MAX_EXACT_ROWS = 100;

    /**
     * The objects that the sessions of one event loop share.
     *
     * @param insertsAdd whether an INSERT never changes an existing row
     */
    public record Shared(CachedTables tables, Catalog catalog, KeyEncoder key, boolean insertsAdd) {
        public Fencing session() {
            return new Fencing(this);
        }

        /** Closes a fence over all tables until {@link Doubt#ends}. */
        public Doubt doubt() {
            return new Doubt(tables.cache());
        }
    }

    /** A fence over all tables while the writes of a statement are unknown. Thread-safe. */
    public static final class Doubt {
        private final Fence fence;

        private Doubt(RowCache cache) {
            fence = cache.fence();
            fence.closeAll();
        }

        /**
         * Opens the fence.
         *
         * @param harmless whether nothing was written, so that earlier lines answer again
         */
        public void ends(boolean harmless) {
            if (harmless) {
                fence.reopenAll();
            } else {
                fence.open();
            }
        }
    }

    private final Shared shared;
    private final Fence fence;

    private Fencing(Shared shared) {
        this.shared = shared;
        fence = shared.tables.cache().fence();
    }

    // ---------------------------------------------------------------- before a statement: close

    /** Closes the fence over everything that a statement may write. */
    public void sends(Effect effect, SlotValues values) {
        if (effect instanceof Effect.Rows rows) {
            closeRows(rows, values, null);
        } else if (effect instanceof Effect.Tables named) {
            for (TableName name : named.tables()) {
                closeTable(name);
            }
        } else if (effect instanceof Effect.Everything) {
            fence.closeAll();
        }
    }

    /**
     * Closes the fence for a statement whose effect and values are known exactly.
     *
     * @return an object that must receive the store's reply, which may show that fewer lines must
     * be dropped; null if no reply can show this
     */
    public @Nullable Write sendsExact(Effect effect, SlotValues values) {
        if (effect instanceof Effect.Tables named && named.ifAbsent()) {
            return closeToCreate(named);
        }
        CachedTable table = effect instanceof Effect.Rows rows ? shared.tables.of(rows.table()) : null;
        if (table == null || !(effect instanceof Effect.Rows rows)) {
            sends(effect, values);
            return null;
        }
        AddedRow row = shared.insertsAdd && table.isFiltered() ? row(table, rows, values) : null;
        boolean alike = rows.prefixes().size() == 1 || rows.table().autoIncrementPosition() == 0;
        boolean numbered = shared.insertsAdd && alike && isNumbered(rows, values) && givesWholeNumbers(rows, values);
        if (numbered && table.bind(given(rows.prefixes().get(0), rows), values, shared.key)) {
            byte[] begin = shared.key.toBytes();
            if (fence.closeForNewRow(table.lines(), shared.key, row)) {
                closeGivenNumbers(table, rows, values, row);
                RowsWrite write = new RowsWrite(table, rows, row);
                write.numbered = begin;
                return write;
            }
        } else {
            closeRows(rows, values, row);
        }
        return row == null ? null : new RowsWrite(table, rows, row);
    }

    /**
     * Closes the fence for the creation of a table unless it exists. If the store reports that it
     * exists, its lines remain.
     */
    private @Nullable Write closeToCreate(Effect.Tables named) {
        TableName name = named.tables().get(0);
        CachedTable known = shared.tables.known(name);
        TableSchema schema = shared.catalog.known(name.schema(), name.table());
        if (known == null
                || schema == null
                || shared.tables.of(schema) != known
                || named.tables().size() > 1) {
            sends(new Effect.Tables(named.tables()), SlotValues.UNKNOWN);
            return null;
        }
        LineTable lines = known.lines();
        if (!fence.closeForNewRow(lines, shared.key.reset(), null)) {
            return null;
        }
        return (reply, numbers) -> {
            if (existed(reply)) {
                fence.added(lines);
            }
        };
    }

    /** Returns whether the reply to a CREATE TABLE IF NOT EXISTS notes that the table existed. */
    public static boolean existed(ReplySummary reply) {
        // The warning can be another one, if a known table was dropped past Keyline just before.
        // Then Keyline notices the change when it notices the DROP.
        return reply.error() == null && reply.results() == 1 && reply.columnCount() == 0 && reply.warnings() > 0;
    }

    /** Returns the values in {@code tuple} before the AUTO_INCREMENT column. */
    private static List<KeyPart> given(List<KeyPart> tuple, Effect.Rows rows) {
        return tuple.subList(0, rows.table().autoIncrementPosition());
    }

    /** Returns whether the store might generate a part of the key of an added row. */
    private boolean isNumbered(Effect.Rows rows, SlotValues values) {
        int number = rows.onlyAdds() ? rows.table().autoIncrementPosition() : -1;
        for (List<KeyPart> tuple : rows.prefixes()) {
            if (number >= 0 && (tuple.size() <= number || !shared.insertsAdd || !isNumber(tuple.get(number), values))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether each value for the AUTO_INCREMENT column is NULL or an integer. The store
     * converts other values by its own rules. The insert id in the store's reply can then differ
     * from the stored number, as after LAST_INSERT_ID(expr).
     */
    private static boolean givesWholeNumbers(Effect.Rows rows, SlotValues values) {
        int number = rows.table().autoIncrementPosition();
        return rows.prefixes().stream()
                .filter(tuple -> tuple.size() > number)
                .map(tuple -> values.kind(tuple.get(number).slot()))
                .allMatch(kind -> kind == SlotValues.Kind.NULL || kind == SlotValues.Kind.INTEGER);
    }

    /**
     * Closes the fence over the rows whose AUTO_INCREMENT number the statement sets. A number can
     * be 0, which the store stores under some sql_modes instead of generating a number.
     */
    private void closeGivenNumbers(CachedTable table, Effect.Rows rows, SlotValues values, @Nullable AddedRow row) {
        int number = rows.table().autoIncrementPosition();
        for (List<KeyPart> tuple : rows.prefixes()) {
            if (tuple.size() > number && values.kind(tuple.get(number).slot()) == SlotValues.Kind.INTEGER) {
                if (table.bind(tuple, values, shared.key)) {
                    fence.closeToAdd(table.lines(), shared.key, row);
                } else {
                    fence.close(table.lines());
                }
            }
        }
    }

    private static boolean isNumber(KeyPart given, SlotValues values) {
        return values.kind(given.slot()) == SlotValues.Kind.INTEGER && values.integer(given.slot()) != 0;
    }

    /** Returns the rows that a write adds or changes; null if they are not known exactly. */
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
                if (!table.bind(tuple, values, shared.key)) {
                    return null;
                }
                keys.add(shared.key.toBytes());
            }
            all.add(new ChangedKeys(keys, changed, NewRow.of(table, rows.assigned(), values)));
        }
        return AddedRow.anyOf(all);
    }

    /** @param row all rows of the write; null if they are not known exactly */
    private void closeRows(Effect.Rows rows, SlotValues values, @Nullable AddedRow row) {
        CachedTable table = shared.tables.of(rows.table());
        if (table == null) {
            TableName name = rows.table().name();
            closeTable(name);
            TableSchema current = shared.catalog.table(name.schema(), name.table());
            if (current == null || current.id() != rows.table().id()) {
                // The catalog does not have the plan's table now. If the table returns while the
                // write runs, reads can load its rows.
                fence.closeAll();
            }
            return;
        }
        boolean numbered = isNumbered(rows, values);
        for (List<KeyPart> named : rows.prefixes()) {
            List<KeyPart> tuple = numbered ? given(named, rows) : named;
            if (tuple.isEmpty() || !table.bind(tuple, values, shared.key)) {
                fence.close(table.lines());
                return;
            }
            fence.closeToAdd(table.lines(), shared.key, row);
        }
    }

    /** Closes the fence over a table, even without lines: reads can load lines during the write. */
    private void closeTable(TableName name) {
        CachedTable known = shared.tables.known(name);
        if (known != null) {
            fence.close(known.lines());
        }
        TableSchema schema = shared.catalog.known(name.schema(), name.table());
        CachedTable current = schema == null ? null : shared.tables.of(schema);
        if (current != null && current != known) {
            fence.close(current.lines());
        }
        if (known == null && current == null) {
            fence.elsewhere(name);
        }
    }

    /**
     * Closes the fence over all tables, for a statement that might write anything.
     *
     * @return false if the fence was already closed over all tables
     */
    public boolean sendsAnything() {
        return fence.closeAll();
    }

    // ---------------------------------------------------------------- the reply

    /** A write whose reply may show that fewer lines must be dropped. */
    public interface Write {
        /**
         * Called with the complete reply, while the fence is still closed.
         *
         * @param numbers the generated numbers of all added rows; empty if unknown
         */
        void received(ReplySummary reply, List<Long> numbers);

        /** Returns the table if the store generates part of the added keys; otherwise null. */
        default @Nullable TableName numberedTable() {
            return null;
        }
    }

    /** A write that names its rows by key. Filter lines that cannot contain them stay cached. */
    private final class RowsWrite implements Write {
        private final CachedTable table;
        private final Effect.Rows rows;
        /** The rows of the write; null if the fence is closed over all filter lines. */
        private final @Nullable AddedRow row;
        /**
         * The cells before the AUTO_INCREMENT cell in the key of the added rows; null if the store
         * generates no cell.
         */
        private byte @Nullable [] numbered;

        private RowsWrite(CachedTable table, Effect.Rows rows, @Nullable AddedRow row) {
            this.table = table;
            this.rows = rows;
            this.row = row;
        }

        @Override
        public @Nullable TableName numberedTable() {
            return numbered == null ? null : rows.table().name();
        }

        @Override
        public void received(ReplySummary reply, List<Long> numbers) {
            if (numbered != null) {
                reportNumbers(numbered, reply, numbers);
            }
            if (row != null) {
                fence.wrote(row, isAsSent(reply));
            }
        }

        private void reportNumbers(byte[] begin, ReplySummary reply, List<Long> numbers) {
            boolean oneRow = rows.prefixes().size() == 1;
            ErrPacket error = reply.error();
            if (error != null) {
                // If an INSERT of several rows fails, an engine without transactions may have
                // written the first of these rows.
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

        /** @param numbers the generated numbers of all added rows; empty if unknown */
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

        /** Returns whether the reply shows a write of exactly the named rows, without warnings. */
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
    }

    /** Called when the store has run no part of the statement for which all tables were closed. */
    public void ranNothing() {
        fence.reopenAll();
    }

    /**
     * Called when the statement for which all tables were closed has committed. A {@link Doubt} now
     * closes them instead. Notifies other gateways, because the client gets the reply now.
     */
    public void passesToDoubt() {
        fence.notifyOthers();
        fence.reopenAll();
    }

    /** Called when one of several results is complete, before it is sent to the client. */
    public void resultEnded() {
        fence.notifyOthers();
    }

    // ---------------------------------------------------------------- after the reply: open

    /**
     * Opens the fence unless a transaction is open.
     *
     * @param mayHaveCommitted whether the open transaction may have begun after a commit, which
     * made earlier writes visible
     */
    public void ended(boolean transactionOpen, boolean mayHaveCommitted) {
        if (transactionOpen) {
            if (mayHaveCommitted) {
                fence.notifyOthers();
            } else {
                fence.notifyOthersWithinTransaction();
            }
        } else if (!fence.isOpen()) {
            fence.open();
        }
    }

    /** Called when the store session is closed, or the outcome of its last write stays unknown. */
    public void lost() {
        fence.open();
    }

    public boolean isOpen() {
        return fence.isOpen();
    }

    /** Returns a stage that completes after the drops in other gateways; null if there are none. */
    public @Nullable CompletionStage<Void> taken() {
        return fence.taken();
    }

    // ---------------------------------------------------------------- without a write

    /** Drops all lines in this gateway and in other gateways. */
    public static void flush(RowCache cache) {
        new Doubt(cache).ends(false);
    }

    /**
     * Drops lines of a table in this gateway and in other gateways.
     *
     * @param lines the table's lines in this gateway; null if it has none
     * @param key the prefix of the lines; null for all
     */
    public static void flush(RowCache cache, TableName name, @Nullable LineTable lines, @Nullable KeyEncoder key) {
        Fence fence = cache.fence();
        if (lines == null) {
            fence.elsewhere(name);
        } else if (key == null) {
            fence.close(lines);
        } else {
            fence.close(lines, key);
        }
        fence.open();
    }
}
