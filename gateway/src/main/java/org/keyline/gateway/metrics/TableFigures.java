package org.keyline.gateway.metrics;

import org.keyline.gateway.table.ReadFigures;
import org.keyline.planner.TableName;
import org.keyline.rowcache.TableStats;

/**
 * The counters of one table at one moment.
 *
 * @param figures what its lines did
 * @param reads what became of its point reads
 */
public record TableFigures(TableName name, TableStats.Snapshot figures, ReadFigures.Snapshot reads) {
    /** The sums of both, under another name. */
    TableFigures plus(TableFigures other, TableName sum) {
        return new TableFigures(sum, figures.plus(other.figures), reads.plus(other.reads));
    }
}
