package org.keyline.rowcache;

import java.util.BitSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * What the loads of one table would be at every load granularity: miniature simulations on a hashed sample of its reads. The sample has
 * whole coarsest prefixes (the first key cell), so that all reads of what could be one line are in it, or none. Of each prefix in the
 * sample, at each level, the time of its last virtual load is kept; a read later than a ttl after it, or after a write there, is a virtual
 * load. The share of virtual loads among the reads is that of the loads that the level would have made.
 *
 * <p>What is kept takes 128 KiB for a table that is read, and nothing for one that is idle. Where more tables are read than
 * there is room for, reads of the others tell nothing.
 *
 * <p>Levels are numbers of key cells, 1 to {@link #levels()}; of a key with more than {@link #MAX_LEVELS} cells the last level is the whole
 * key. Thread-safe; a read takes no lock and allocates nothing, but for the first one.
 */
public final class Ghosts {
    /*
     * One array has the virtual lines of all levels, an entry a long: 12 bits of the first cell's hash, 12 bits of the prefix's own hash,
     * 40 bits of time. Where it may stand, a set of four, comes from other bits of the prefix's hash. A false match takes about one read in
     * a thousand for a hit that is none.
     *
     * A first cell is in the sample if the upper bits of its hash, as many as `halvings`, are 0. These bits are in each entry, so that after a
     * halving it shows which entries are of no more use. Sets that run over halve the rate at once; `settle` looks at the whole from time
     * to time, lowers it where there are far more reads than a decision needs, and raises it where few are left. To lower it is what keeps a
     * hit cheap: of a read outside the sample, only the first cell is hashed.
     *
     * Loops race for entries: the worst that comes of it is a virtual load that is counted twice.
     *
     * The array is made by the first read, if there is room, and given up by `settle` where hardly anybody reads. Whoever shares the room
     * counts it anew from time to time, so that what tables had that are gone needs no giving back.
     */

    /** Most levels. */
    public static final int MAX_LEVELS = 8;

    /** Loads after which a level's load time is taken for known. */
    public static final int FEWEST_LOADS = 4;

    private static final int WAYS = 4;
    private static final int ENTRIES = 16_384;
    private static final int MAX_LIVE = ENTRIES / 2;
    private static final int MAX_HALVINGS = 12;
    /** Reads in the sample between two calls of {@link #settle} below which more prefixes are taken. */
    private static final int FEW_READS = 500;
    /** Twice as many are more than needed, if first cells enough are left without half of them. */
    private static final int MANY_READS = 20_000;

    private static final int FEWEST_FIRST_CELLS = 32;
    /** Calls of {@link #settle} after which a table without {@link #FEW_READS} in all of them is idle. */
    private static final int IDLE_CALLS = 60;

    /** Entries that displace a live one before the rate is halved. */
    private static final int CROWDED = 256;
    /** Until the level's load time is known, one of so many virtual loads is made; then, up to so many in all, one of {@link #RARELY}. */
    private static final int OFTEN = 16;

    private static final int RARELY = 64;
    private static final int MANY_LOADS = 8;

    private static final int TIME_BITS = 40;
    private static final int TAG_BITS = 12;
    private static final long TIME_MASK = (1L << TIME_BITS) - 1;
    /** A unit of time is 1,024 ns. */
    private static final int TICK_SHIFT = 10;

    private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    private final long seed;
    private final int keyCells;
    private final int levels;
    private final LoadTimes times;
    /** Shared by tables: for how many more there is room. */
    private final AtomicInteger room;
    /** Null: nobody has read, or there was no room. */
    private volatile @Nullable AtomicLongArray lines;

    /** By level: what was loaded before was dropped. In ticks. */
    private final AtomicLongArray droppedTicks;

    private final LongAdder[] reads;
    private final LongAdder[] loads;
    private final AtomicInteger[] untilProbe;
    private final AtomicInteger crowded = new AtomicInteger();
    private volatile int halvings;
    private volatile int generation;
    private long settledReads;
    private long idleReads;
    private int calls;

    /**
     * @param keyCells cells of a whole key, 1 or more
     * @param seed of the hashes: whoever writes keys must not be able to choose the sample
     * @param room for how many more tables there is room; shared by all that are to keep to it
     */
    public Ghosts(int keyCells, long seed, AtomicInteger room) {
        RowCacheOptions.inRange("keyCells", keyCells, 1, KeyEncoder.MAX_CELLS);
        this.seed = seed;
        this.room = room;
        this.keyCells = keyCells;
        this.levels = Math.min(keyCells, MAX_LEVELS);
        this.times = new LoadTimes(levels);
        this.droppedTicks = new AtomicLongArray(levels + 1);
        this.reads = new LongAdder[levels + 1];
        this.loads = new LongAdder[levels + 1];
        this.untilProbe = new AtomicInteger[levels + 1];
        for (int level = 0; level <= levels; level++) {
            reads[level] = new LongAdder();
            loads[level] = new LongAdder();
            untilProbe[level] = new AtomicInteger(1);
        }
    }

    /** Whether it has its room. */
    public boolean isKept() {
        return lines != null;
    }

    private synchronized @Nullable AtomicLongArray keep() {
        AtomicLongArray kept = lines;
        if (kept == null && room.getAndDecrement() > 0) {
            kept = new AtomicLongArray(ENTRIES);
            lines = kept;
        }
        return kept;
    }

    /** How many levels there are. */
    public int levels() {
        return levels;
    }

    /** Key cells that name a line at a level. */
    public int cells(int level) {
        return level == levels ? keyCells : level;
    }

    /** The level of lines that are named by so many key cells. */
    int level(int cells) {
        return Math.min(cells, levels);
    }

    /**
     * A read of everything under {@code key[from..to)}, one cell or more: {@link #read(KeyEncoder, long, long)} for bytes whose cells are
     * not known.
     *
     * @param cells reads them
     * @param keyLike of the same thread, has the cells afterwards if they are in the sample
     */
    public int read(byte[] key, int from, int to, KeyReader cells, KeyEncoder keyLike, long ttlNanos, long nowNanos) {
        cells.wrap(key, from, to).skip();
        int firstEnd = cells.position();
        long first = hash(seed, key, from, firstEnd);
        if (!samples(first)) {
            return 0;
        }
        keyLike.reset().cells(key, from, to, cells.wrap(key, from, to));
        return keyLike.fits()
                ? sampled(first, keyLike.buffer(), firstEnd - from, keyLike, keyLike.cells(), ttlNanos, nowNanos)
                : 0;
    }

    /**
     * A read of everything under the encoder's cells, one or more.
     *
     * @param ttlNanos how long a line answers now
     * @return a level at which a load is to be made, so that its time becomes known; 0 for none
     */
    public int read(KeyEncoder key, long ttlNanos, long nowNanos) {
        byte[] bytes = key.buffer();
        int end = key.cellEnd(1);
        long first = hash(seed, bytes, 0, end);
        if (!samples(first)) {
            return 0;
        }
        return sampled(first, bytes, end, key, key.cells(), ttlNanos, nowNanos);
    }

    private int sampled(
            long first, byte[] bytes, int firstEnd, KeyEncoder key, int cells, long ttlNanos, long nowNanos) {
        int asked = cells == keyCells ? levels : Math.min(cells, levels - 1);
        AtomicLongArray kept = lines;
        if (kept == null) {
            kept = room.get() > 0 ? keep() : null;
            if (kept == null) {
                return 0;
            }
        }
        reads[asked].increment();
        long now = ticks(nowNanos);
        long ttl = ttlNanos >> TICK_SHIFT;
        long hash = first;
        int begin = firstEnd;
        int probe = 0;
        for (int level = 1; level <= asked; level++) {
            if (level > 1) {
                int end = key.cellEnd(cells(level));
                hash = hash(hash, bytes, begin, end);
                begin = end;
            }
            if (!answers(kept, first, hash, now, ttl, droppedTicks.get(level))) {
                loads[level].increment();
                probe = probe == 0 && isToProbe(level) ? level : probe;
            }
        }
        return probe;
    }

    /** Whether the line is there; if not, it is from now on. */
    private boolean answers(AtomicLongArray lines, long first, long hash, long now, long ttl, long dropped) {
        long tag = tag(first, hash);
        int set = set(hash);
        int victim = set;
        long oldest = -1;
        for (int at = set; at < set + WAYS; at++) {
            long entry = lines.getPlain(at);
            long age = (now - entry) & TIME_MASK;
            if ((entry & ~TIME_MASK) == tag && entry != 0) {
                if (age <= ttl && isAfter(entry, dropped)) {
                    return true;
                }
                lines.setOpaque(at, tag | now);
                return false;
            }
            long worth = entry == 0 || age > ttl || !samples(entry) ? Long.MAX_VALUE : age;
            if (worth > oldest) {
                oldest = worth;
                victim = at;
            }
        }
        lines.setOpaque(victim, tag | now);
        if (oldest != Long.MAX_VALUE && crowded.incrementAndGet() >= CROWDED) {
            halve(1);
        }
        return false;
    }

    private boolean isToProbe(int level) {
        int known = times.loads(level);
        if (known >= MANY_LOADS || times.isOverCeiling(level)) {
            return false;
        }
        if (untilProbe[level].decrementAndGet() > 0) {
            return false;
        }
        untilProbe[level].set(known < FEWEST_LOADS ? OFTEN : RARELY);
        return true;
    }

    /** What is under the encoder's cells was written: lines that have some of it are gone, as they are in the cache. */
    void dropped(KeyEncoder key, long nowNanos) {
        int cells = key.cells();
        if (cells == 0 || !key.fits()) {
            dropped(nowNanos);
            return;
        }
        AtomicLongArray kept = lines;
        if (kept == null) {
            return;
        }
        int begin = key.cellEnd(1);
        long first = hash(seed, key.buffer(), 0, begin);
        if (!samples(first)) {
            return;
        }
        long hash = first;
        for (int level = 1; level <= levels; level++) {
            if (cells(level) > cells) {
                // Which of them there are, nobody knows: the cache closes the table, too.
                drop(level, nowNanos);
                continue;
            }
            if (level > 1) {
                int end = key.cellEnd(cells(level));
                hash = hash(hash, key.buffer(), begin, end);
                begin = end;
            }
            long tag = tag(first, hash);
            int set = set(hash);
            for (int at = set; at < set + WAYS; at++) {
                if ((kept.getPlain(at) & ~TIME_MASK) == tag) {
                    kept.setOpaque(at, 0);
                }
            }
        }
    }

    /** The whole table was written. */
    void dropped(long nowNanos) {
        for (int level = 1; level <= levels; level++) {
            drop(level, nowNanos);
        }
    }

    private void drop(int level, long nowNanos) {
        droppedTicks.setOpaque(level, ticks(nowNanos));
    }

    /**
     * A load of lines of so many cells took so long.
     *
     * @param whole whether all rows of the prefix were below the ceiling
     */
    public void loaded(int cells, int rows, int bytes, long nanos, boolean whole) {
        times.add(level(cells), rows, bytes, nanos, whole);
    }

    /** Returns whether lines of so many cells have exceeded a line's ceilings, or have had more rows than that on average. */
    public boolean exceeds(int cells, int meanRows) {
        return times.exceeds(level(cells), meanRows);
    }

    /**
     * Makes the sample fit: to be called every few seconds.
     *
     * @param ttlNanos how long a line answers
     */
    public synchronized void settle(long ttlNanos, long nowNanos) {
        AtomicLongArray kept = lines;
        if (kept == null) {
            return;
        }
        long now = ticks(nowNanos);
        long ttl = ttlNanos >> TICK_SHIFT;
        int live = 0;
        BitSet firstCells = new BitSet();
        for (int at = 0; at < ENTRIES; at++) {
            long entry = kept.getOpaque(at);
            if (entry != 0 && samples(entry) && ((now - entry) & TIME_MASK) <= ttl) {
                live++;
                firstCells.set((int) (entry >>> (Long.SIZE - TAG_BITS)));
            }
        }
        long sum = sum(reads);
        long seen = sum - settledReads;
        int spare = Math.min(halvings(seen, MANY_READS), halvings(firstCells.cardinality(), FEWEST_FIRST_CELLS));
        if (spare > 0 || live > MAX_LIVE) {
            halve(Math.max(spare, 1));
        } else if (seen < FEW_READS && halvings > 0) {
            halve(-2);
        }
        settledReads = sum;
        crowded.set(0);
        if (++calls % IDLE_CALLS == 0) {
            if (sum - idleReads < FEW_READS) {
                lines = null;
                halvings = 0;
                generation++;
            }
            idleReads = sum;
        }
        times.grow();
    }

    /** How often a number can be halved without falling below another one. */
    private static int halvings(long number, long least) {
        return number < least ? 0 : Long.SIZE - 1 - Long.numberOfLeadingZeros(number / least);
    }

    private synchronized void halve(int times) {
        crowded.set(0);
        int wanted = Math.max(0, Math.min(MAX_HALVINGS, halvings + times));
        if (wanted != halvings) {
            halvings = wanted;
            generation++;
        }
    }

    /**
     * What was counted up to now.
     *
     * @param generation another one is another sample: counts of two of them say nothing together
     * @param sampleRate share of the prefixes that are in the sample
     * @param reads by level: reads in the sample that bind as many cells
     * @param loads by level: virtual loads of the sample
     * @param loadNanos by level: mean time of a load; negative while unknown
     * @param rows by level: mean rows of a load
     * @param bytes by level: mean bytes of a load
     * @param overCeiling by level: whether loads there bring more than one line may have
     */
    @SuppressWarnings("ArrayRecordComponent") // a bag of numbers on its way to a decision; nobody compares two
    public record Snapshot(
            int generation,
            double sampleRate,
            long[] reads,
            long[] loads,
            double[] loadNanos,
            double[] rows,
            double[] bytes,
            boolean[] overCeiling) {}

    /** The counts at about this moment. */
    public Snapshot snapshot() {
        int of = generation;
        double rate = 1.0 / (1 << halvings);
        long[] readSums = new long[levels + 1];
        long[] loadSums = new long[levels + 1];
        double[] nanos = new double[levels + 1];
        double[] rows = new double[levels + 1];
        double[] bytes = new double[levels + 1];
        boolean[] over = new boolean[levels + 1];
        for (int level = 1; level <= levels; level++) {
            readSums[level] = reads[level].sum();
            loadSums[level] = loads[level].sum();
            nanos[level] = times.nanos(level);
            rows[level] = times.rows(level);
            bytes[level] = times.bytes(level);
            over[level] = times.isOverCeiling(level);
        }
        return new Snapshot(of, rate, readSums, loadSums, nanos, rows, bytes, over);
    }

    private static long sum(LongAdder[] adders) {
        long sum = 0;
        for (LongAdder adder : adders) {
            sum += adder.sum();
        }
        return sum;
    }

    /** Whether a first cell's hash, or an entry, which begins with some bits of it, is in the sample. */
    private boolean samples(long first) {
        return first >>> (Long.SIZE - TAG_BITS) >>> (TAG_BITS - halvings) == 0;
    }

    private static long tag(long first, long hash) {
        long ofFirst = first & -1L << (Long.SIZE - TAG_BITS);
        long own = (hash >>> 20 & (1L << TAG_BITS) - 1) << TIME_BITS;
        return ofFirst | own;
    }

    private static int set(long hash) {
        return (int) (hash & (ENTRIES / WAYS - 1)) * WAYS;
    }

    /** Never 0, which is no entry. */
    private static long ticks(long nanos) {
        return (nanos >> TICK_SHIFT | 1) & TIME_MASK;
    }

    private static boolean isAfter(long entry, long dropped) {
        return dropped == 0 || (((entry - dropped) & TIME_MASK) < TIME_MASK / 2 && (entry & TIME_MASK) != dropped);
    }

    /** Goes on from the hash of the cells before. */
    private static long hash(long before, byte[] bytes, int from, int to) {
        long hash = before;
        int at = from;
        for (; at + Long.BYTES <= to; at += Long.BYTES) {
            hash = mix(hash ^ (long) Bytes.BIG_ENDIAN_LONG.get(bytes, at));
        }
        long rest = (long) to - from;
        for (; at < to; at++) {
            rest = rest << Byte.SIZE | (bytes[at] & 0xFF);
        }
        return mix(hash ^ rest);
    }

    private static long mix(long value) {
        long mixed = value * GOLDEN_RATIO;
        return (mixed ^ mixed >>> 32) * GOLDEN_RATIO;
    }
}
