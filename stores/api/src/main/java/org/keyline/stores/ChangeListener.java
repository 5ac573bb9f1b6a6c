package org.keyline.stores;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;

/**
 * Hears what changed in a store, whoever changed it. When a call returns, no read is answered any more from what was known of these rows
 * before. Thread-safe.
 */
public interface ChangeListener {
    /**
     * A row came, went or changed.
     *
     * @param table the definition by which its key is told
     * @param key the values of the key columns in their order, as rows of the text protocol have them in UTF-8; null for NULL
     * @param images the row before the change if there was one with that key, and after it if there is one; empty where it is not known
     *     which there are
     */
    void row(TableSchema table, List<byte @Nullable []> key, List<RowImage> images);

    /** Any rows of a table changed. */
    void table(TableName table);

    /** Definitions may have changed, and with them any rows of these tables, by old names and new ones. */
    void definitions(Collection<TableName> tables);

    /** Nobody knows what changed. */
    void everything();

    /** Nobody knows which definitions changed; says nothing of rows. */
    void allDefinitions();

    /** Accounts, roles or what they may do have changed. */
    void privileges();

    /**
     * All changes that were visible in the store at a moment have been told.
     *
     * @param asOfNanos by {@link System#nanoTime}
     */
    void complete(long asOfNanos);

    /** The same for one table. */
    void complete(TableName table, long asOfNanos);

    /**
     * The signal's state has changed, or the reason for it.
     *
     * @param because what is missing and what cures it, in sentences without an end: they follow "because"; empty while it is followed
     */
    void state(ChangeSignal.State state, String because);

    /** The tables that may have rows in memory: of others nothing needs to be told. */
    Collection<TableName> tables();
}
