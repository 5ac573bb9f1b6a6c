package org.keyline.gateway.read;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.table.CachedTable;
import org.keyline.planner.KeyPart;
import org.keyline.planner.Order;
import org.keyline.planner.PointRead;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.LineProbe;
import org.keyline.rowcache.LineTable;

/**
 * The keys of a read's tuples, distinct and in the order of the answer, each with the line that has it. Reusable: a read whose lines
 * are all there allocates nothing. Confined to one event loop.
 */
final class TupleKeys {
    private static final int FEW = 16;
    private static final int FEW_BYTES = FEW * 64;
    /** What a read of long keys needed beyond this is not kept for the next one. */
    private static final int MAX_KEPT_BYTES = 64 << 10;

    // Keys as they were added: key i is bytes[begins[i]..begins[i + 1]), the first part of it, up to prefixEnds[i],
    // names its line.
    private byte[] bytes = new byte[FEW_BYTES];
    private int[] begins = new int[FEW + 1];
    private int[] prefixEnds = new int[FEW];
    private int added;

    // The keys' numbers in the order of the answer, and their lines.
    private int[] order = new int[FEW];
    private @Nullable Line[] lines = new Line[FEW];
    private int count;

    /** Takes the keys of all tuples; false if a value can't be bound, or a column's values are of several classes. */
    boolean bind(PointRead plan, CachedTable table, SlotValues values, KeyEncoder key) {
        clear();
        List<List<KeyPart>> tuples = plan.tuples();
        for (int i = 0; i < tuples.size(); i++) {
            if (!table.bind(tuples.get(i), values, key) || !areAlike(tuples.get(0), tuples.get(i), values)) {
                return false;
            }
            add(key, key.cellEnd(table.prefixCells()));
        }
        sort();
        removeDuplicates();
        if (plan.order() == Order.DESC) {
            reverse();
        }
        return true;
    }

    /** Stores read the whole table where a list has numbers and text, or exact and approximate numbers, and their replies say so. */
    private static boolean areAlike(List<KeyPart> first, List<KeyPart> other, SlotValues values) {
        for (int i = 0; i < first.size(); i++) {
            int one = first.get(i).slot();
            int two = other.get(i).slot();
            if (one != two && values.kind(one) != values.kind(two)) {
                return false;
            }
        }
        return true;
    }

    /** Takes one key. */
    void only(KeyEncoder key, int prefixCells) {
        clear();
        add(key, key.cellEnd(prefixCells));
        count = 1;
    }

    /** Forgets keys and lines. */
    void clear() {
        Arrays.fill(lines, 0, count, null);
        if (bytes.length > MAX_KEPT_BYTES) {
            bytes = new byte[FEW_BYTES];
        }
        added = 0;
        count = 0;
    }

    private void add(KeyEncoder key, int prefixLength) {
        if (added == order.length) {
            int room = 2 * added;
            begins = Arrays.copyOf(begins, room + 1);
            prefixEnds = Arrays.copyOf(prefixEnds, room);
            order = Arrays.copyOf(order, room);
            lines = Arrays.copyOf(lines, room);
        }
        int begin = begins[added];
        int end = begin + key.length();
        if (end > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(end, 2 * bytes.length));
        }
        System.arraycopy(key.buffer(), 0, bytes, begin, key.length());
        prefixEnds[added] = begin + prefixLength;
        order[added] = added;
        begins[++added] = end;
    }

    /** By bytes. A Shell sort: in place, a single pass over keys that come sorted, and fast enough for as many as a plan may have. */
    private void sort() {
        for (int gap = added > FEW ? added / 2 : 1; gap > 0; gap /= 2) {
            for (int i = gap; i < added; i++) {
                int key = order[i];
                int at = i;
                for (; at >= gap && compare(order[at - gap], key) > 0; at -= gap) {
                    order[at] = order[at - gap];
                }
                order[at] = key;
            }
        }
    }

    /** Tuples of one read have the same columns, so no key is a prefix of another. */
    private int compare(int one, int other) {
        return Arrays.compareUnsigned(bytes, begins[one], begins[one + 1], bytes, begins[other], begins[other + 1]);
    }

    private void removeDuplicates() {
        for (int i = 0; i < added; i++) {
            if (count == 0 || compare(order[count - 1], order[i]) != 0) {
                order[count++] = order[i];
            }
        }
    }

    private void reverse() {
        for (int low = 0, high = count - 1; low < high; low++, high--) {
            int key = order[low];
            order[low] = order[high];
            order[high] = key;
        }
    }

    /** Finds the line of each key; answers how many there are not. */
    int find(LineTable table, LineProbe probe, int kind, long maxAgeNanos, long now) {
        int missing = 0;
        for (int i = 0; i < count; i++) {
            Line line = i > 0 && samePrefix(order[i - 1], order[i]) ? lines[i - 1] : null;
            if (line == null || !line.covers(bytes, suffixFrom(i), to(i))) {
                line = table.find(aim(i, probe, table, kind, maxAgeNanos), now);
            }
            lines[i] = line;
            missing += line == null ? 1 : 0;
        }
        return missing;
    }

    private boolean samePrefix(int one, int other) {
        return Arrays.equals(bytes, begins[one], prefixEnds[one], bytes, begins[other], prefixEnds[other]);
    }

    LineProbe aim(int i, LineProbe probe, LineTable table, int kind, long maxAgeNanos) {
        return probe.aim(table, kind, bytes, begins[order[i]], suffixFrom(i), to(i))
                .notOlderThan(maxAgeNanos);
    }

    /** How many keys there are. */
    int count() {
        return count;
    }

    /** The line that has a key, or null. */
    @Nullable
    Line line(int i) {
        return lines[i];
    }

    void line(int i, Line line) {
        lines[i] = line;
    }

    /** The line that has a key. */
    Line found(int i) {
        return requireNonNull(lines[i], "a line is missing");
    }

    /** The array that the keys are in. */
    byte[] bytes() {
        return bytes;
    }

    /** Where what a line compares of a key begins. */
    int suffixFrom(int i) {
        return prefixEnds[order[i]];
    }

    /** Where a key ends. */
    int to(int i) {
        return begins[order[i] + 1];
    }
}
