package org.keyline.gateway.metrics;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.table.CachedTables;
import org.keyline.gateway.table.ReadFigures;
import org.keyline.gateway.table.TableCounts;
import org.keyline.planner.TableName;
import org.keyline.rowcache.TableStats;

/**
 * The counters of one table at one moment.
 *
 * @param name {@link #OTHERS} where they are of several tables
 */
public record TableFigures(TableName name, TableCounts counts) {
    /** The name of what is no single table. */
    public static final TableName OTHERS = new TableName("(others)", "(others)");

    /** Those of all tables that are kept. */
    public static List<TableFigures> of(CachedTables tables) {
        return of(tables.count());
    }

    /** Those of all tables that are kept, and the sum of those that are gone, so that no sum of all of them ever falls. */
    public static List<TableFigures> ofAll(CachedTables tables) {
        CachedTables.Count count = tables.count();
        List<TableFigures> figures = of(count);
        if (count.gone() != null) {
            figures.add(new TableFigures(OTHERS, count.gone()));
        }
        return figures;
    }

    private static List<TableFigures> of(CachedTables.Count count) {
        List<TableFigures> figures = new ArrayList<>();
        count.tables().forEach((name, table) -> figures.add(new TableFigures(name, TableCounts.of(table))));
        return figures;
    }

    /** What its lines did. */
    public TableStats.Snapshot figures() {
        return counts.lines();
    }

    /** What became of its point reads. */
    public ReadFigures.Snapshot reads() {
        return counts.reads();
    }

    /** What its filter lines did; null where it has none. */
    public TableStats.@Nullable Snapshot filters() {
        return counts.filters();
    }
}
