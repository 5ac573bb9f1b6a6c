package org.keyline.rowcache;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a table that is kept as ranges of keys, which lie next to each other: what a write leaves of them, and what becomes of short
 * ones. Called within the table's one slot.
 */
final class RangeLines {
    /*
     * A write knows which keys it may change. The rows beside them are what they were, so they stay: in the place of the line that has such
     * keys come one of what is below them, and one of what is above. What is between, one row at most where the whole key is known, is
     * loaded when it is asked for, and joined with what is beside it. So a write costs a copy and the next read a short load, however long
     * the range is.
     *
     * Part of a line is as old as the line, and what is joined is as old as the oldest of its parts. Lines that are over are not joined.
     * Rows of one line that was joined may be of two moments as far as writes past the cache go, as those of two lines may, and it says so.
     */
    /** Longer lines are neither cut nor joined, in bytes: whoever writes to the table or loads of it waits meanwhile. */
    static final int MAX_COPIED_BYTES = 512 << 10;

    /** Where more ranges are known, a write drops lines: else it would copy all of their bounds. */
    private static final int MAX_CUT_RANGES = 1 << 13;

    private final LineTable table;
    private final RowCache cache;

    RangeLines(LineTable table, RowCache cache) {
        this.table = table;
        this.cache = cache;
    }

    /** The line of a range, if it may answer now. */
    @Nullable
    Line current(Ranges ranges, int range, LineProbe probe) {
        byte[] lower = ranges.lower(range);
        probe.aimAtRange(lower, 0, lower.length);
        LineKey entry = cache.peek(probe);
        probe.aimAtWhole();
        return entry instanceof Line line
                        && line.epoch() == ranges.epoch()
                        && table.isFresh(line, cache.ticker().read())
                ? line
                : null;
    }

    /** Takes the keys from some suffix on and below another out of the lines that may have some of them. */
    void cut(Ranges known, LineProbe probe, byte[] from, byte[] to) {
        Ranges left = known;
        List<Line> parts = new ArrayList<>(2);
        for (int i = known.firstAbove(from); i < known.count(); i++) {
            byte[] lower = known.lower(i);
            if (Arrays.compareUnsigned(lower, to) >= 0) {
                break;
            }
            Line line = known.count() > MAX_CUT_RANGES ? null : current(known, i, probe);
            if (line != null
                    && line.bytes().length <= MAX_COPIED_BYTES
                    && Arrays.equals(line.end(), known.upper(i))
                    && addParts(line, known, from, to, parts)) {
                left = left.without(left.floor(lower, 0, lower.length), from, to);
            }
            probe.aimAtRange(lower, 0, lower.length);
            cache.remove(probe);
        }
        probe.aimAtWhole();
        if (!parts.isEmpty()) {
            cache.put(left, 0, left.weight());
            parts.forEach(part -> cache.put(part, 1, part.weight()));
        }
    }

    /** Makes lines of what a line has below some suffix, and from another one on; answers whether there is any. */
    private boolean addParts(Line line, Ranges ranges, byte[] from, byte[] to, List<Line> parts) {
        byte[] begin = line.begin();
        byte[] end = line.end();
        int before = parts.size();
        if (Arrays.compareUnsigned(begin, from) < 0) {
            int rows = line.first(from, 0, from.length);
            parts.add(part(line, ranges, new LineRows(line, 0, rows), begin, from));
        }
        if (end == null || Arrays.compareUnsigned(end, to) > 0) {
            int first = line.first(to, 0, to.length);
            parts.add(part(line, ranges, new LineRows(line, first, line.rows()), to, end));
        }
        return parts.size() > before;
    }

    private Line part(Line of, Ranges ranges, LineRows rows, byte[] lower, byte @Nullable [] upper) {
        byte[] bytes = LineRows.range(List.of(rows), lower, upper);
        return of.changed(bytes, hash(ranges, lower), ranges.epoch(), of.loadBeganNanos());
    }

    /**
     * Puts the bounds of a range that was loaded; answers the line that is to be put, which has the rows of lines beside it as well if it is a
     * short one.
     *
     * @param ranges with that range
     */
    Line put(Line loaded, Ranges ranges, LineProbe probe) {
        byte[] lower = loaded.begin();
        int at = ranges.floor(lower, 0, lower.length);
        List<Line> lines = toJoin(loaded, ranges, at, probe);
        if (lines.size() == 1) {
            cache.put(ranges, 0, ranges.weight());
            return loaded;
        }
        List<LineRows> rows = new ArrayList<>(lines.size());
        long oldestNanos = loaded.loadBeganNanos();
        for (Line line : lines) {
            rows.add(new LineRows(line, 0, line.rows()));
            oldestNanos = line.loadBeganNanos() - oldestNanos < 0 ? line.loadBeganNanos() : oldestNanos;
        }
        byte[] begin = lines.get(0).begin();
        byte[] bytes = LineRows.range(rows, begin, lines.get(lines.size() - 1).end());
        Line joined = loaded.changed(bytes, hash(ranges, begin), ranges.epoch(), oldestNanos);
        lines.forEach(cache::remove);
        int first = at - lines.indexOf(loaded);
        Ranges fewer = ranges.joined(first, first + lines.size() - 1);
        cache.put(fewer, 0, fewer.weight());
        return joined;
    }

    /** A line that was loaded, with those next to it that may be one with it, in their order. */
    private List<Line> toJoin(Line loaded, Ranges ranges, int at, LineProbe probe) {
        List<Line> lines = new ArrayList<>(3);
        lines.add(loaded);
        if (2 * loaded.rows() >= maxRows()) {
            return lines;
        }
        Line before = at > 0 ? current(ranges, at - 1, probe) : null;
        Line after = at + 1 < ranges.count() ? current(ranges, at + 1, probe) : null;
        if (before != null && Arrays.equals(before.end(), loaded.begin())) {
            lines.add(0, before);
        }
        if (after != null && Arrays.equals(after.begin(), loaded.end())) {
            lines.add(after);
        }
        while (lines.size() > 1 && !fit(lines)) {
            Line first = lines.get(0);
            Line last = lines.get(lines.size() - 1);
            boolean withoutFirst = loaded.is(last) || (!loaded.is(first) && first.rows() > last.rows());
            lines.remove(withoutFirst ? 0 : lines.size() - 1);
        }
        return lines;
    }

    /** Whether one line may have the rows of all of these. */
    private boolean fit(List<Line> lines) {
        long rows = 0;
        long bytes = 0;
        for (Line line : lines) {
            rows += line.rows();
            bytes += line.bytes().length;
        }
        return rows <= maxRows()
                && bytes <= Math.min(MAX_COPIED_BYTES, table.options().maxBytesPerLine());
    }

    private int maxRows() {
        return Math.min(table.options().maxRowsPerLine(), Admission.GROWTH * Admission.RANGE_ROWS);
    }

    private int hash(Ranges ranges, byte[] lower) {
        return table.rangeHash(ranges.hash(), lower, 0, lower.length);
    }
}
