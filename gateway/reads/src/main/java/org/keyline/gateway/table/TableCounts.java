package org.keyline.gateway.table;

import org.jspecify.annotations.Nullable;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.TableStats;

/**
 * The counters of a table, or the sums of several tables, at one moment.
 *
 * @param filters the counters of the filter lines; null if the table has no filter lines
 */
public record TableCounts(
        TableStats.Snapshot lines, ReadFigures.Snapshot reads, TableStats.@Nullable Snapshot filters) {
    public static TableCounts of(CachedTable table) {
        LineTable lines = table.lines();
        LineTable filters = lines.filters();
        return new TableCounts(
                lines.stats().snapshot(),
                table.figures().snapshot(),
                filters == null ? null : filters.stats().snapshot());
    }

    public TableCounts plus(TableCounts other) {
        return new TableCounts(lines.plus(other.lines), reads.plus(other.reads), sum(filters, other.filters));
    }

    /** Returns these counts without lines and bytes in memory, for a table that is retired. */
    TableCounts ended() {
        return new TableCounts(lines.ended(), reads, filters == null ? null : filters.ended());
    }

    private static TableStats.@Nullable Snapshot sum(
            TableStats.@Nullable Snapshot one, TableStats.@Nullable Snapshot other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.plus(other);
    }
}
