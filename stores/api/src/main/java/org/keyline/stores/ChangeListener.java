package org.keyline.stores;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;

/**
 * A listener for changes in a store, by any writer. When a call returns, no line still answers with
 * earlier data of the reported rows. Thread-safe.
 */
public interface ChangeListener {
    /**
     * Called when a row was inserted, deleted or changed.
     *
     * @param table the definition to which {@code key} refers
     * @param key the values of the key columns in the order of the key, as in rows of the text
     * protocol, in UTF-8; null for NULL
     * @param images the row before the change (an INSERT has none), then the row after it (a DELETE
     * has none); empty if the rows are unknown
     */
    void row(TableSchema table, List<byte @Nullable []> key, List<RowImage> images);

    /** Called when rows of a table changed and it is unknown which rows. */
    void table(TableName table);

    /** Called when rows of these partitions changed and it is unknown which rows. */
    void partitions(TableName table, PartitionSpans partitioning, Collection<Long> changed);

    /**
     * Called when the definitions of these tables changed. For a renamed table, both names are
     * passed. Any row of these tables may have changed too.
     */
    void definitions(Collection<TableName> tables);

    /** Called when any row and any definition may have changed. */
    void everything();

    /** Called when any definition, but no row, may have changed. */
    void allDefinitions();

    void storedCode();

    void privileges();

    /**
     * Called when the listener has been notified of all changes that were visible in the store at
     * this moment of {@link System#nanoTime}.
     */
    void complete(long asOfNanos);

    /**
     * Called when the listener has been notified of all changes of one table that were visible in
     * the store at this moment of {@link System#nanoTime}.
     */
    void complete(TableName table, long asOfNanos);

    /**
     * Called when the state of the signal or its reason has changed.
     *
     * @param because the missing condition and its cure, in words that can follow "because",
     * without a final full stop; empty in the state FOLLOWING
     */
    void state(ChangeSignal.State state, String because);

    /** Returns the tables that have lines. The signal need not report changes of other tables. */
    Collection<TableName> tables();

    /** Returns the tables that reads have used, with or without lines. */
    default Collection<TableName> readTables() {
        return tables();
    }

    /**
     * Returns whether changes were reported that the store may not show yet. Lines that are loaded
     * before {@link #complete(long)} may lack these changes.
     */
    default boolean awaitsComplete() {
        return false;
    }
}
