package org.keyline.gateway.metrics;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.table.CachedTables;
import org.keyline.gateway.table.LatencyHistogram;
import org.keyline.gateway.table.ReadFigures;
import org.keyline.gateway.table.TableCounts;
import org.keyline.planner.TableName;
import org.keyline.rowcache.TableStats;

/**
 * The counters of a table at one moment.
 *
 * @param name {@link #OTHERS} for a sum of several tables
 */
public record TableFigures(TableName name, TableCounts counts) {
    public static final TableName OTHERS = new TableName("(others)", "(others)");

    public static List<TableFigures> of(CachedTables tables) {
        return of(tables.count());
    }

    /** Returns all tables, and a sum of all former tables, so that totals never decrease. */
    public static List<TableFigures> ofAll(CachedTables tables) {
        CachedTables.Count count = tables.count();
        List<TableFigures> figures = of(count);
        if (count.retired() != null) {
            figures.add(new TableFigures(OTHERS, count.retired()));
        }
        return figures;
    }

    private static List<TableFigures> of(CachedTables.Count count) {
        List<TableFigures> figures = new ArrayList<>();
        count.tables().forEach((name, table) -> figures.add(new TableFigures(name, TableCounts.of(table))));
        return figures;
    }

    public TableStats.Snapshot figures() {
        return counts.lines();
    }

    public LatencyHistogram.Snapshot loadTimes() {
        TableStats.Snapshot lines = counts.lines();
        return new LatencyHistogram.Snapshot(TableStats.loadTimeBoundsNanos(), lines.loadTimes(), lines.loadNanos());
    }

    public ReadFigures.Snapshot reads() {
        return counts.reads();
    }

    /** Returns the counters of filter lines; null if the table has none. */
    public TableStats.@Nullable Snapshot filters() {
        return counts.filters();
    }
}
