package org.keyline.gateway.merge;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;
import org.keyline.gateway.metrics.MergeFigures;
import org.keyline.planner.TableName;

/** Merges single-row INSERTs of all clients into batches. Thread-safe. */
public final class MergedInserts {
    /** Maximum length of a row in a batch. An INSERT of a longer row is sent alone. */
    public static final int MAX_ROW_CHARS = 8 << 10;

    private final Predicate<TableName> tables;
    private final MergeFigures figures;
    /** The queues with an INSERT in progress. Each session is in at most one of them. */
    private final ConcurrentMap<MergeKey, InsertQueue> queues = new ConcurrentHashMap<>();

    /** @param tables returns whether INSERTs into a table are merged */
    public MergedInserts(Predicate<TableName> tables, MergeFigures figures) {
        this.tables = tables;
        this.figures = figures;
    }

    public boolean isFor(TableName table) {
        return tables.test(table);
    }

    /**
     * Sends the INSERT at once, or lets it wait while another INSERT with its key is in progress.
     *
     * @return withdraws the INSERT; returns false if the INSERT is already in progress
     */
    public Predicate<WaitingInsert> add(MergeKey key, WaitingInsert insert) {
        while (true) {
            InsertQueue queue = queues.computeIfAbsent(key, this::queue);
            if (queue.add(insert)) {
                return queue::withdraw;
            }
            queues.remove(key, queue);
        }
    }

    private InsertQueue queue(MergeKey key) {
        InsertQueue[] made = new InsertQueue[1];
        made[0] = new InsertQueue(key, figures, () -> queues.remove(key, made[0]));
        return made[0];
    }
}
