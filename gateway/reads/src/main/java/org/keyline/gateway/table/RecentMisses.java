package org.keyline.gateway.table;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The repeatedly missed keys, in a table of 64 KiB. A miss is repeated if the key's previous miss,
 * or the end of the line that it loaded, is not longer ago than the life of a line. Thread-safe;
 * the caller passes the time.
 */
final class RecentMisses {
    /*
     * An entry has 22 bits of the key's hash, 40 bits of a time in units of 1,024 ns, and 2 bits of
     * a count. Each key has one slot; another key with the same slot replaces the entry. At worst,
     * a race between event loops loses a miss.
     */
    static final int MOST = 3;

    /** Number of entries. A power of two. */
    private static final int ENTRIES = 8_192;

    private static final int COUNT_BITS = 2;
    private static final int TIME_BITS = 40;
    private static final int TAG_BITS = Long.SIZE - TIME_BITS - COUNT_BITS;
    private static final int TICK_SHIFT = 10;

    private final AtomicLongArray entries = new AtomicLongArray(ENTRIES);

    /**
     * Records a miss.
     *
     * @param hash the hash of the key
     * @param lifeNanos how long a line lives
     * @param loadedFrom the number of consecutive misses after which the key is loaded
     * @return the number of consecutive misses before this miss, 0..{@link #MOST}
     */
    int missed(long hash, long nowNanos, long lifeNanos, int loadedFrom) {
        int place = (int) hash & (ENTRIES - 1);
        long tag = hash >>> (Long.SIZE - TAG_BITS);
        long tick = nowNanos >> TICK_SHIFT;
        long life = lifeNanos >> TICK_SHIFT;
        long last = entries.get(place);
        // The entry's time may be in the future, so the age is signed. It wraps around.
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
