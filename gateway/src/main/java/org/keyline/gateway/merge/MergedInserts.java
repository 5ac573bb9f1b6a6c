package org.keyline.gateway.merge;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;
import org.keyline.planner.TableName;

/** Brings together the INSERTs of all clients that may go as one. Thread-safe. */
public final class MergedInserts {
    /** The longest row that waits for others, in characters; one that is longer goes alone. */
    public static final int MAX_ROW_CHARS = 8 << 10;

    /** Where an INSERT waits, or is under way. */
    public interface Place {
        /** Takes it back if it is not under way yet; false if it is. */
        boolean withdraw(WaitingInsert insert);
    }

    private final Predicate<TableName> tables;
    private final MergeFigures figures;
    /** Those where something is under way: at most as many as there are sessions. */
    private final ConcurrentMap<MergeKey, InsertQueue> queues = new ConcurrentHashMap<>();

    /** @param tables whose INSERTs are merged */
    public MergedInserts(Predicate<TableName> tables, MergeFigures figures) {
        this.tables = tables;
        this.figures = figures;
    }

    /** Whether INSERTs into a table may go together. */
    public boolean isFor(TableName table) {
        return tables.test(table);
    }

    /** Takes an INSERT, which goes at once where none of its kind is under way. */
    public Place add(MergeKey key, WaitingInsert insert) {
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
