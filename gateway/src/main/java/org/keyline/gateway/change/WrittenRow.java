package org.keyline.gateway.change;

import java.util.Set;
import org.keyline.gateway.condition.Conjunction;
import org.keyline.rowcache.AddedRow;
import org.keyline.rowcache.KeyReader;
import org.keyline.rowcache.Line;

/**
 * The row of a key that an UPDATE or DELETE changes: it leaves the filter lines that have it, and comes into those alone whose conditions
 * are on a column that it assigns, and which the new cells may meet. Immutable.
 */
final class WrittenRow implements AddedRow {
    private final byte[] key;
    private final Set<Integer> changed;
    private final NewRow after;

    /**
     * @param key bytes of all cells of its key
     * @param changed the columns that may change; none of a row that is deleted
     * @param after the cells that are certain of those
     */
    WrittenRow(byte[] key, Set<Integer> changed, NewRow after) {
        this.key = key;
        this.changed = changed;
        this.after = after;
    }

    /** What a load has that begins now, or began before, is not known: it may have the row as it was. */
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
