package org.keyline.gateway.table;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Which keys are missed again and again; as many as there is room for in 64 KiB. A miss follows another one of its key if it comes within
 * the life of a line from that one on, or from the end of the line that was loaded then. Thread-safe; the clock is the caller's.
 */
final class RecentMisses {
    /*
     * An entry has 22 bits of the key's hash, 40 of a time in units of 1,024 ns, and 2 that count. A key has one place, from which the
     * next one of another key pushes it out. Loops race for entries: the worst that comes of it is a miss that is forgotten.
     */
    /** Misses after which more are not told from these. */
    static final int MOST = 3;

    /** A power of two. */
    private static final int ENTRIES = 8_192;

    private static final int COUNT_BITS = 2;
    private static final int TIME_BITS = 40;
    private static final int TAG_BITS = Long.SIZE - TIME_BITS - COUNT_BITS;
    private static final int TICK_SHIFT = 10;

    private final AtomicLongArray entries = new AtomicLongArray(ENTRIES);

    /**
     * Remembers a miss.
     *
     * @param hash of the key
     * @param lifeNanos how long a line lives
     * @param loadedFrom after how many misses in succession the key is loaded
     * @return how many misses it follows, 0..{@link #MOST}
     */
    int missed(long hash, long nowNanos, long lifeNanos, int loadedFrom) {
        int place = (int) hash & (ENTRIES - 1);
        long tag = hash >>> (Long.SIZE - TAG_BITS);
        long tick = nowNanos >> TICK_SHIFT;
        long life = lifeNanos >> TICK_SHIFT;
        long last = entries.get(place);
        // The time may be in the future; it is signed, and goes round.
        long age = (tick - (last >> COUNT_BITS)) << (Long.SIZE - TIME_BITS) >> (Long.SIZE - TIME_BITS);
        int count = (int) last & MOST;
        int before = last >>> (TIME_BITS + COUNT_BITS) == tag && age <= life ? count : 0;
        long time = before >= loadedFrom ? tick + life : tick;
        entries.set(
                place,
                tag << (TIME_BITS + COUNT_BITS)
                        | (time << (Long.SIZE - TIME_BITS) >>> TAG_BITS)
                        | Math.min(MOST, before + 1));
        return before;
    }
}
