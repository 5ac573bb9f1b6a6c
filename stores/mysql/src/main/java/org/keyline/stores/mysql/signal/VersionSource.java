package org.keyline.stores.mysql.signal;

import java.util.Collection;
import java.util.Map;
import org.keyline.planner.TableName;
import org.keyline.stores.mysql.catalog.CatalogRows;
import org.keyline.stores.mysql.catalog.Dialect;
import org.keyline.stores.mysql.catalog.ReadFailure;

/** The version queries for one kind of store. Confined to one thread. */
interface VersionSource {
    /**
     * Returns the source for a kind of store that has versions.
     *
     * @param user the user of the gateway's account, for error messages
     */
    static VersionSource of(Dialect dialect, String user) {
        return dialect.listsPartitions() ? new PartitionList() : new TableVersions(dialect, user, System::nanoTime);
    }

    /**
     * Reads the versions of tables. The result omits unknown tables.
     *
     * @return the versions as of a moment after this call began
     * @throws SignalRefused if the store's settings do not allow an answer
     */
    Map<TableName, PartitionVersions> read(CatalogRows rows, Collection<TableName> tables)
            throws ReadFailure, SignalRefused;

    static long number(CatalogRows.Row row, String column) throws ReadFailure {
        String text = row.required(column);
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new ReadFailure("the store answered " + text + " for the number " + column);
        }
    }
}
