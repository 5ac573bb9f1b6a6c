package org.keyline.rowcache;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The lines that one write took out of the cache when it closed its fence, to put them back with one row changed when it opens it. They
 * hold what the store held before the write; if nobody else wrote meanwhile, they hold with the new row what it holds after. They keep
 * the time of their load: what is written past the gateway is seen as late as it would have been seen without the patch, and no later.
 *
 * <p>Got by {@link Fence#closeToPatch}. Lines go back when that fence opens, if {@link #row} was called, and neither another fence was
 * closed over them nor anything dropped there since. Else they stay out. Confined to the thread of the write.
 */
public final class Patch {
    /** A longer line is loaded anew: its copy would hold up others. */
    static final int MAX_BYTES = 64 << 10;

    private final LineTable table;
    private final Slot.Prefix prefix;
    private final byte[] suffix;
    private final List<Taken> taken = new ArrayList<>(2);
    private final List<Line> patched = new ArrayList<>(2);

    /** A line, and the epoch that it had. */
    private record Taken(Line line, Epoch epoch) {}

    Patch(LineTable table, Slot.Prefix prefix, byte[] suffix) {
        this.table = table;
        this.prefix = prefix;
        this.suffix = suffix;
    }

    /**
     * The write is done, and this is what it did to the row.
     *
     * @param several whether lines of several rows are patched: only where nobody writes past the gateway, as else their rows would be
     *     of different moments
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

    /** Whether there is a line to patch. */
    public boolean isEmpty() {
        return taken.isEmpty();
    }

    /** The lines that {@link #row} made. */
    public List<Line> lines() {
        return List.copyOf(patched);
    }

    /** The whole key of the row: a copy. */
    public byte[] key() {
        byte[] key = Arrays.copyOf(prefix.bytes(), prefix.bytes().length + suffix.length);
        System.arraycopy(suffix, 0, key, prefix.bytes().length, suffix.length);
        return key;
    }

    /** Bytes of the prefix in it that names the lines. */
    public int prefixLength() {
        return prefix.bytes().length;
    }

    /** Within the slot: a line leaves the cache. */
    void take(Line line, Epoch epoch) {
        if (line.shape() == LineKey.WHOLE && epoch == table.epoch()) {
            taken.add(new Taken(line, epoch));
        }
    }

    boolean isOf(LineTable other, Slot.Prefix at) {
        return table == other && prefix.equals(at);
    }

    /** Within the slot, where nothing else happened meanwhile: puts the lines back that still count. */
    void publish(RowCache cache) {
        for (Line line : patched) {
            if (line.epoch() == table.epoch()
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
