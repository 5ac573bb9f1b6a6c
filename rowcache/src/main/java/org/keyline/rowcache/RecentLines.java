package org.keyline.rowcache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Lines found lately, by nothing but their hash: a place in an array for each, which the next line of that place takes over. A hit here
 * looks at three places in memory (the array, the line, its bytes) where the cache of all lines takes five, and where there are many lines
 * that is most of a hit's time. Holds nothing that was dropped. Thread-safe.
 */
final class RecentLines {
    private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(Line[].class);

    /** A place takes 4 bytes: a thousandth of the budget in all. */
    private static final int BUDGET_PER_PLACE = 4096;

    private static final int MIN_PLACES = 1 << 10;
    private static final int MAX_PLACES = 1 << 20;

    private final @Nullable Line[] places;

    /** For a cache of so many bytes. */
    RecentLines(long maxBytes) {
        long wanted = Math.min(MAX_PLACES, Math.max(MIN_PLACES, maxBytes / BUDGET_PER_PLACE));
        places = new Line[Integer.highestOneBit((int) wanted)];
    }

    /** The line of that identity, if it is here. */
    @Nullable
    Line find(LineProbe probe) {
        Line line = (Line) PLACE.getAcquire(places, place(probe));
        return line != null && line.hash() == probe.hash() && probe.equals(line) ? line : null;
    }

    /**
     * Has the processor fetch what {@link #find} will look at for lines of these hashes, for all of them at once: the waits for memory
     * overlap, which they do not from one find to the next.
     *
     * @return nothing of use, but it depends on what was looked at
     */
    int bringNear(int[] hashes, int count) {
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

    /** Puts a line in its place. One that is dropped at the same time does not stay: either this sees it or {@link #remove} does. */
    void add(Line line) {
        int place = place(line);
        PLACE.setVolatile(places, place, line);
        if (line.isDropped()) {
            var unused = PLACE.compareAndSet(places, place, line, null);
        }
    }

    /** Takes a line out of its place, until it is found again; answers whether it was there. */
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
