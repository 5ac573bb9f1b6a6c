package org.keyline.gateway.change;

import java.util.List;
import java.util.Set;
import org.keyline.gateway.condition.Conjunction;
import org.keyline.rowcache.AddedRow;
import org.keyline.rowcache.KeyReader;
import org.keyline.rowcache.Line;

/**
 * The rows that an UPDATE or DELETE changes, by their keys. A filter line is outdated if it
 * contains such a row. A line with a condition on an assigned column is also outdated if the new
 * cells might meet the line's conditions. Immutable.
 */
final class ChangedKeys implements AddedRow {
    private final List<byte[]> keys;
    private final Set<Integer> changed;
    private final NewRow after;

    /**
     * @param keys for each row, the bytes of all cells of its key
     * @param changed the columns that may change; empty if the rows are deleted
     * @param after the new cells of changed columns, if they are exact; the same in all rows
     */
    ChangedKeys(List<byte[]> keys, Set<Integer> changed, NewRow after) {
        this.keys = keys;
        this.changed = changed;
        this.after = after;
    }

    /** Returns true, because a load in progress may have read a row as it was before the write. */
    @Override
    public boolean mayBeIn(byte[] name, int from, int to) {
        return true;
    }

    @Override
    public boolean mayBeIn(Line line) {
        for (byte[] key : keys) {
            if (line.find(key, 0, key.length) >= 0) {
                return true;
            }
        }
        byte[] name = line.prefix();
        byte[] conditions = new KeyReader().wrap(name, 0, name.length).bytes();
        return Conjunction.isOnAny(conditions, changed) && after.mayMeet(conditions);
    }
}
