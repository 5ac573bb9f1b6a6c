package org.keyline.gateway.change;

import java.util.Set;
import org.keyline.gateway.condition.Conjunction;
import org.keyline.rowcache.AddedRow;
import org.keyline.rowcache.KeyReader;
import org.keyline.rowcache.Line;

/**
 * The row of a key that an UPDATE or DELETE changes. It leaves the filter lines that have it. It
 * enters only those whose conditions are on a column that the statement assigns, and which the new
 * cells may meet. Immutable.
 */
final class WrittenRow implements AddedRow {
    private final byte[] key;
    private final Set<Integer> changed;
    private final NewRow after;

    /**
     * @param key bytes of all cells of its key
     * @param changed the columns that may change; empty if the row is deleted
     * @param after the exact new cells of those columns
     */
    WrittenRow(byte[] key, Set<Integer> changed, NewRow after) {
        this.key = key;
        this.changed = changed;
        this.after = after;
    }

    /** The rows of a load that is running or begins now are unknown: it may have the old row. */
    @Override
    public boolean mayBeIn(byte[] name, int from, int to) {
        return true;
    }

    @Override
    public boolean mayBeIn(Line line) {
        if (line.find(key, 0, key.length) >= 0) {
            return true;
        }
        byte[] name = line.prefix();
        byte[] conditions = new KeyReader().wrap(name, 0, name.length).bytes();
        return Conjunction.isOnAny(conditions, changed) && after.mayMeet(conditions);
    }
}
