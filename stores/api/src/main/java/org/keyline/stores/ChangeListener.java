package org.keyline.stores;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;

/**
 * Is notified of changes in a store, by any writer. When a call returns, no read is answered any
 * more from earlier data about these rows. Thread-safe.
 */
public interface ChangeListener {
    /**
     * Reports that a row was inserted, deleted or changed.
     *
     * @param table the definition that {@code key} refers to
     * @param key the values of the key columns in order, as in rows of the text protocol in UTF-8;
     *     null for NULL
     * @param images the row before the change if it existed, and the row after it if it exists;
     *     empty if that is unknown
     */
    void row(TableSchema table, List<byte @Nullable []> key, List<RowImage> images);

    /** Reports that any rows of a table changed. */
    void table(TableName table);

    /**
     * Reports that any rows of some partitions of a table changed.
     *
     * @param changed their ids
     */
    void partitions(TableName table, PartitionSpans partitioning, Collection<Long> changed);

    /**
     * Reports that definitions may have changed, and with them any rows of these tables. Contains
     * old and new names.
     */
    void definitions(Collection<TableName> tables);

    /** Reports that anything may have changed. */
    void everything();

    /** Reports that any definitions may have changed; does not concern rows. */
    void allDefinitions();

    /** Reports that accounts, roles or privileges have changed. */
    void privileges();

    /**
     * Reports that all changes visible in the store at a moment have been reported.
     *
     * @param asOfNanos by {@link System#nanoTime}
     */
    void complete(long asOfNanos);

    /**
     * Reports that all changes of one table visible in the store at a moment have been reported.
     *
     * @param asOfNanos by {@link System#nanoTime}
     */
    void complete(TableName table, long asOfNanos);

    /**
     * Reports that the signal's state, or the reason for it, has changed.
     *
     * @param because what is missing and how to cure it, as sentences without a final full stop
     *     that follow "because"; empty while the signal is followed
     */
    void state(ChangeSignal.State state, String because);

    /**
     * Returns the tables that may have rows in memory. Changes of other tables need not be
     * reported.
     */
    Collection<TableName> tables();
}
