package org.keyline.stores.mysql.signal;

import java.util.Collection;
import java.util.Map;
import org.keyline.planner.TableName;
import org.keyline.stores.mysql.catalog.CatalogRows;
import org.keyline.stores.mysql.catalog.Dialect;
import org.keyline.stores.mysql.catalog.ReadFailure;

/** What a kind of store is asked for the versions of its tables. Confined to one thread. */
interface VersionSource {
    /**
     * Returns the source of a kind of store that has versions.
     *
     * @param account who asks, as GRANT names it
     */
    static VersionSource of(Dialect dialect, String account) {
        return dialect.listsPartitions() ? new PartitionList() : new TableVersions(dialect, account, System::nanoTime);
    }

    /**
     * Asks for the versions of tables.
     *
     * @return the visible version of each partition, by its id, at a moment after this call began. Two maps of a table that are equal are
     *     of the same rows; an empty one is of a table that may have changed, it is not known where. A table of which nothing is known
     *     is missing
     * @throws SignalRefused if the store does not answer as it is set up
     */
    Map<TableName, Map<Long, Long>> read(CatalogRows rows, Collection<TableName> tables)
            throws ReadFailure, SignalRefused;

    /** Reads a cell that is a whole number. */
    static long number(CatalogRows.Row row, String column) throws ReadFailure {
        String text = row.required(column);
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new ReadFailure("the store answered " + text + " for the number " + column);
        }
    }
}
