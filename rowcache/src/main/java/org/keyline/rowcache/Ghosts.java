package org.keyline.rowcache;

import java.util.BitSet;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Predicts how many loads one table would need at each load granularity. Simulates a cache of
 * virtual lines for each granularity (a level), on a hashed sample of the table's reads. Only the
 * first key cell determines whether a read is in the sample, so all reads of a virtual line are in
 * the sample or none is. For each sampled prefix and level, this class stores the time of the last
 * virtual load. A read counts as a new virtual load if a ttl has passed since that time, or if a
 * write under the prefix came later.
 *
 * <p>The state takes 128 KiB for a table with reads, and nothing for an idle one.
 *
 * <p>A level is the number of key cells in a prefix, 1 to {@link #levels()}. If the key has more
 * than {@link #MAX_LEVELS} cells, the last level is the whole key. Thread-safe. A read allocates or
 * takes a lock only if it is a table's first read, or halves the sampling rate.
 */
public final class Ghosts {
    /*
     * One array stores the virtual lines of all levels, one long per entry. An entry has 12 bits of
     * the first cell's hash, 12 bits of the prefix's own hash, and 40 bits of time. Other bits of
     * the prefix's hash select a set of four entries. About one read in a thousand is a false hit.
     *
     * A first cell is in the sample if the upper `halvings` bits of its hash are 0. Each entry
     * contains these bits, so after a halving they show which entries are obsolete. When many sets
     * overflow, the rate is halved at once; `adjustRate` also checks the whole sample. A read
     * outside the sample costs only the hash of its first cell, so a low rate makes hits cheap.
     *
     * Event loops write entries without a lock. At worst, a virtual load is counted twice.
     *
     * The owner of `room` recounts it periodically, so a retired table does not increment it.
     */

    public static final int MAX_LEVELS = 8;

    /** The number of loads after which a level's load time counts as known. */
    public static final int FEWEST_LOADS = 4;

    private static final int WAYS = 4;
    private static final int ENTRIES = 16_384;
    private static final int MAX_LIVE = ENTRIES / 2;
    private static final int MAX_HALVINGS = 12;
    private static final long ADJUSTMENT_NANOS = 5_000_000_000L;
    /** If there are fewer reads than this between two adjustments, the sample grows. */
    private static final int FEW_READS = 500;
    /**
     * A sufficient number of reads between two adjustments. At twice this number, the sample is
     * halved if enough first cells remain in the sample.
     */
    private static final int MANY_READS = 20_000;

    private static final int FEWEST_FIRST_CELLS = 32;
    /** A table with fewer than {@link #FEW_READS} reads in this many adjustments is idle. */
    private static final int IDLE_CALLS = 60;

    /** Number of displaced live entries after which the rate is halved. */
    private static final int CROWDED = 256;
    /**
     * Until a level's load time is known, one in this many virtual loads becomes a real load. After
     * that, one in {@link #RARELY} does, until the level has {@link #MANY_LOADS} loads.
     */
    private static final int OFTEN = 16;

    private static final int RARELY = 64;
    private static final int MANY_LOADS = 8;

    private static final int TIME_BITS = 40;
    private static final int TAG_BITS = 12;
    private static final long TIME_MASK = (1L << TIME_BITS) - 1;
    /** A tick is 1,024 ns. */
    private static final int TICK_SHIFT = 10;
    /** A tick before all others. */
    private static final long NEVER = Long.MIN_VALUE / 2;

    private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    private final long seed;
    private final int keyCells;
    private final int levels;
    private final LoadTimes times;
    /** Number of further tables that may have an array. Shared by all tables. */
    private final AtomicInteger room;
    /** The entries of virtual lines; null without reads, or if the budget is exhausted. */
    private volatile @Nullable AtomicLongArray lines;

    /** For each level, the tick at which all its virtual lines were last dropped. */
    private final AtomicLongArray droppedTicks;

    /** Null if no partition was dropped separately. */
    private volatile @Nullable DroppedParts droppedParts;

    private final LongAdder[] reads;
    private final LongAdder[] loads;
    private final AtomicInteger[] untilProbe;
    private final AtomicInteger crowded = new AtomicInteger();
    private volatile int halvings;
    private volatile int generation;
    private long readsAtAdjustment;
    private long adjustedNanos;
    private long idleReads;
    private int calls;

    /**
     * @param keyCells the number of cells of a whole key, 1 or more
     * @param seed makes the sample unpredictable for clients that choose keys
     * @param room the number of further tables that may have an array; shared by all tables of one
     * budget
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
            droppedTicks.set(level, NEVER);
        }
    }

    public boolean isActive() {
        return lines != null;
    }

    private synchronized @Nullable AtomicLongArray allocate() {
        AtomicLongArray array = lines;
        if (array == null && room.getAndDecrement() > 0) {
            array = new AtomicLongArray(ENTRIES);
            lines = array;
        }
        return array;
    }

    public int levels() {
        return levels;
    }

    public int cells(int level) {
        return level == levels ? keyCells : level;
    }

    int level(int cells) {
        return Math.min(cells, levels);
    }

    /**
     * Like {@link #read(KeyEncoder, long, long)}, for a key whose cell ends are unknown.
     *
     * @param cells a reader that this method uses to find the cells
     * @param keyLike an encoder of the calling thread, which receives the key's cells if the read
     * is in the sample
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
     * Records a read of all rows whose keys begin with the encoder's cells, at least one cell.
     *
     * @param ttlNanos the present lifetime of a line
     * @return a level for which the caller should measure one load; 0 if no measurement is needed
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
        AtomicLongArray array = lines;
        if (array == null) {
            array = room.get() > 0 ? allocate() : null;
            if (array == null) {
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
            if (!answers(array, first, hash, now, ttl, droppedTicks(level, key))) {
                loads[level].increment();
                probe = probe == 0 && isToProbe(level) ? level : probe;
            }
        }
        return probe;
    }

    /** Returns whether a virtual line answers the read. If not, starts a virtual load. */
    private boolean answers(AtomicLongArray lines, long first, long hash, long now, long ttl, long dropped) {
        long tag = tag(first, hash);
        int set = set(hash);
        int victim = set;
        long oldest = -1;
        for (int at = set; at < set + WAYS; at++) {
            long entry = lines.getPlain(at);
            long age = (now - entry) & TIME_MASK;
            if ((entry & ~TIME_MASK) == tag && entry != 0) {
                if (age <= ttl && age < now - dropped) {
                    return true;
                }
                lines.setOpaque(at, tag | (now & TIME_MASK));
                return false;
            }
            long rank = entry == 0 || age > ttl || !samples(entry) ? Long.MAX_VALUE : age;
            if (rank > oldest) {
                oldest = rank;
                victim = at;
            }
        }
        lines.setOpaque(victim, tag | (now & TIME_MASK));
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

    /** Drops the virtual lines with rows under the encoder's cells, after a write. */
    void dropped(KeyEncoder key, long nowNanos) {
        dropped(key, nowNanos, false);
    }

    /**
     * Drops the virtual lines that may lack an added row whose key begins with the encoder's cells.
     * Lines of single rows remain, unless the encoder has the whole key.
     */
    void added(KeyEncoder key, long nowNanos) {
        dropped(key, nowNanos, true);
    }

    private void dropped(KeyEncoder key, long nowNanos, boolean added) {
        int cells = key.cells();
        if (cells == 0 || !key.fits()) {
            for (int level = 1; level <= (added ? levels - 1 : levels); level++) {
                drop(level, nowNanos);
            }
            return;
        }
        AtomicLongArray array = lines;
        if (array == null) {
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
                // The affected lines of this level are unknown. A cache of this level would close
                // the whole table, so all lines of the level are dropped.
                if (!added || level < levels) {
                    drop(level, nowNanos);
                }
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
                if ((array.getPlain(at) & ~TIME_MASK) == tag) {
                    array.setOpaque(at, 0);
                }
            }
        }
    }

    void dropped(long nowNanos) {
        for (int level = 1; level <= levels; level++) {
            drop(level, nowNanos);
        }
    }

    /** For each partition, the tick at which its virtual lines were last dropped. */
    private record DroppedParts(Partitions by, ConcurrentHashMap<Long, Long> ticks) {}

    void dropped(Partitions by, Collection<Long> changed, long nowNanos) {
        DroppedParts parts = droppedParts;
        if (parts == null || !parts.by().equals(by)) {
            dropped(nowNanos);
            parts = new DroppedParts(by, new ConcurrentHashMap<>());
            droppedParts = parts;
        }
        long now = ticks(nowNanos);
        for (long partition : changed) {
            parts.ticks().put(partition, now);
        }
        parts.ticks().put(Partitions.NONE, now);
    }

    private long droppedTicks(int level, KeyEncoder key) {
        long whole = droppedTicks.get(level);
        DroppedParts parts = droppedParts;
        Long part = parts == null ? null : parts.ticks().get(parts.by().of(key.buffer(), 0, key.cellEnd(cells(level))));
        return part == null ? whole : Math.max(part, whole);
    }

    private void drop(int level, long nowNanos) {
        droppedTicks.setOpaque(level, ticks(nowNanos));
    }

    /**
     * Records a load of a line whose prefix has this many cells.
     *
     * @param whole whether all rows of the prefix were within the limits
     */
    public void loaded(int cells, int rows, long nanos, boolean whole) {
        times.add(level(cells), rows, nanos, whole);
    }

    /**
     * Returns whether lines with this many prefix cells often exceed the limits of a line, or have
     * more than {@code meanRows} rows on average.
     */
    public boolean exceeds(int cells, int meanRows) {
        return times.exceeds(level(cells), meanRows);
    }

    /**
     * Adapts the sampling rate every few seconds. Must be called about once a second.
     *
     * @param ttlNanos how long a line answers
     */
    public synchronized void adjustRate(long ttlNanos, long nowNanos) {
        AtomicLongArray array = lines;
        if (array == null || nowNanos - adjustedNanos < ADJUSTMENT_NANOS) {
            return;
        }
        adjustedNanos = nowNanos;
        long now = ticks(nowNanos);
        long ttl = ttlNanos >> TICK_SHIFT;
        int live = 0;
        BitSet firstCells = new BitSet();
        for (int at = 0; at < ENTRIES; at++) {
            long entry = array.getOpaque(at);
            if (entry != 0 && samples(entry) && ((now - entry) & TIME_MASK) <= ttl) {
                live++;
                firstCells.set((int) (entry >>> (Long.SIZE - TAG_BITS)));
            }
        }
        long sum = sum(reads);
        long seen = sum - readsAtAdjustment;
        int spare = Math.min(halvings(seen, MANY_READS), halvings(firstCells.cardinality(), FEWEST_FIRST_CELLS));
        if (spare > 0 || live > MAX_LIVE) {
            halve(Math.max(spare, 1));
        } else if (seen < FEW_READS && halvings > 0) {
            halve(-2);
        }
        readsAtAdjustment = sum;
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
     * The counts since the creation of the {@link Ghosts}.
     *
     * @param generation the number of changes of the sample; counts of different generations must
     * not be combined
     * @param sampleRate share of the first key cells whose reads are in the sample
     * @param reads for each level, the number of sampled reads whose key has this level's cells
     * @param loads for each level, the number of virtual loads
     * @param loadNanos for each level, the mean time of a real load; negative while unknown
     * @param rows for each level, the mean number of rows of a real load
     */
    @SuppressWarnings("ArrayRecordComponent") // numbers for a decision, never compared
    public record Snapshot(
            int generation, double sampleRate, long[] reads, long[] loads, double[] loadNanos, double[] rows) {}

    public Snapshot snapshot() {
        int of = generation;
        double rate = 1.0 / (1 << halvings);
        long[] readSums = new long[levels + 1];
        long[] loadSums = new long[levels + 1];
        double[] nanos = new double[levels + 1];
        double[] rows = new double[levels + 1];
        for (int level = 1; level <= levels; level++) {
            readSums[level] = reads[level].sum();
            loadSums[level] = loads[level].sum();
            nanos[level] = times.nanos(level);
            rows[level] = times.rows(level);
        }
        return new Snapshot(of, rate, readSums, loadSums, nanos, rows);
    }

    private static long sum(LongAdder[] adders) {
        long sum = 0;
        for (LongAdder adder : adders) {
            sum += adder.sum();
        }
        return sum;
    }

    /**
     * Returns whether the first key cell with this hash is in the sample. The argument may also be
     * an entry, because an entry begins with bits of the first cell's hash.
     */
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

    /** Returns the time in ticks, with the lowest bit set, because an entry of 0 is empty. */
    private static long ticks(long nanos) {
        return nanos >> TICK_SHIFT | 1;
    }

    /** @param before the hash of the preceding cells */
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
