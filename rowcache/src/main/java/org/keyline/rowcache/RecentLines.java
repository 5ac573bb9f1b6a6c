package org.keyline.rowcache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * An array of recently found lines, indexed by hash. A line replaces another one with the same
 * index. A hit accesses three places in memory; a hit in the Caffeine cache accesses five. With
 * many lines, these accesses dominate the time of a hit. Never contains a dropped line.
 * Thread-safe.
 */
final class RecentLines {
    private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(Line[].class);

    /**
     * The array has one place for this many bytes of the budget. A place takes 4 bytes, so the
     * array takes about a thousandth of the budget.
     */
    private static final int BUDGET_PER_PLACE = 4096;

    private static final int MIN_PLACES = 1 << 10;
    private static final int MAX_PLACES = 1 << 20;

    private final @Nullable Line[] places;

    RecentLines(long maxBytes) {
        long wanted = Math.min(MAX_PLACES, Math.max(MIN_PLACES, maxBytes / BUDGET_PER_PLACE));
        places = new Line[Integer.highestOneBit((int) wanted)];
    }

    @Nullable
    Line find(LineProbe probe) {
        Line line = (Line) PLACE.getAcquire(places, place(probe));
        return line != null && line.hash() == probe.hash() && probe.equals(line) ? line : null;
    }

    /**
     * Prefetches the memory that {@link #find} reads for these hashes. Accesses all hashes in each
     * step, because the waits for memory then overlap.
     *
     * @return a meaningless value computed from the memory that was read
     */
    int prefetch(int[] hashes, int count) {
        int seen = 0;
        for (int i = 0; i < count; i++) {
            seen += places[place(hashes[i])] == null ? 1 : 0;
        }
        for (int i = 0; i < count; i++) {
            Line line = places[place(hashes[i])];
            seen += line == null ? 0 : line.hash();
        }
        for (int i = 0; i < count; i++) {
            Line line = places[place(hashes[i])];
            seen += line == null ? 0 : line.firstBytes();
        }
        return seen;
    }

    /**
     * Adds a line. If it is dropped concurrently, either this method notices the drop, or
     * {@link #remove} finds the line.
     */
    void add(Line line) {
        int place = place(line);
        PLACE.setVolatile(places, place, line);
        if (line.isDropped()) {
            var unused = PLACE.compareAndSet(places, place, line, null);
        }
    }

    /** Removes the line, and returns whether it was present. */
    boolean remove(Line line) {
        int place = place(line);
        return line.is((Line) PLACE.getVolatile(places, place)) && PLACE.compareAndSet(places, place, line, null);
    }

    private int place(LineKey key) {
        return place(key.hash());
    }

    private int place(int hash) {
        return hash & (places.length - 1);
    }
}
