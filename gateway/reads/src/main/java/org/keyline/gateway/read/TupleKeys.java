package org.keyline.gateway.read;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.condition.RowConditions;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.key.Spelling;
import org.keyline.gateway.table.CachedTable;
import org.keyline.planner.KeyBound;
import org.keyline.planner.KeyPart;
import org.keyline.planner.KeyRange;
import org.keyline.planner.Order;
import org.keyline.protocol.codec.RowReader;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.LineProbe;
import org.keyline.rowcache.LineTable;

/**
 * The distinct keys of a read in the order of the reply, each with its line. For a read with
 * bounds, these are disjoint key ranges. Reusable: a read whose lines are all present allocates
 * nothing. Confined to one event loop.
 */
final class TupleKeys {
    /*
     * A range begins at its lower bytes and ends below its upper bytes. Both begin with the key of
     * the range's tuple. A key followed by ABOVE means "above all keys that begin with it". NULL is
     * the lowest cell, but meets no bound, so a column with only upper bounds also gets a lower
     * bound above NULL. Lookups of lines use the bounds only in a table of ranges.
     */
    private static final int NO_SLOT = -1;
    private static final int FEW = 16;
    private static final int FEW_BYTES = FEW * 64;
    /** Maximum size of the arrays that are retained for the next read. */
    private static final int MAX_RETAINED_BYTES = 64 << 10;

    // Keys in the order of their addition: key i is bytes[begins[i]..ends[i]). The first part of a
    // key, up to prefixEnds[i], names its line.
    private byte[] bytes = new byte[FEW_BYTES];
    private int[] begins = new int[FEW];
    private int[] prefixEnds = new int[FEW];
    private int[] ends = new int[FEW];
    private int used;
    private int added;
    /** Whether each key names one row. */
    private boolean whole;

    // Only with bounds: a range begins at bytes[begins[i]..lowerEnds[i]) and ends at
    // bytes[upperBegins[i]..upperEnds[i]).
    private boolean bounded;
    private int[] lowerEnds = {};
    private int[] upperBegins = {};
    private int[] upperEnds = {};
    /** For each position in the key, the slot that is compared with it, or {@link #NO_SLOT}. */
    private final int[] compared = new int[KeyEncoder.MAX_CELLS + 1];

    // The indexes of the keys in the order of the reply, and their lines.
    private int[] order = new int[FEW];
    private @Nullable Line[] lines = new Line[FEW];
    private int count;

    private @Nullable RowConditions conditions;

    // Only for adjacent lines: the next range without a line, and the number of rows in the lines
    // so far.
    private @Nullable ReadShape walked;
    private int next;
    private long rows;

    /** Binds keys and conditions. Returns false if a value has no exact key bytes. */
    boolean bind(ReadShape shape, SlotValues values, KeyEncoder key) {
        clear();
        if (!shape.plan().conditions().isEmpty()) {
            conditions = RowConditions.bind(shape.plan(), shape.table(), values);
            if (conditions == null) {
                return false;
            }
        }
        List<KeyRange> ranges = shape.plan().ranges();
        CachedTable table = shape.table();
        if (mayMixCharacterSets(ranges, table, values)) {
            return false;
        }
        walked = shape.walks() ? shape : null;
        bounded = shape.hasBounds();
        whole = shape.fullKey() && !bounded;
        if (bounded) {
            Arrays.fill(compared, NO_SLOT);
        }
        for (int i = 0; i < ranges.size(); i++) {
            KeyRange range = ranges.get(i);
            boolean bound = table.bind(range.tuple(), values, key)
                    && (bounded
                            ? addRange(range, table, values, key)
                            : areAlike(ranges.get(0).tuple(), range.tuple(), values));
            if (!bound) {
                return false;
            }
            if (!bounded) {
                add(key, key.cellEnd(table.prefixCells()));
            }
        }
        sort();
        if (bounded) {
            merge();
        } else {
            removeDuplicates();
        }
        if (shape.plan().order() == Order.DESC) {
            reverse();
        }
        return true;
    }

    /**
     * Returns whether the store may compare text of different character sets byte by byte. In
     * {@code (a, b) IN (…)} with several tuples, MariaDB does not convert values to the column's
     * character set, and therefore does not find text beyond ASCII.
     */
    private static boolean mayMixCharacterSets(List<KeyRange> ranges, CachedTable table, SlotValues values) {
        boolean[] latin1 = table.latin1();
        if (latin1 == null || ranges.size() == 1 || !differInTwo(ranges.get(0), ranges.get(ranges.size() - 1))) {
            return false;
        }
        for (KeyRange range : ranges) {
            for (int i = 0; i < range.tuple().size(); i++) {
                if (latin1[table.schema().keyColumns().get(i)]
                        && isBeyondAscii(values, range.tuple().get(i).slot())) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns whether at least two slots of the ranges differ, as in {@code (a, b) IN (…)}. */
    private static boolean differInTwo(KeyRange one, KeyRange other) {
        int differences = 0;
        for (int i = 0; i < Math.min(one.tuple().size(), other.tuple().size()); i++) {
            differences += one.tuple().get(i).slot() == other.tuple().get(i).slot() ? 0 : 1;
        }
        return differences > 1;
    }

    private static boolean isBeyondAscii(SlotValues values, int slot) {
        if (values.kind(slot) != SlotValues.Kind.TEXT) {
            return false;
        }
        byte[] text = values.bytes(slot);
        int end = values.offset(slot) + values.length(slot);
        for (int at = values.offset(slot); at < end; at++) {
            if (text[at] < 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether both tuples have values of the same kinds. If not, the status flags of the
     * store's reply may differ from the template's.
     */
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

    /** @param oneRow whether the key names one row */
    void only(KeyEncoder key, int prefixCells, boolean oneRow) {
        clear();
        bounded = false;
        whole = oneRow;
        add(key, key.cellEnd(prefixCells));
        count = 1;
    }

    void clear() {
        Arrays.fill(lines, 0, count, null);
        if (bytes.length > MAX_RETAINED_BYTES) {
            bytes = new byte[FEW_BYTES];
        }
        used = 0;
        added = 0;
        count = 0;
        conditions = null;
        walked = null;
        next = 0;
        rows = 0;
    }

    private void add(KeyEncoder key, int prefixLength) {
        makeRoom();
        int begin = used;
        append(key, false);
        begins[added] = begin;
        prefixEnds[added] = begin + prefixLength;
        ends[added] = used;
        order[added] = added;
        added++;
    }

    private void makeRoom() {
        if (added == order.length) {
            int room = 2 * added;
            begins = Arrays.copyOf(begins, room);
            prefixEnds = Arrays.copyOf(prefixEnds, room);
            ends = Arrays.copyOf(ends, room);
            order = Arrays.copyOf(order, room);
            lines = Arrays.copyOf(lines, room);
        }
    }

    private void append(KeyEncoder key, boolean above) {
        int end = used + key.length() + 1;
        if (end > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(end, 2 * bytes.length));
        }
        System.arraycopy(key.buffer(), 0, bytes, used, key.length());
        used += key.length();
        if (above) {
            bytes[used++] = KeyEncoder.ABOVE;
        }
    }

    // ---------------------------------------------------------------- with bounds

    /** @param key contains the range's tuple */
    private boolean addRange(KeyRange range, CachedTable table, SlotValues values, KeyEncoder key) {
        for (int i = 0; i < range.tuple().size(); i++) {
            if (!isAlike(i, range.tuple().get(i), values)) {
                return false;
            }
        }
        if (!arePlain(range.bounds(), values)) {
            return false;
        }
        int at = added;
        int cells = key.cells();
        int tuple = key.length();
        add(key, key.cellEnd(table.prefixCells()));
        if (lowerEnds.length < order.length) {
            lowerEnds = Arrays.copyOf(lowerEnds, order.length);
            upperBegins = Arrays.copyOf(upperBegins, order.length);
            upperEnds = Arrays.copyOf(upperEnds, order.length);
        }
        lowerEnds[at] = used;
        upperBegins[at] = used;
        append(key, true);
        upperEnds[at] = used;
        boolean none = false;
        boolean notNull = false;
        for (int i = 0; i < range.bounds().size(); i++) {
            KeyBound bound = range.bounds().get(i);
            if (!isAlike(bound.position(), bound.value(), values)
                    || !table.bind(bound.position(), bound.value(), values, key)) {
                return false;
            }
            if (bound.position() < cells) {
                none |= !admits(bound, key, tuple);
            } else {
                tighten(at, key, bound.lower(), bound.lower() != bound.inclusive());
                notNull = true;
            }
            key.truncate(cells);
        }
        if (notNull) {
            key.nullCell();
            if (!key.fits()) {
                return false;
            }
            tighten(at, key, true, true);
            key.truncate(cells);
        }
        if (none || compareEnds(at) > 0) {
            upperBegins[at] = begins[at];
            upperEnds[at] = lowerEnds[at];
        }
        return true;
    }

    /**
     * Returns whether bounds that may be equal for the store have equal bytes: {@link Spelling}.
     */
    private static boolean arePlain(List<KeyBound> bounds, SlotValues values) {
        for (int i = 0; i < bounds.size(); i++) {
            for (int j = 0; j < i; j++) {
                KeyBound one = bounds.get(i);
                KeyBound other = bounds.get(j);
                if (one.position() == other.position()
                        && one.lower() != other.lower()
                        && one.inclusive()
                        && other.inclusive()
                        && !Spelling.isPlain(
                                values, one.value().slot(), other.value().slot())) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Returns whether the tuple's own value meets the bound, the last cell of the key. */
    private static boolean admits(KeyBound bound, KeyEncoder key, int tuple) {
        int from = key.cellEnd(bound.position());
        int to = key.cellEnd(bound.position() + 1);
        int order = Arrays.compareUnsigned(key.buffer(), from, to, key.buffer(), tuple, key.length());
        return order == 0 ? bound.inclusive() : bound.lower() == order > 0;
    }

    /** Moves an end of a range to the encoder's key if this narrows the range. */
    private void tighten(int at, KeyEncoder key, boolean lower, boolean above) {
        int from = used;
        append(key, above);
        int oldFrom = lower ? begins[at] : upperBegins[at];
        int oldTo = lower ? lowerEnds[at] : upperEnds[at];
        int order = Arrays.compareUnsigned(bytes, from, used, bytes, oldFrom, oldTo);
        if (lower && order > 0) {
            prefixEnds[at] += from - oldFrom;
            ends[at] += from - oldFrom;
            begins[at] = from;
            lowerEnds[at] = used;
        } else if (!lower && order < 0) {
            upperBegins[at] = from;
            upperEnds[at] = used;
        } else {
            used = from;
        }
    }

    private int compareEnds(int at) {
        return Arrays.compareUnsigned(bytes, begins[at], lowerEnds[at], bytes, upperBegins[at], upperEnds[at]);
    }

    /**
     * Returns whether the value has the same kind as the last value that the read compares with the
     * column. BETWEEN compares its three operands as one type, and OR may do so. If the operands
     * have different kinds, it is unknown which type the store chooses.
     */
    private boolean isAlike(int position, KeyPart value, SlotValues values) {
        int known = compared[position];
        compared[position] = value.slot();
        return known == NO_SLOT || values.kind(known) == values.kind(value.slot());
    }

    /**
     * Merges overlapping ranges. Of two such ranges, the tuple of one begins with the tuple of the
     * other, so that both need the same line.
     */
    private void merge() {
        for (int i = 0; i < added; i++) {
            int next = order[i];
            int last = count > 0 ? order[count - 1] : -1;
            boolean overlaps = last >= 0
                    && Arrays.compareUnsigned(
                                    bytes, begins[next], lowerEnds[next], bytes, upperBegins[last], upperEnds[last])
                            < 0;
            if (!overlaps) {
                order[count++] = next;
                continue;
            }
            ends[last] = begins[last] + Math.min(ends[last] - begins[last], ends[next] - begins[next]);
            if (Arrays.compareUnsigned(
                            bytes, upperBegins[next], upperEnds[next], bytes, upperBegins[last], upperEnds[last])
                    > 0) {
                upperBegins[last] = upperBegins[next];
                upperEnds[last] = upperEnds[next];
            }
        }
    }

    // ---------------------------------------------------------------- order

    /** Sorts the keys in place by Shell sort. If they are few and sorted, one pass suffices. */
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

    /**
     * Compares two keys. Without bounds, all have the same columns, so that none begins with
     * another.
     */
    private int compare(int one, int other) {
        return Arrays.compareUnsigned(bytes, begins[one], lowerEnd(one), bytes, begins[other], lowerEnd(other));
    }

    private int lowerEnd(int key) {
        return bounded ? lowerEnds[key] : ends[key];
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

    /**
     * Finds the line of each key. Returns how many lines are missing.
     *
     * @param wanted how many matching rows, from the first one on, determine the reply
     */
    int find(LineTable table, LineProbe probe, int kind, long maxAgeNanos, long now, long wanted) {
        ReadShape walks = walked;
        if (walks != null) {
            return walk(walks, table, probe, kind, maxAgeNanos, now, wanted);
        }
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

    // ---------------------------------------------------------------- adjacent lines

    /**
     * Finds adjacent lines one after the other, continuing from the last call. If a range extends
     * beyond its line, the rest of the range becomes a separate range. Removes the remaining ranges
     * once the lines have enough rows.
     *
     * @return 1 if the line of the next range is missing; 0 if all lines are present
     */
    private int walk(
            ReadShape shape, LineTable table, LineProbe probe, int kind, long maxAgeNanos, long now, long wanted) {
        boolean down = shape.plan().order() == Order.DESC;
        for (; next < count; next++) {
            Line line = lines[next];
            if (line == null) {
                line = table.find(aim(next, probe, table, kind, maxAgeNanos), now);
                lines[next] = line;
            }
            if (line == null) {
                return 1;
            }
            split(order[next], line, down);
            rows += conditions == null ? rows(next) : matches(shape, next, kind, wanted - rows);
            if (rows >= wanted) {
                Arrays.fill(lines, next + 1, count, null);
                count = next + 1;
            }
        }
        return 0;
    }

    /** Returns the index of the first key without a line. */
    int firstMissing() {
        int first = next;
        while (lines[first] != null) {
            first++;
        }
        return first;
    }

    /** Returns a hash of a key's prefix or, in a table of ranges, of its range's beginning. */
    long hash(int i, LineTable table) {
        int key = order[i];
        ReadShape walks = walked;
        boolean down = walks != null && walks.plan().order() == Order.DESC;
        int from = down ? upperBegins[key] : begins[key];
        int to = down ? upperEnds[key] : walks == null ? prefixEnds[key] : lowerEnds[key];
        return table.keyHash(bytes, from, to);
    }

    /** Returns the number of the read's rows in the lines found so far. */
    long rowsSoFar() {
        return rows;
    }

    /** Splits a range at the end of its line. */
    private void split(int key, Line line, boolean down) {
        int from = down ? line.beginOffset() : line.endOffset();
        int length = down ? line.beginLength() : line.endLength();
        boolean extendsBeyond = down
                ? Arrays.compareUnsigned(line.bytes(), from, from + length, bytes, begins[key], lowerEnds[key]) > 0
                : length >= 0
                        && Arrays.compareUnsigned(
                                        line.bytes(), from, from + length, bytes, upperBegins[key], upperEnds[key])
                                < 0;
        if (!extendsBeyond) {
            return;
        }
        makeRoom();
        if (lowerEnds.length < order.length) {
            lowerEnds = Arrays.copyOf(lowerEnds, order.length);
            upperBegins = Arrays.copyOf(upperBegins, order.length);
            upperEnds = Arrays.copyOf(upperEnds, order.length);
        }
        if (used + length > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(used + length, 2 * bytes.length));
        }
        System.arraycopy(line.bytes(), from, bytes, used, length);
        int rest = added++;
        begins[rest] = down ? begins[key] : used;
        lowerEnds[rest] = down ? lowerEnds[key] : used + length;
        upperBegins[rest] = down ? used : upperBegins[key];
        upperEnds[rest] = down ? used + length : upperEnds[key];
        if (down) {
            begins[key] = used;
            lowerEnds[key] = used + length;
        } else {
            upperBegins[key] = used;
            upperEnds[key] = used + length;
        }
        used += length;
        prefixEnds[key] = begins[key];
        prefixEnds[rest] = begins[rest];
        ends[key] = lowerEnds[key];
        ends[rest] = lowerEnds[rest];
        System.arraycopy(order, next + 1, order, next + 2, count - next - 1);
        System.arraycopy(lines, next + 1, lines, next + 2, count - next - 1);
        order[next + 1] = rest;
        lines[next + 1] = null;
        count++;
    }

    /** Counts the rows of a range that may meet the conditions; stops at the wanted number. */
    private int matches(ReadShape shape, int i, int kind, long wanted) {
        Line line = found(i);
        RowConditions those = requireNonNull(conditions);
        RowReader cells = shape.table().reader(kind);
        int first = firstRow(i);
        int end = endRow(i, first);
        int matches = 0;
        boolean down = shape.plan().order() == Order.DESC;
        for (int at = first; at < end && matches < wanted; at++) {
            int row = down ? end - 1 - (at - first) : at;
            cells.read(line.bytes(), line.rowOffset(row), line.rowLength(row));
            matches += those.of(cells, kind == CachedTable.BINARY) == RowConditions.Verdict.OUT ? 0 : 1;
        }
        return matches;
    }

    private boolean samePrefix(int one, int other) {
        return Arrays.equals(bytes, begins[one], prefixEnds[one], bytes, begins[other], prefixEnds[other]);
    }

    LineProbe aim(int i, LineProbe probe, LineTable table, int kind, long maxAgeNanos) {
        ReadShape walks = walked;
        if (walks != null) {
            int key = order[i];
            boolean down = walks.plan().order() == Order.DESC;
            int from = down ? upperBegins[key] : begins[key];
            probe.aim(table, kind, bytes, from, from, down ? upperEnds[key] : lowerEnds[key])
                    .notOlderThan(maxAgeNanos);
            return down ? probe.downwards() : probe.upwards();
        }
        // Several keys under one prefix share a line, which must have the rows of all of them.
        return probe.aim(table, kind, bytes, begins[order[i]], suffixFrom(i), to(i))
                .notOlderThan(maxAgeNanos)
                .oneRow(whole && (count == 1 || suffixFrom(i) == to(i)));
    }

    /** Returns whether both keys have the same prefix, and so the same line. */
    boolean sharesLine(int one, int other) {
        return samePrefix(order[one], order[other]);
    }

    int count() {
        return count;
    }

    /** Returns the line of a key; null if it is missing. */
    @Nullable
    Line line(int i) {
        return lines[i];
    }

    void line(int i, Line line) {
        lines[i] = line;
    }

    Line found(int i) {
        return requireNonNull(lines[i], "a line is missing");
    }

    /** Returns the conditions on rows; null if the read has none. */
    @Nullable
    RowConditions conditions() {
        return conditions;
    }

    void rows(int i, RowsOut out) {
        if (bounded) {
            int first = firstRow(i);
            out.rows(found(i), first, endRow(i, first));
        } else {
            out.rows(found(i), bytes, suffixFrom(i), to(i));
        }
    }

    private int rows(int i) {
        int first = firstRow(i);
        return endRow(i, first) - first;
    }

    /** Returns the index of the first row of a range in its line. */
    int firstRow(int i) {
        return found(i).first(bytes, suffixFrom(i), lowerEnds[order[i]]);
    }

    /** Returns the index of the first row after a range in its line. */
    int endRow(int i, int first) {
        int key = order[i];
        return found(i).first(first, bytes, upperBegins[key] + prefixEnds[key] - begins[key], upperEnds[key]);
    }

    byte[] bytes() {
        return bytes;
    }

    int from(int i) {
        return begins[order[i]];
    }

    /** Returns the index at which the key's prefix ends and its suffix begins. */
    int suffixFrom(int i) {
        return prefixEnds[order[i]];
    }

    int to(int i) {
        return ends[order[i]];
    }
}
