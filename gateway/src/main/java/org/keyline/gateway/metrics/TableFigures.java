package org.keyline.gateway.metrics;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.table.CachedTables;
import org.keyline.gateway.table.ReadFigures;
import org.keyline.planner.TableName;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.TableStats;

/**
 * The counters of one table at one moment.
 *
 * @param figures what its lines did
 * @param reads what became of its point reads
 * @param filters what its filter lines did; null where it has none
 */
public record TableFigures(
        TableName name,
        TableStats.Snapshot figures,
        ReadFigures.Snapshot reads,
        TableStats.@Nullable Snapshot filters) {
    /** Those of all tables that are kept. */
    public static List<TableFigures> of(CachedTables tables) {
        List<TableFigures> figures = new ArrayList<>();
        for (TableName name : tables.names()) {
            LineTable lines = tables.lines(name);
            ReadFigures.Snapshot reads = tables.figures(name);
            if (lines != null && reads != null) {
                LineTable filters = lines.filters();
                figures.add(new TableFigures(
                        name,
                        lines.stats().snapshot(),
                        reads,
                        filters == null ? null : filters.stats().snapshot()));
            }
        }
        return figures;
    }

    /** The sums of both, under another name. */
    TableFigures plus(TableFigures other, TableName sum) {
        return new TableFigures(sum, figures.plus(other.figures), reads.plus(other.reads), sum(filters, other.filters));
    }

    private static TableStats.@Nullable Snapshot sum(
            TableStats.@Nullable Snapshot one, TableStats.@Nullable Snapshot other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.plus(other);
    }
}
