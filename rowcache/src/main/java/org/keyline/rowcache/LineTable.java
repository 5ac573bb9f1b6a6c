package org.keyline.rowcache;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.github.benmanes.caffeine.cache.Cache;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The lines of one table. Finds, loads and drops them. Thread-safe.
 *
 * <p>The contract:
 *
 * <ul>
 * <li>{@link #find} returns a line only if it is complete, and no fence over its rows was closed
 * since its load began. The line's age is at most a ttl, unless its freshness was extended.
 * <li>With {@linkplain OtherCaches other caches}, a line older than their staleness answers only
 * while they extend its freshness.
 * <li>A load is published (becomes a line that reads find) only if no fence over its rows was
 * closed since it began. Once such a fence was closed, no read joins the load. Reads that already
 * wait for the load receive its rows.
 * <li>Rows that were {@linkplain Load#succeedAsOf loaded elsewhere} complete a load only if, since
 * they were loaded, no fence over them was closed and no line of them was dropped.
 * <li>After a fence's close returns, and until the fence opens, no read finds a line of the closed
 * rows, and no load of these rows begins.
 * <li>While a fence over {@linkplain Fence#closeForNewRow added rows of unknown keys} is closed, a
 * line answers only reads of a single row that is in the line.
 * <li>Two loads of the same rows do not run at the same time, unless a fence was closed in between.
 * </ul>
 *
 * <p>The {@linkplain #filters filter lines} of a table are a separate table. Conditions instead of
 * a key prefix identify a filter line, so any row can be in it. An operation that closes, drops or
 * disables a line of the table therefore affects all filter lines. Only a change of a known row
 * ({@link AddedRow}) affects fewer of them.
 */
public abstract sealed class LineTable permits PrefixTable, RangeTable, FilterTable {
    /*
     * Concurrency. Readers take no lock: an entry of the cache answers if it carries the table's
     * current epoch. A line that leaves the cache loses its epoch in the same step, so no reader
     * uses it any more. The state of one prefix changes only within the compute of its slot (see
     * Slots).
     *
     * A fence over the whole table ends the epoch. A load and its line carry the epoch in which the
     * load began. A publication that races with the end of the epoch therefore adds a line that no
     * reader finds. While such a fence is closed, the current epoch is not open: no line carries
     * it, and no load begins in it. The epoch of a retired or disabled table is not open either.
     */

    /** Number of kinds of lines (row formats). A kind is 0..MAX_KINDS - 1. */
    public static final int MAX_KINDS = 8;

    /** A line is ageing in the last of this many parts of its lifetime. */
    private static final int AGEING_PART = 5;

    private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    private final RowCache cache;
    private final OtherCaches others;
    private final long stalenessNanos;
    private final long id;
    private final Hasher64 hasher;
    private final TableStats stats;
    private final Slots slots;

    private final Cache<LineKey, LineKey> lines;
    private final @Nullable FilterTable filters;

    private volatile TableOptions options;
    private volatile long ttlNanos;
    private volatile long extendedTtlNanos;
    /** The freshness watermark. Lines that lack an earlier change in the store were dropped. */
    private volatile long freshUpToNanos;

    private volatile Epoch epoch;
    /** Null if all lines are dropped together. Written before the epoch with these partitions. */
    private volatile @Nullable Partitions partitions;
    /** Number of closed fences over rows with unknown keys. Written under this table's lock. */
    private volatile int adding;

    private final Epoch never = new Epoch(this, false, 0);

    // Guarded by this.
    private int closers;
    /** The epoch before the fences closed; null if a write has possibly happened since then. */
    private @Nullable Epoch undisturbed;

    private volatile boolean retired;

    /*
     * The number of closed fences over the table or a part of it. A replacement of a table is
     * closed until all fences over the old table are open, because their writes affect the new
     * table's rows too. A fence increments the number and then reads the successor. A replacement
     * sets the successor and then reads the number. So at least one of the two notices the other.
     */
    private final AtomicInteger closedFences;
    private final AtomicBoolean holdsSuccessor = new AtomicBoolean();
    private volatile @Nullable LineTable successor;

    /** Null if disabled. */
    private volatile @Nullable Ghosts ghosts;

    /** @param closers the number of fences that are closed over all tables */
    LineTable(
            RowCache cache,
            long id,
            TableOptions options,
            TableStats stats,
            @Nullable FilterTable filters,
            int closers) {
        this.lines = cache.entries(this);
        this.filters = filters;
        this.cache = cache;
        this.others = cache.others();
        this.stalenessNanos = others.stalenessNanos();
        this.id = id;
        this.hasher = cache.hasher();
        this.stats = stats;
        this.slots = new Slots(this, cache);
        this.options = options;
        this.ttlNanos = options.ttl().toNanos();
        this.extendedTtlNanos = options.extendedTtl().toNanos();
        this.freshUpToNanos = cache.ticker().read() - TableOptions.MAX_TTL.toNanos() - 1;
        this.closers = closers;
        this.closedFences = new AtomicInteger(closers);
        this.epoch = new Epoch(
                this, closers == 0 && options.enabled(), cache.ticker().read());
    }

    public long id() {
        return id;
    }

    public TableOptions options() {
        return options;
    }

    public TableStats stats() {
        return stats;
    }

    /** Returns the table's filter lines; null if it has none. */
    public final @Nullable LineTable filters() {
        return filters;
    }

    /** Notifies {@code watching} of writes and loads from now on. */
    public void watch(Ghosts watching) {
        ghosts = watching;
    }

    /** Returns the simulated caches of other granularities; null if disabled. */
    public @Nullable Ghosts ghosts() {
        return ghosts;
    }

    /** Returns the lifetime of a line from the beginning of its load, if nothing drops the line. */
    public long livesNanos(long nowNanos) {
        long ttl = ttlNanos;
        return nowNanos - freshUpToNanos <= ttl ? extendedTtlNanos : ttl;
    }

    /** Drops virtual lines of the ghost caches after a write under {@code key}. */
    void written(KeyEncoder key) {
        Ghosts watching = ghosts;
        if (watching != null) {
            watching.dropped(key, cache.ticker().read());
        }
    }

    /** Drops virtual lines after the addition of a row whose key begins with these cells. */
    void added(KeyEncoder key) {
        Ghosts watching = ghosts;
        if (watching != null) {
            watching.added(key, cache.ticker().read());
        }
    }

    private void written() {
        Ghosts watching = ghosts;
        if (watching != null) {
            watching.dropped(cache.ticker().read());
        }
    }

    /**
     * Changes the options. Enabling or disabling drops all lines; a shorter ttl also applies to
     * existing lines.
     *
     * @throws IllegalArgumentException if the number of prefix cells differs, or if filter lines
     * are added or removed, because either change requires another table
     */
    public synchronized void options(TableOptions options) {
        if (options.prefixCells() != this.options.prefixCells()) {
            throw new IllegalArgumentException("prefixCells: " + options.prefixCells() + " (expected: "
                    + this.options.prefixCells() + ", fixed for the life of a table)");
        }
        TableOptions ofFilters = options.filters();
        if ((ofFilters == null) != (filters == null)) {
            throw new IllegalArgumentException("filters: " + ofFilters + " (expected: as before)");
        }
        boolean switched = options.enabled() != this.options.enabled();
        this.options = options;
        this.ttlNanos = options.ttl().toNanos();
        this.extendedTtlNanos = options.extendedTtl().toNanos();
        if (switched) {
            beginEpoch();
        }
        if (filters != null && ofFilters != null) {
            filters.options(ofFilters.withEnabled(options.enabled() && ofFilters.enabled()));
        }
    }

    /**
     * Extends the freshness of lines to a moment. The caller must have dropped all lines that lack
     * a change, by any writer, before this moment. A remaining line then counts as if loaded at
     * this moment, but never answers longer than the extended ttl.
     *
     * @param asOfNanos the moment by the ticker; no effect if an earlier call passed a later moment
     */
    public synchronized void extendFreshness(long asOfNanos) {
        if (asOfNanos - freshUpToNanos > 0) {
            freshUpToNanos = asOfNanos;
        }
        if (filters != null) {
            filters.extendFreshness(asOfNanos);
        }
    }

    /**
     * Prefetches the entries of these {@linkplain LineProbe#hash() probe hashes} into the CPU
     * cache. The entries may belong to any table.
     *
     * @return a meaningless value computed from the memory that was read
     */
    public int prefetch(int[] hashes, int count) {
        return cache.recent().prefetch(hashes, count);
    }

    /**
     * Returns the line that contains everything requested; null if no line may answer at
     * {@code nowNanos}. Changes no statistics.
     *
     * @param nowNanos the ticker's time at the read, or shortly before it
     */
    public @Nullable Line find(LineProbe probe, long nowNanos) {
        // The watermark must be read before the lookup, because a later watermark may include drops
        // that the lookup missed.
        long othersNanos = others.freshUpToNanos();
        Line recent = cache.recent().find(probe);
        if (recent != null && isCurrent(recent.epoch())) {
            if (probe.reportsUse()) {
                var unused = lines.getIfPresent(probe);
            }
            return isFresh(recent, probe, nowNanos, othersNanos) && !isOvertaken(recent) && !mayLack(recent, probe)
                    ? recent
                    : null;
        }
        LineKey entry = lines.getIfPresent(probe);
        if (entry instanceof Line line) {
            if (!isCurrent(line.epoch())
                    || !isFresh(line, probe, nowNanos, othersNanos)
                    || isOvertaken(line)
                    || mayLack(line, probe)) {
                return null;
            }
            cache.recent().add(line);
            return line;
        }
        return entry == null ? null : findRange((Ranges) entry, probe, nowNanos, othersNanos);
    }

    /**
     * Returns whether {@link #find} would still return {@code line}, apart from its age. If this
     * holds for the lines of several lookups, all these lines were valid at the last lookup.
     */
    public boolean stillCurrent(Line line) {
        if (line.table() != this) {
            return false;
        }
        if (adding > 0 && line.mayGrow()) {
            return false;
        }
        if (line.shape() == LineKey.WHOLE) {
            return isCurrent(line.epoch()) && !isOvertaken(line);
        }
        LineProbe probe = new LineProbe(this)
                .aim(this, line.kind(), line.prefixBytes(), line.prefixFrom(), line.prefixTo(), line.prefixTo());
        return lines.getIfPresent(probe) instanceof Ranges ranges
                && isCurrent(ranges.tableEpoch())
                && ranges.epoch() == line.epoch();
    }

    /**
     * Supplies the requested line to a read for which {@link #find} returned null. {@code loader}
     * loads the line unless it has appeared or is being loaded. The listener is always notified,
     * possibly before this method returns.
     */
    public void load(LineProbe probe, Loader loader, LoadListener listener) {
        slots.load(probe, loader, listener);
    }

    /** Returns whether the line is in the last fifth of its lifetime. */
    public boolean isAgeing(Line line, long nowNanos) {
        return isInLast(AGEING_PART, nowNanos - line.loadBeganNanos(), nowNanos);
    }

    /**
     * Returns whether a line whose load began at this time is in the second half of its lifetime.
     */
    public boolean isPastHalf(long beganNanos) {
        long nowNanos = cache.ticker().read();
        return isInLast(2, nowNanos - beganNanos, nowNanos);
    }

    /** Returns whether a line of this age is in the last of {@code part} parts of its lifetime. */
    private boolean isInLast(int part, long ageNanos, long nowNanos) {
        long extendedTtl = extendedTtlNanos;
        boolean ends = ageNanos > ttlNanos - ttlNanos / part
                && (ageNanos > extendedTtl - extendedTtl / part || nowNanos - freshUpToNanos > ttlNanos);
        // A line this old answers only while other caches send messages. It may soon stop answering
        // if they have been silent for `unextended`.
        long unextended = stalenessNanos - stalenessNanos / part;
        return ends || (ageNanos > unextended && nowNanos - cache.others().freshUpToNanos() > unextended);
    }

    /**
     * Reloads the line while the existing one continues to answer. Has no effect if a fence over
     * the line is closed, if the line is being loaded, or if half of the maximum number of loads is
     * running.
     */
    public void refresh(LineProbe probe, Loader loader) {
        slots.refresh(probe, loader);
    }

    /** Loads a line only to measure the load, and caches nothing. For shadow tables. */
    public void tryLoad(LineProbe probe, Loader loader) {
        slots.refresh(probe, loader);
        synchronized (this) {
            beginEpoch();
        }
    }

    /** Returns whether lines may answer and loads may begin. If not, counts a decline. */
    public boolean admits() {
        if (epoch.open()) {
            return true;
        }
        stats.declined(whyClosed());
        return false;
    }

    /**
     * Drops every line of the table, and prevents loads in progress from being published. Does the
     * same to the table that replaced this one.
     */
    public void flush() {
        synchronized (this) {
            beginEpoch();
            if (filters != null) {
                filters.flush();
            }
        }
        written();
        flushSuccessor();
    }

    /** Returns the partitions of lines; null if lines have none. */
    public @Nullable Partitions partitions() {
        return partitions;
    }

    /**
     * Sets the partitions of the lines, and drops all lines like {@link #flush()}.
     *
     * @param next the new partitions; null if {@link #flushPartitions} is to drop all lines
     */
    public void partitions(@Nullable Partitions next) {
        synchronized (this) {
            partitions = next;
        }
        flush();
    }

    /**
     * Drops the lines of some {@linkplain #partitions() partitions}, and each line that may have
     * rows of several partitions. Running loads of such rows will not be published. In a table
     * without partitions, drops all lines.
     */
    public void flushPartitions(Collection<Long> changed) {
        Partitions by;
        synchronized (this) {
            by = partitions;
            if (by == null || !epoch.open()) {
                beginEpoch();
            } else {
                long nowNanos = cache.ticker().read();
                changed.forEach(partition -> epoch.endPart(partition, nowNanos));
                epoch.endPart(Partitions.NONE, nowNanos);
            }
            if (filters != null) {
                filters.flush();
            }
        }
        Ghosts watching = ghosts;
        if (watching != null && by != null) {
            watching.dropped(by, changed, cache.ticker().read());
        } else {
            written();
        }
        flushSuccessor();
    }

    private void flushSuccessor() {
        LineTable next = successor;
        if (next != null) {
            next.flush();
        }
    }

    /**
     * Drops the lines under the prefix in all row formats, and all filter lines. Loads in progress
     * under the prefix will not be published. In a table that is cached as ranges, drops the lines
     * that can contain keys with the prefix.
     */
    public void flush(byte[] key, int from, int to) {
        flush(key, from, to, List.of());
    }

    /**
     * Drops lines like {@link #flush(byte[], int, int)} for a change of one row. Filter lines that
     * contain the row neither before nor after the change continue to answer. The {@linkplain
     * #ghosts() ghost caches} are not notified.
     *
     * @param images the row before the change if it existed, and the row after it if it exists;
     * empty if unknown
     */
    public void flush(byte[] key, int from, int to, List<AddedRow> images) {
        drop(key, from, to);
        if (filters != null) {
            filters.changed(images);
        }
        flushSuccessor();
    }

    /** Drops the lines under the encoder's cells; all lines if a prefix has more cells. */
    public void flush(KeyEncoder key) {
        flush(key, List.of());
    }

    /**
     * Drops lines like {@link #flush(KeyEncoder)} for a change of one row.
     *
     * @param images as in {@link #flush(byte[], int, int, List)}
     */
    public void flush(KeyEncoder key, List<AddedRow> images) {
        if (key.fits() && key.cells() >= options.prefixCells()) {
            flush(key.buffer(), 0, fencedEnd(key), images);
            written(key);
        } else {
            flush();
        }
    }

    void drop(byte[] key, int from, int to) {
        slots.flush(prefix(key, from, to));
    }

    /** Returns whether lines are ranges of keys. If so, fences close rows by their keys. */
    public boolean isRanged() {
        return false;
    }

    /**
     * Returns the length of the key's prefix that fences and drops use. A fence or drop affects
     * every key with this prefix.
     */
    public int fencedEnd(KeyEncoder key) {
        return key.cellEnd(options.prefixCells());
    }

    // The following methods are for fences.

    /**
     * Returns whether a filter line possibly lacks the change of a row. If not, records the latest
     * fence number in the line.
     */
    boolean isOvertaken(Line line) {
        return false;
    }

    boolean isAdding() {
        return adding > 0;
    }

    /** Returns whether the line possibly lacks requested rows that are being added. */
    private boolean mayLack(Line line, LineProbe probe) {
        return adding > 0
                && line.mayGrow()
                && !(probe.isOneRow() && line.find(probe.key(), probe.suffixFrom(), probe.to()) >= 0);
    }

    Line line(Load load, byte[] bytes) {
        return new Line(bytes, load.hash(), load.epoch(), load.beganNanos());
    }

    /** Returns whether a load that has begun possibly lacks the change of a row. */
    boolean isOvertaken(Load load) {
        return false;
    }

    /**
     * Returns the number of the last fence for added rows. A load that begins now contains the rows
     * of all fences up to this number. Returns {@link AddedRows#CLOSED} if no load may begin.
     */
    int addedNumber(Slot.Prefix name) {
        return 0;
    }

    /** Closes a prefix. In a table that is cached as ranges, closes the keys that begin with it. */
    final void close(Slot.Prefix prefix) {
        fenceCloses();
        closeRows(prefix);
        stats.fenceClosed();
    }

    void closeRows(Slot.Prefix prefix) {
        slots.close(prefix);
    }

    final void open(Slot.Prefix prefix) {
        openRows(prefix);
        release(1);
    }

    void openRows(Slot.Prefix prefix) {
        slots.open(prefix);
    }

    /** Called before a fence closes this table or a part of it. */
    final void fenceCloses() {
        closedFences.incrementAndGet();
    }

    /**
     * Closes the filter lines that can contain the rows of a write, or all filter lines if
     * {@code row} is null. The write must change no other rows.
     */
    void closeFilters(@Nullable AddedRow row) {
        if (filters != null) {
            filters.closeFor(row);
        }
    }

    void openFilters(@Nullable AddedRow row) {
        if (filters != null) {
            filters.openFor(row);
        }
    }

    /** Called when a fence closes over rows that are added under unknown keys. */
    void closeToAdd() {
        fenceCloses();
        synchronized (this) {
            adding = adding + 1;
        }
        stats.fenceClosed();
    }

    void openToAdd() {
        synchronized (this) {
            if (adding == 0) {
                throw new IllegalStateException("a fence was opened more often than closed");
            }
            adding = adding - 1;
        }
        release(1);
    }

    void close() {
        fenceCloses();
        synchronized (this) {
            Epoch before = undisturbed;
            if (closers++ == 0 && epoch.open()) {
                before = epoch;
            }
            beginEpoch();
            undisturbed = before;
        }
        if (filters != null) {
            filters.close();
        }
        written();
        stats.fenceClosed();
    }

    void open() {
        synchronized (this) {
            if (closers == 0) {
                throw new IllegalStateException("a fence was opened more often than closed");
            }
            closers--;
            beginEpoch();
        }
        if (filters != null) {
            filters.open();
        }
        release(1);
    }

    /** Undoes a close for a write that did not happen, so that earlier lines answer again. */
    void reopen() {
        synchronized (this) {
            if (closers == 0) {
                throw new IllegalStateException("a fence was opened more often than closed");
            }
            closers--;
            Epoch before = undisturbed;
            if (before == null) {
                beginEpoch();
            } else if (closers == 0) {
                epoch = before;
                undisturbed = null;
            }
        }
        if (filters != null) {
            filters.reopen();
        }
        release(1);
    }

    @Nullable
    LineTable successor() {
        return successor;
    }

    /**
     * Retires the table and returns true, unless a fence is closed over it; fences over all tables
     * do not count. A fence increments the number of closed fences and then checks whether the
     * table is retired. This method does these steps in reverse order, so the fence or this method
     * notices the other.
     *
     * @param allClosers the number of fences over all tables. They will not open this table any
     * more
     */
    boolean retire(int allClosers) {
        setRetired(true);
        if (closedFences.get() > allClosers) {
            setRetired(false);
            return false;
        }
        release(allClosers);
        return true;
    }

    /**
     * @param next the replacement, which is closed once for all fences that are closed over this
     * table
     * @param allClosers the number of fences over all tables. They will not open this table any
     * more
     */
    void replacedBy(LineTable next, int allClosers) {
        setRetired(true);
        holdsSuccessor.set(true);
        successor = next;
        release(allClosers);
    }

    synchronized boolean isRetired() {
        return retired;
    }

    final synchronized void setRetired(boolean value) {
        retired = value;
        beginEpoch();
        if (filters != null) {
            filters.setRetired(value);
        }
    }

    final void release(int closed) {
        LineTable next = closedFences.addAndGet(-closed) == 0 ? successor : null;
        if (next != null && holdsSuccessor.compareAndSet(true, false)) {
            next.open();
        }
    }

    /** Begins a new epoch. Called under this table's lock. */
    private void beginEpoch() {
        undisturbed = null;
        epoch = new Epoch(
                this,
                closers == 0 && !retired && options.enabled(),
                cache.ticker().read(),
                partitions != null);
    }

    /** Returns the reason if {@link #admits} returned false. */
    public Decline whyClosed() {
        if (retired) {
            return Decline.RETIRED;
        }
        return options.enabled() ? Decline.FENCED : Decline.DISABLED;
    }

    /** Returns whether {@code of} is the current epoch or a part of it. */
    boolean isCurrent(Epoch of) {
        Epoch now = epoch;
        return of == now || of.isPartOf(now);
    }

    Epoch epoch() {
        return epoch;
    }

    Epoch epoch(Slot.Prefix prefix) {
        // The epoch must be read first, because a change of the partitions also ends the epoch.
        Epoch now = epoch;
        Partitions by = partitions;
        byte[] bytes = prefix.bytes();
        return by == null ? now : now.part(by.of(bytes, 0, bytes.length));
    }

    Epoch never() {
        return never;
    }

    /** Returns the maximum age of a load that reads may join. */
    long joinableNanos() {
        return Math.min(ttlNanos, stalenessNanos);
    }

    /**
     * Returns whether the line's age allows it to answer. Ignores the freshness from other caches,
     * because they can still extend the line's freshness later.
     */
    boolean isFresh(Line line, long nowNanos) {
        long ageNanos = nowNanos - line.loadBeganNanos();
        return ageNanos <= ttlNanos || (ageNanos <= extendedTtlNanos && nowNanos - freshUpToNanos <= ttlNanos);
    }

    boolean isFresh(Line line, long maxAgeNanos, long nowNanos, long othersNanos) {
        return nowNanos - line.loadBeganNanos() <= maxAgeNanos
                && isFresh(line, nowNanos)
                && isFreshElsewhere(line, nowNanos, othersNanos);
    }

    private boolean isFresh(Line line, LineProbe probe, long nowNanos, long othersNanos) {
        return isFresh(line, probe.maxAgeNanos(), nowNanos, othersNanos);
    }

    /** Returns whether the line can lack only writes of other caches within the staleness. */
    private boolean isFreshElsewhere(Line line, long nowNanos, long othersNanos) {
        return nowNanos - line.loadBeganNanos() <= stalenessNanos || nowNanos - othersNanos <= stalenessNanos;
    }

    Cache<LineKey, LineKey> lines() {
        return lines;
    }

    Slots slots() {
        return slots;
    }

    private @Nullable Line findRange(Ranges ranges, LineProbe probe, long nowNanos, long othersNanos) {
        int range = ranges.find(probe.sense(), probe.key(), probe.suffixFrom(), probe.to());
        if (!isCurrent(ranges.tableEpoch()) || range < 0) {
            return null;
        }
        byte[] lower = ranges.lower(range);
        probe.aimAtRange(lower, 0, lower.length);
        LineKey entry = lines.getIfPresent(probe);
        probe.aimAtWhole();
        return entry instanceof Line line
                        && line.epoch() == ranges.epoch()
                        && isFresh(line, probe, nowNanos, othersNanos)
                        && !mayLack(line, probe)
                        && line.covers(probe)
                ? line
                : null;
    }

    Slot.Prefix prefix(byte[] key, int from, int to) {
        return Slot.Prefix.copyOf(key, from, to, hash(0, key, from, to));
    }

    /** Returns the hash of a key, which is the same for all tables. */
    public long keyHash(byte[] key, int from, int to) {
        return hasher.hashBytesToLong(key, from, to - from);
    }

    int hash(int kind, byte[] key, int from, int to) {
        return mix(keyHash(key, from, to) ^ (id * MAX_KINDS + kind) * GOLDEN_RATIO);
    }

    /** @param wholeHash the hash of the entry for the prefix */
    int rangeHash(int wholeHash, byte[] lower, int from, int to) {
        return mix(keyHash(lower, from, to) + (wholeHash | 1) * GOLDEN_RATIO);
    }

    private static int mix(long hash) {
        long mixed = (hash ^ (hash >>> 32)) * GOLDEN_RATIO;
        return (int) (mixed >>> 32);
    }

    @Override
    public final String toString() {
        return "LineTable[id=" + id + "]";
    }
}
