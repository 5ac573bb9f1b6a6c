package org.keyline.rowcache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Recently found lines, in an array indexed by their hash; the next line with the same index
 * replaces one. A hit here accesses three places in memory (the array, the line, its bytes), a hit
 * in the cache of all lines five. With many lines these accesses are most of a hit's time. Contains
 * no dropped line. Thread-safe.
 */
final class RecentLines {
    private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(Line[].class);

    /** A place takes 4 bytes, so all together take a thousandth of the budget. */
    private static final int BUDGET_PER_PLACE = 4096;

    private static final int MIN_PLACES = 1 << 10;
    private static final int MAX_PLACES = 1 << 20;

    private final @Nullable Line[] places;

    /** Creates the array for a cache of {@code maxBytes}. */
    RecentLines(long maxBytes) {
        long wanted = Math.min(MAX_PLACES, Math.max(MIN_PLACES, maxBytes / BUDGET_PER_PLACE));
        places = new Line[Integer.highestOneBit((int) wanted)];
    }

    /** Returns the line with that identity, or null if it is not here. */
    @Nullable
    Line find(LineProbe probe) {
        Line line = (Line) PLACE.getAcquire(places, place(probe));
        return line != null && line.hash() == probe.hash() && probe.equals(line) ? line : null;
    }

    /**
     * Prefetches the memory that {@link #find} reads for lines of these hashes. All of them are
     * read together, so that the waits for memory overlap, unlike those of consecutive calls of
     * find.
     *
     * @return a meaningless value that depends on the memory that was read
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
     * Adds a line. A line that is dropped at the same time does not remain: either this method sees
     * the drop, or {@link #remove} sees the line.
     */
    void add(Line line) {
        int place = place(line);
        PLACE.setVolatile(places, place, line);
        if (line.isDropped()) {
            var unused = PLACE.compareAndSet(places, place, line, null);
        }
    }

    /** Removes a line until it is found again; returns whether it was present. */
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
