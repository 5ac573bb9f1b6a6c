package org.keyline.rowcache;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The lines that one write removed from the cache when it closed its fence. When the fence opens,
 * they return with one changed row. They contain the store's rows before the write. If no other
 * session wrote meanwhile, then with the new row they contain the rows after it. They retain the
 * time of their load, so a patch does not delay the visibility of writes that bypass the gateway.
 *
 * <p>Created by {@link Fence#closeToPatch}. The lines return only if {@link #row} was called, no
 * other fence was closed over them, and nothing was dropped under their prefix. Otherwise they are
 * discarded. Confined to the thread of the write.
 */
public final class Patch {
    /** A longer line is loaded again instead, because copying it would delay other work. */
    static final int MAX_BYTES = 64 << 10;

    private final LineTable table;
    private final Slot.Prefix prefix;
    private final byte[] suffix;
    private final List<Taken> taken = new ArrayList<>(2);
    private final List<Line> patched = new ArrayList<>(2);

    /** A line, and its former epoch. */
    private record Taken(Line line, Epoch epoch) {}

    Patch(LineTable table, Slot.Prefix prefix, byte[] suffix) {
        this.table = table;
        this.prefix = prefix;
        this.suffix = suffix;
    }

    /**
     * Reports that the write is complete, and its effect on the row.
     *
     * @param several whether to patch lines of several rows. Allowed only if no writes bypass the
     *     gateway, because the rows of such a line would otherwise be of different times
     */
    public void row(RowChange change, boolean several) {
        for (Taken each : taken) {
            Line line = each.line();
            int row = line.find(suffix, 0, suffix.length);
            if (row < 0 || (line.rows() > 1 && !several)) {
                continue;
            }
            byte[] changed = change.changed(line.kind(), line.bytes(), line.rowOffset(row), line.rowLength(row));
            if (changed == null) {
                continue;
            }
            byte[] bytes = line.with(row, changed);
            if (bytes.length <= Math.min(MAX_BYTES, table.options().maxBytesPerLine())) {
                patched.add(line.changed(bytes, each.epoch(), line.loadBeganNanos()));
            }
        }
    }

    /** Returns whether there is no line to patch. */
    public boolean isEmpty() {
        return taken.isEmpty();
    }

    /** Returns the patched lines, which {@link #row} created. */
    public List<Line> lines() {
        return List.copyOf(patched);
    }

    /** Returns a copy of the whole key of the row. */
    public byte[] key() {
        byte[] key = Arrays.copyOf(prefix.bytes(), prefix.bytes().length + suffix.length);
        System.arraycopy(suffix, 0, key, prefix.bytes().length, suffix.length);
        return key;
    }

    /** Returns the length in bytes of the key prefix that names the lines. */
    public int prefixLength() {
        return prefix.bytes().length;
    }

    /** Adds a line that is leaving the cache. Called within the slot. */
    void take(Line line, Epoch epoch) {
        if (line.shape() == LineKey.WHOLE && table.isCurrent(epoch)) {
            taken.add(new Taken(line, epoch));
        }
    }

    boolean isOf(LineTable other, Slot.Prefix at) {
        return table == other && prefix.equals(at);
    }

    /**
     * Puts back the lines that are still valid. Called within the slot, if nothing else was closed
     * or dropped there meanwhile.
     */
    void publish(RowCache cache) {
        for (Line line : patched) {
            if (table.isCurrent(line.epoch())
                    && table.isFresh(line, cache.ticker().read())) {
                cache.put(line, 1, line.weight());
                table.stats().patched();
            }
        }
    }

    @Override
    public String toString() {
        return "Patch[" + table + ", suffix=" + Arrays.toString(suffix) + ", lines=" + taken.size() + "]";
    }
}
