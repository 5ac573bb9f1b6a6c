package org.keyline.rowcache;

import com.dynatrace.hash4j.hashing.Hasher64;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lines of one table: finding, loading, dropping. Thread-safe.
 *
 * <p>The contract:
 *
 * <ul>
 *   <li>{@link #find} answers a line only if it is complete, at most a ttl old, and no fence over its rows was closed since
 *       its load began.
 *   <li>A load is published only if no fence over its rows was closed since it began; its rows reach those who wait for it
 *       either way. Nobody joins a load once such a fence was closed.
 *   <li>When a fence's close returns, no read finds a line under it and no load begins under it until it opens.
 *   <li>Two reads never load the same rows at the same time, unless a fence was closed in between.
 * </ul>
 */
public final class LineTable {
    /*
     * Concurrency. Readers take no lock: an entry of the cache answers if it carries the table's current epoch. Everything
     * that changes what is known of a prefix (a load begins, is joined, is published, ends; a fence closes or opens; a line
     * is dropped) happens within the compute of that prefix's slot, so these are in a row. A load is publishable while it is
     * attached to the slot: closing a fence detaches it, in the same step that removes the lines.
     *
     * A fence over the whole table ends the epoch. A load remembers the epoch it began in and its line carries it, so a
     * publication that races with the end of the epoch puts a line that nobody will see. While such a fence is closed, the
     * current epoch is not open: no line carries it and no load begins in it.
     *
     * Foreign code (loaders, listeners) is called outside of the slot only. The cache's own maintenance may run inside; it
     * calls nothing but counters.
     */

    /** Row formats that a table may have: kinds are 0..MAX_KINDS - 1. */
    public static final int MAX_KINDS = 8;

    /** How long a prefix that could not be kept is not tried again. */
    private static final long UNCACHEABLE_NANOS = 60_000_000_000L;

    private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    private final RowCache cache;
    private final long id;
    private final Hasher64 hasher;
    private final TableStats stats = new TableStats();
    private final ConcurrentHashMap<Slot.Prefix, Slot> slots = new ConcurrentHashMap<>();

    private volatile TableOptions options;
    private volatile long ttlNanos;
    private volatile Epoch epoch;

    // Guarded by this.
    private int closers;
    private boolean retired;

    LineTable(RowCache cache, long id, TableOptions options, Hasher64 hasher, int closers) {
        this.cache = cache;
        this.id = id;
        this.hasher = hasher;
        this.options = options;
        this.ttlNanos = options.ttl().toNanos();
        this.closers = closers;
        this.epoch = new Epoch(this, closers == 0 && options.enabled());
    }

    /** The id it was made with. */
    public long id() {
        return id;
    }

    /** The options in force. */
    public TableOptions options() {
        return options;
    }

    /** The counters. */
    public TableStats stats() {
        return stats;
    }

    /**
     * Puts other options in force. Switching on or off drops all lines; a shorter ttl holds for lines that are there too.
     *
     * @throws IllegalArgumentException if the number of prefix cells differs: that would be another table
     */
    public synchronized void options(TableOptions options) {
        if (options.prefixCells() != this.options.prefixCells()) {
            throw new IllegalArgumentException("prefixCells: " + options.prefixCells() + " (expected: "
                    + this.options.prefixCells() + ", fixed for the life of a table)");
        }
        boolean switched = options.enabled() != this.options.enabled();
        this.options = options;
        this.ttlNanos = options.ttl().toNanos();
        if (switched) {
            beginEpoch();
        }
    }

    // ---------------------------------------------------------------- reads

    /**
     * The line that holds everything the probe asks for, or null where there is none that may answer at {@code nowNanos}.
     * Counts nothing.
     *
     * @param nowNanos the ticker's time of the read, or shortly before it
     */
    public @Nullable Line find(LineProbe probe, long nowNanos) {
        LineKey entry = cache.lines().getIfPresent(probe);
        if (entry instanceof Line line) {
            return line.epoch() == epoch && isFresh(line, nowNanos) ? line : null;
        }
        return entry == null ? null : findRange((Ranges) entry, probe, nowNanos);
    }

    /**
     * Whether {@code line} is still what {@link #find} would answer, its age aside. Where several lines found one after the
     * other are all still current afterwards, they held together at the moment the last one was found.
     */
    public boolean stillCurrent(Line line) {
        if (line.table() != this || !line.is(cache.lines().getIfPresent(line))) {
            return false;
        }
        if (line.shape() == LineKey.WHOLE) {
            return line.epoch() == epoch;
        }
        LineProbe probe = new LineProbe(this)
                .aim(this, line.kind(), line.prefixBytes(), line.prefixFrom(), line.prefixTo(), line.prefixTo());
        return cache.lines().getIfPresent(probe) instanceof Ranges ranges
                && ranges.tableEpoch() == epoch
                && ranges.epoch() == line.epoch();
    }

    /**
     * Gets the line that the probe asks for: one that came meanwhile, one that is being loaded, or by {@code loader}. For
     * reads that {@link #find} had no answer for. The listener is told in any case, possibly before this returns.
     */
    public void load(LineProbe probe, Loader loader, LoadListener listener) {
        Admission admission = new Admission(probe, listener);
        Epoch current = epoch;
        if (current.open()) {
            byte[] prefix = Arrays.copyOfRange(probe.key(), probe.from(), probe.suffixFrom());
            Slot.Prefix at = new Slot.Prefix(prefix, hash(0, prefix, 0, prefix.length));
            slots.compute(at, (prefixKey, slot) -> admission.admit(prefixKey, slot == null ? new Slot() : slot));
        } else {
            admission.decline = whyClosed();
        }
        Line line = admission.line;
        Decline decline = admission.decline;
        Load load = admission.begun;
        if (line != null) {
            listener.loaded(line);
        } else if (decline != null) {
            stats.declined(decline);
            listener.declined(decline);
        } else if (load != null) {
            begin(load, loader);
        } else {
            stats.waited();
        }
    }

    // ---------------------------------------------------------------- dropping

    /** Drops every line of the table, and keeps loads under way from being published. */
    public synchronized void flush() {
        beginEpoch();
    }

    /** Drops the lines under the prefix {@code key[from..to)}, of all row formats, and what is being loaded there. */
    public void flush(byte[] key, int from, int to) {
        Slot.Prefix prefix = prefix(key, from, to);
        slots.compute(prefix, (at, slot) -> {
            drop(at, slot);
            return slot == null || slot.idle() ? null : slot;
        });
    }

    // ---------------------------------------------------------------- fences

    Slot.Prefix prefix(byte[] key, int from, int to) {
        byte[] prefix = Arrays.copyOfRange(key, from, to);
        return new Slot.Prefix(prefix, hash(0, prefix, 0, prefix.length));
    }

    void close(Slot.Prefix prefix) {
        slots.compute(prefix, (at, slot) -> {
            Slot closed = slot == null ? new Slot() : slot;
            closed.closers++;
            drop(at, closed);
            return closed;
        });
        stats.fenceClosed();
    }

    void open(Slot.Prefix prefix) {
        slots.compute(prefix, (at, slot) -> {
            if (slot == null || slot.closers == 0) {
                throw new IllegalStateException("opened more often than closed");
            }
            slot.closers--;
            return slot.idle() ? null : slot;
        });
    }

    synchronized void close() {
        closers++;
        beginEpoch();
        stats.fenceClosed();
    }

    synchronized void open() {
        if (closers == 0) {
            throw new IllegalStateException("opened more often than closed");
        }
        closers--;
        beginEpoch();
    }

    synchronized void retire() {
        retired = true;
        beginEpoch();
    }

    /** Guarded by this. */
    private void beginEpoch() {
        epoch = new Epoch(this, closers == 0 && !retired && options.enabled());
    }

    private synchronized Decline whyClosed() {
        if (retired) {
            return Decline.RETIRED;
        }
        return options.enabled() ? Decline.FENCED : Decline.DISABLED;
    }

    // ---------------------------------------------------------------- loads

    /** What becomes of one call of load. Within the slot it decides; the fields tell the outside. */
    private final class Admission {
        private final LineProbe probe;
        private final LoadListener listener;

        @Nullable
        Line line;

        @Nullable
        Decline decline;

        @Nullable
        Load begun;

        Admission(LineProbe probe, LoadListener listener) {
            this.probe = probe;
            this.listener = listener;
        }

        @Nullable
        Slot admit(Slot.Prefix at, Slot slot) {
            decide(at, slot);
            return slot.idle() ? null : slot;
        }

        private void decide(Slot.Prefix at, Slot slot) {
            Epoch current = epoch;
            if (slot.closers > 0 || !current.open()) {
                decline = slot.closers > 0 ? Decline.FENCED : whyClosed();
                return;
            }
            long nowNanos = cache.ticker().read();
            // Another load may have been published since the read looked: without this look it would load again.
            line = find(probe, nowNanos);
            if (line != null) {
                return;
            }
            // Loads of an epoch that is over are as good as detached.
            slot.loads.removeIf(load -> load.epoch() != current);
            Ranges ranges = ranges(probe, current);
            if (ranges != null && ranges.uncacheable(nowNanos, UNCACHEABLE_NANOS)) {
                decline = Decline.UNCACHEABLE;
            } else if (!join(slot, nowNanos)) {
                begin(at, slot, current, ranges, nowNanos);
            }
        }

        private boolean join(Slot slot, long nowNanos) {
            for (Load load : slot.loads) {
                if (load.rowKind() == probe.kind() && load.asksFor(probe.key(), probe.suffixFrom(), probe.to())) {
                    if (nowNanos - load.beganNanos() > ttlNanos) {
                        decline = Decline.LOAD_TOO_OLD;
                    } else if (load.waiters.size() > options.maxWaiters()) {
                        decline = Decline.TOO_MANY_WAITERS;
                    } else {
                        load.waiters.add(waiter());
                    }
                    return true;
                }
            }
            return false;
        }

        private void begin(Slot.Prefix at, Slot slot, Epoch current, @Nullable Ranges ranges, long nowNanos) {
            byte[] lower = Bytes.NONE;
            byte[] upper = null;
            boolean whole = ranges == null || ranges.count() == 0;
            if (ranges != null && !whole) {
                byte[] suffix = suffix();
                int range = ranges.floor(suffix, 0, suffix.length);
                byte[] end = range < 0 ? suffix : ranges.upper(range);
                if (range >= 0 && (end == null || Arrays.compareUnsigned(end, suffix) > 0)) {
                    lower = ranges.lower(range);
                    upper = end;
                } else {
                    lower = suffix;
                    upper = range + 1 < ranges.count() ? ranges.lower(range + 1) : null;
                }
                upper = lowestLoadAbove(slot, lower, upper);
            }
            Load load = new Load(
                    LineTable.this,
                    probe.kind(),
                    at,
                    hash(probe.kind(), at.bytes, 0, at.bytes.length),
                    whole,
                    lower,
                    upper,
                    current,
                    nowNanos);
            if (!load.asksFor(probe.key(), probe.suffixFrom(), probe.to())) {
                decline = Decline.SPLIT;
            } else if (!cache.takeLoad()) {
                decline = Decline.TOO_MANY_LOADS;
            } else {
                load.waiters.add(waiter());
                slot.loads.add(load);
                begun = load;
            }
        }

        /** Ranges under way begin no range of their own twice: a new one ends where the next one begins. */
        private byte @Nullable [] lowestLoadAbove(Slot slot, byte[] lower, byte @Nullable [] upper) {
            byte[] lowest = upper;
            for (Load load : slot.loads) {
                if (load.rowKind() == probe.kind()
                        && Arrays.compareUnsigned(load.lower(), lower) > 0
                        && (lowest == null || Arrays.compareUnsigned(load.lower(), lowest) < 0)) {
                    lowest = load.lower();
                }
            }
            return lowest;
        }

        private Load.Waiter waiter() {
            return new Load.Waiter(suffix(), listener);
        }

        private byte[] suffix() {
            return Arrays.copyOfRange(probe.key(), probe.suffixFrom(), probe.to());
        }
    }

    private void begin(Load load, Loader loader) {
        stats.loadStarted();
        try {
            loader.start(load);
        } catch (RuntimeException | Error e) {
            load.fail(e);
        }
    }

    /**
     * A load came to its end with the array of a line.
     *
     * @param complete whether the line has all rows of the prefix
     * @param upper where the line ends if not
     */
    void succeeded(Load load, byte[] bytes, boolean complete, byte @Nullable [] upper, int rows) {
        int hash = complete ? load.hash() : rangeHash(load.hash(), load.lower(), 0, load.lower().length);
        Line[] made = new Line[1];
        List<Load.Waiter> waiters = end(load, publishable -> {
            Epoch lineEpoch = load.epoch();
            if (!complete) {
                Ranges known = publishable ? ranges(load) : null;
                Ranges ranges = (known == null ? noRanges(load) : known)
                        .with(load.lower(), upper, cache.options().maxRangesPerPrefix());
                lineEpoch = ranges.epoch();
                if (publishable) {
                    cache.put(ranges, 0, ranges.weight());
                }
            }
            made[0] = new Line(bytes, hash, lineEpoch, load.beganNanos());
            if (publishable) {
                cache.put(made[0], 1, made[0].weight());
            } else {
                stats.loadUnpublished();
            }
        });
        if (!waiters.isEmpty()) {
            stats.loaded(rows, bytes.length);
            tell(waiters, waiter -> waiter.tell(made[0]));
        }
    }

    void failed(Load load, Throwable cause) {
        List<Load.Waiter> waiters = end(load, publishable -> stats.loadFailed());
        tell(waiters, waiter -> waiter.listener().failed(cause));
    }

    /**
     * A load came to nothing.
     *
     * @param uncacheable whether that will be so again, and is to be remembered
     */
    void declined(Load load, boolean uncacheable) {
        List<Load.Waiter> waiters = end(load, publishable -> {
            if (publishable && uncacheable && load.whole()) {
                Ranges mark = Ranges.uncacheable(
                        load.hash(), load.rowKind(), load.slot().bytes, load.epoch(), load.beganNanos());
                cache.put(mark, 0, mark.weight());
            }
        });
        tell(waiters, waiter -> {
            stats.declined(Decline.UNCACHEABLE);
            waiter.listener().declined(Decline.UNCACHEABLE);
        });
    }

    /** What to do at the end of a load, within its slot. */
    private interface Ending {
        void at(boolean publishable);
    }

    /** Ends a load, once; answers who is to be told, nobody if it had ended already. */
    private List<Load.Waiter> end(Load load, Ending ending) {
        List<Load.Waiter> waiters = new ArrayList<>();
        slots.compute(load.slot(), (at, slot) -> {
            if (!load.ended) {
                load.ended = true;
                boolean attached = slot != null && slot.loads.remove(load);
                ending.at(attached && slot.closers == 0 && load.epoch() == epoch);
                waiters.addAll(load.waiters);
                load.waiters.clear();
            }
            return slot == null || slot.idle() ? null : slot;
        });
        if (!waiters.isEmpty()) {
            cache.returnLoad();
            stats.loadEnded(cache.ticker().read() - load.beganNanos());
        }
        return waiters;
    }

    /** Tells all, whatever one of them does. */
    private static void tell(List<Load.Waiter> waiters, Consumer<Load.Waiter> message) {
        RuntimeException thrown = null;
        for (Load.Waiter waiter : waiters) {
            try {
                message.accept(waiter);
            } catch (RuntimeException e) {
                if (thrown == null) {
                    thrown = e;
                } else {
                    thrown.addSuppressed(e);
                }
            }
        }
        if (thrown != null) {
            throw thrown;
        }
    }

    // ---------------------------------------------------------------- entries

    private @Nullable Line findRange(Ranges ranges, LineProbe probe, long nowNanos) {
        int range = ranges.floor(probe.key(), probe.suffixFrom(), probe.to());
        if (ranges.tableEpoch() != epoch || range < 0) {
            return null;
        }
        byte[] lower = ranges.lower(range);
        probe.aimAtRange(lower, 0, lower.length);
        LineKey entry = cache.lines().getIfPresent(probe);
        probe.aimAtWhole();
        return entry instanceof Line line
                        && line.epoch() == ranges.epoch()
                        && isFresh(line, nowNanos)
                        && line.covers(probe)
                ? line
                : null;
    }

    private boolean isFresh(Line line, long nowNanos) {
        return nowNanos - line.loadBeganNanos() <= ttlNanos;
    }

    private @Nullable Ranges ranges(LineKey key, Epoch current) {
        return cache.peek(key) instanceof Ranges ranges && ranges.tableEpoch() == current ? ranges : null;
    }

    private @Nullable Ranges ranges(Load load) {
        return ranges(whole(load.slot(), load.rowKind()), load.epoch());
    }

    private static Ranges noRanges(Load load) {
        return Ranges.none(load.hash(), load.rowKind(), load.slot().bytes, load.epoch());
    }

    private LineProbe whole(Slot.Prefix prefix, int kind) {
        return new LineProbe(this).aim(this, kind, prefix.bytes, 0, prefix.bytes.length, prefix.bytes.length);
    }

    /** Drops what is cached and what is being loaded at a prefix. Within its slot. */
    private void drop(Slot.Prefix prefix, @Nullable Slot slot) {
        if (slot != null) {
            slot.loads.clear();
        }
        for (int kind = 0; kind < MAX_KINDS; kind++) {
            LineProbe probe = whole(prefix, kind);
            LineKey entry = cache.remove(probe);
            if (entry instanceof Ranges ranges && ranges.tableEpoch() == epoch) {
                Ranges renewed = ranges.renewed();
                cache.put(renewed, 0, renewed.weight());
            }
        }
    }

    /** Removes a line whose time is over; the cache's sweep found it. */
    boolean dropExpired(LineKey entry, long nowNanos) {
        if (!isOver(entry, nowNanos)) {
            return false;
        }
        boolean[] dropped = new boolean[1];
        Slot.Prefix prefix = prefix(entry.prefixBytes(), entry.prefixFrom(), entry.prefixTo());
        slots.compute(prefix, (at, slot) -> {
            if (entry.is(cache.peek(entry))) {
                cache.remove(entry);
                dropped[0] = true;
            }
            return slot;
        });
        if (dropped[0] && entry instanceof Line) {
            stats.expired();
        }
        return dropped[0];
    }

    private boolean isOver(LineKey entry, long nowNanos) {
        if (entry instanceof Line line) {
            boolean ended = line.shape() == LineKey.WHOLE && line.epoch() != epoch;
            return ended || !isFresh(line, nowNanos);
        }
        return entry instanceof Ranges ranges && ranges.tableEpoch() != epoch;
    }

    /** Counts a line that another one replaces. */
    void replaced(LineKey entry) {
        if (entry instanceof Line) {
            stats.expired();
        }
    }

    // ---------------------------------------------------------------- hashes

    /** Hash of the entry for a whole prefix. */
    int hash(int kind, byte[] key, int from, int to) {
        return mix(hasher.hashBytesToLong(key, from, to - from) ^ (id * MAX_KINDS + kind) * GOLDEN_RATIO);
    }

    /** Hash of the entry for a range. */
    int rangeHash(int wholeHash, byte[] lower, int from, int to) {
        return mix(hasher.hashBytesToLong(lower, from, to - from) + (wholeHash | 1) * GOLDEN_RATIO);
    }

    private static int mix(long hash) {
        long mixed = (hash ^ (hash >>> 32)) * GOLDEN_RATIO;
        return (int) (mixed >>> 32);
    }

    @Override
    public String toString() {
        return "LineTable[id=" + id + "]";
    }
}
