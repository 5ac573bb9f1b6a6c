package org.keyline.rowcache;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.github.benmanes.caffeine.cache.Cache;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The lines of one table: finding, loading, dropping. Thread-safe.
 *
 * <p>The contract:
 *
 * <ul>
 *   <li>{@link #find} answers a line only if it is complete, at most a ttl old or vouched for, and no fence over its rows was
 *       closed since its load began.
 *   <li>Beside {@linkplain OtherCaches other caches} it answers one older than their staleness only while they vouch for it.
 *   <li>A load is published only if no fence over its rows was closed since it began; its rows reach those who wait for it
 *       either way. Nobody joins a load once such a fence was closed.
 *   <li>Rows that were {@linkplain Load#succeedAsOf loaded elsewhere} end a load only if nothing over them was closed or dropped since
 *       they were loaded.
 *   <li>When a fence's close returns, no read finds a line under it and no load begins under it until it opens.
 *   <li>The same rows are not loaded twice at a time, unless a fence was closed in between.
 * </ul>
 *
 * <p>The {@linkplain #filters filter lines} of a table are a table beside it, whose lines are named by what their rows have in common
 * and not by a prefix of the key. Which of them have a row is not known, so whatever closes, drops or switches off any line of the table
 * does that to all of them, but where the row is known as it was and as it is ({@link AddedRow}).
 */
public final class LineTable {
    /*
     * Concurrency. Readers take no lock: an entry of the cache answers if it carries the table's current epoch. A line that
     * leaves the cache loses its epoch in the same step, so it does not matter where a reader got it from. What is known of one prefix changes only within the compute of its slot (see Slots), so publications and fences of a prefix
     * are in a row.
     *
     * A fence over the whole table ends the epoch. A load remembers the epoch it began in and its line carries it, so a
     * publication that races with the end of the epoch puts a line that nobody will see. While such a fence is closed, the
     * current epoch is not open: no line carries it and no load begins in it. A table that is retired or switched off is a
     * table in such an epoch.
     */

    /** Row formats that a table may have: kinds are 0..MAX_KINDS - 1. */
    public static final int MAX_KINDS = 8;

    /** The last part of a ttl, as a divisor: a line in it is worth a load ahead of its end. */
    private static final int AGEING_PART = 5;

    private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    private final RowCache cache;
    private final OtherCaches others;
    private final long stalenessNanos;
    private final long id;
    private final Hasher64 hasher;
    private final TableStats stats;
    private final Slots slots;
    private final boolean ranged;
    /** The prefix of all keys of a table that is kept as ranges. */
    private final Slot.Prefix all;

    private final Cache<LineKey, LineKey> lines;
    private final @Nullable LineTable filters;
    /** Of filter lines: rows that are added while the others stay as they are; null for other lines. */
    private final @Nullable AddedRows added;

    private volatile TableOptions options;
    private volatile long ttlNanos;
    private volatile long vouchedTtlNanos;
    /** The ticker's time as of which all changes in the store are known to have been dropped here. */
    private volatile long vouchedNanos;

    private volatile Epoch epoch;
    /** The epoch of lines that were dropped. */
    private final Epoch never = new Epoch(this, false, 0);

    // Guarded by this.
    private int closers;
    /** The epoch before the fences that are closed now; null where something may have been written since. */
    private @Nullable Epoch undisturbed;

    private volatile boolean retired;

    /*
     * A table that takes the place of another one is closed until all fences over the other one are open, since their
     * writes reach its rows too. A fence counts itself here and then looks for a successor; a successor shows itself and
     * then looks at the count: one of them sees the other.
     */
    private final AtomicInteger held;
    private final AtomicBoolean holdsSuccessor = new AtomicBoolean();
    private volatile @Nullable LineTable successor;

    /** What other granularities would do; null where nobody asks. */
    private volatile @Nullable Ghosts ghosts;

    LineTable(
            RowCache cache,
            Cache<LineKey, LineKey> lines,
            long id,
            TableOptions options,
            Hasher64 hasher,
            TableStats stats,
            @Nullable LineTable filters,
            boolean ofFilters,
            int closers) {
        this.added = ofFilters ? new AddedRows() : null;
        this.lines = lines;
        this.filters = filters;
        this.cache = cache;
        this.others = cache.others();
        this.stalenessNanos = others.stalenessNanos();
        this.id = id;
        this.hasher = hasher;
        this.stats = stats;
        this.ranged = options.prefixCells() == 0;
        this.all = prefix(Bytes.NONE, 0, 0);
        this.slots = new Slots(this, cache);
        this.options = options;
        this.ttlNanos = options.ttl().toNanos();
        this.vouchedTtlNanos = options.vouchedTtl().toNanos();
        this.vouchedNanos = cache.ticker().read() - TableOptions.MAX_TTL.toNanos() - 1;
        this.closers = closers;
        this.held = new AtomicInteger(closers);
        this.epoch = new Epoch(
                this, closers == 0 && options.enabled(), cache.ticker().read());
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

    /** Its filter lines; null where it has none. */
    public @Nullable LineTable filters() {
        return filters;
    }

    /** Has writes and loads told to those who simulate other granularities. */
    public void watch(Ghosts watching) {
        ghosts = watching;
    }

    /** Who simulates other granularities; null: nobody. */
    public @Nullable Ghosts ghosts() {
        return ghosts;
    }

    /** How long after the begin of its load a line answers that nothing drops. */
    public long livesNanos(long nowNanos) {
        long ttl = ttlNanos;
        return nowNanos - vouchedNanos <= ttl ? vouchedTtlNanos : ttl;
    }

    /** What is under the key was written, or is about to be; the granularities that were not chosen lose lines, too. */
    void written(KeyEncoder key) {
        Ghosts watching = ghosts;
        if (watching != null) {
            watching.dropped(key, cache.ticker().read());
        }
    }

    private void written() {
        Ghosts watching = ghosts;
        if (watching != null) {
            watching.dropped(cache.ticker().read());
        }
    }

    /**
     * Puts other options in force. Switching on or off drops all lines; a shorter ttl holds for lines that are there too.
     *
     * @throws IllegalArgumentException if the number of prefix cells differs, or there are filter lines or not: that would be another
     *     table
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
        this.vouchedTtlNanos = options.vouchedTtl().toNanos();
        if (switched) {
            beginEpoch();
        }
        if (filters != null && ofFilters != null) {
            filters.options(ofFilters.withEnabled(options.enabled() && ofFilters.enabled()));
        }
    }

    /**
     * Everything that changed in the store up to a moment has been dropped here, whoever wrote it: a line that is still there is as good as
     * if it had been loaded then, so it may answer until a ttl after that moment, if it is not older than the vouched ttl.
     *
     * @param asOfNanos the ticker's time at that moment; one before the last changes nothing
     */
    public synchronized void vouch(long asOfNanos) {
        if (asOfNanos - vouchedNanos > 0) {
            vouchedNanos = asOfNanos;
        }
        if (filters != null) {
            filters.vouch(asOfNanos);
        }
    }

    /**
     * Has the processor fetch what {@link #find} will look at first for the probes of these {@linkplain LineProbe#hash() hashes}, of
     * whatever table of the cache.
     *
     * @return nothing of use, but it depends on what was looked at
     */
    public int bringNear(int[] hashes, int count) {
        return cache.recent().bringNear(hashes, count);
    }

    /**
     * The line that holds everything the probe asks for, or null where there is none that may answer at {@code nowNanos}.
     * Counts nothing.
     *
     * @param nowNanos the ticker's time of the read, or shortly before it
     */
    public @Nullable Line find(LineProbe probe, long nowNanos) {
        // First: of what is told after a line was found, no vouch may count for it.
        long othersNanos = others.vouchedNanos();
        Line recent = cache.recent().find(probe);
        if (recent != null && recent.epoch() == epoch) {
            if (probe.tellsUse()) {
                var unused = lines.getIfPresent(probe);
            }
            return isFresh(recent, probe, nowNanos, othersNanos) && !isOvertaken(recent) ? recent : null;
        }
        LineKey entry = lines.getIfPresent(probe);
        if (entry instanceof Line line) {
            if (line.epoch() != epoch || !isFresh(line, probe, nowNanos, othersNanos) || isOvertaken(line)) {
                return null;
            }
            cache.recent().add(line);
            return line;
        }
        return entry == null ? null : findRange((Ranges) entry, probe, nowNanos, othersNanos);
    }

    /**
     * Whether {@code line} is still what {@link #find} would answer, its age aside. Where several lines found one after the
     * other are all still current afterwards, they held together at the moment the last one was found.
     */
    public boolean stillCurrent(Line line) {
        if (line.table() != this) {
            return false;
        }
        if (line.shape() == LineKey.WHOLE) {
            return line.epoch() == epoch && !isOvertaken(line);
        }
        LineProbe probe = new LineProbe(this)
                .aim(this, line.kind(), line.prefixBytes(), line.prefixFrom(), line.prefixTo(), line.prefixTo());
        return lines.getIfPresent(probe) instanceof Ranges ranges
                && ranges.tableEpoch() == epoch
                && ranges.epoch() == line.epoch();
    }

    /**
     * Gets the line that the probe asks for: one that came meanwhile, one that is being loaded, or by {@code loader}. For
     * reads that {@link #find} had no answer for. The listener is told in any case, possibly before this returns.
     */
    public void load(LineProbe probe, Loader loader, LoadListener listener) {
        slots.load(probe, loader, listener);
    }

    /** Whether a line that {@link #find} answered is in the last fifth of its time. */
    public boolean isAgeing(Line line, long nowNanos) {
        return isInLast(AGEING_PART, nowNanos - line.loadBeganNanos(), nowNanos);
    }

    /** Whether a line whose load began then is in the second half of its time. */
    public boolean isPastHalf(long beganNanos) {
        long nowNanos = cache.ticker().read();
        return isInLast(2, nowNanos - beganNanos, nowNanos);
    }

    /** @param part of its time, as a divisor */
    private boolean isInLast(int part, long ageNanos, long nowNanos) {
        long vouchedTtl = vouchedTtlNanos;
        boolean ends = ageNanos > ttlNanos - ttlNanos / part
                && (ageNanos > vouchedTtl - vouchedTtl / part || nowNanos - vouchedNanos > ttlNanos);
        // Other caches that have not been heard of for as long leave it no more than their staleness.
        long unvouched = stalenessNanos - stalenessNanos / part;
        return ends || (ageNanos > unvouched && nowNanos - cache.others().vouchedNanos() > unvouched);
    }

    /**
     * Loads the line that the probe asks for anew, while the one that is there goes on answering; nobody waits for it. Does nothing
     * while it is being loaded, or fenced, or there are half as many loads as may be.
     */
    public void refresh(LineProbe probe, Loader loader) {
        slots.refresh(probe, loader);
    }

    /** Has what the probe asks for loaded for nobody, and keeps nothing of it: to see what it takes, in a table that is aside. */
    public void tryLoad(LineProbe probe, Loader loader) {
        slots.refresh(probe, loader);
        synchronized (this) {
            beginEpoch();
        }
    }

    /** Whether lines may answer and be loaded now; a read that is left to the store for that is counted. */
    public boolean admits() {
        if (epoch.open()) {
            return true;
        }
        stats.declined(whyClosed());
        return false;
    }

    /**
     * Drops every line of the table, and keeps loads under way from being published; so it does to a table that took this one's place, of
     * which whoever calls need not have heard.
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

    private void flushSuccessor() {
        LineTable next = successor;
        if (next != null) {
            next.flush();
        }
    }

    /**
     * Drops the lines under the prefix {@code key[from..to)}, of all row formats, and what is being loaded there; and all filter lines. Of a
     * table that is kept as ranges: those that may have keys that begin so.
     */
    public void flush(byte[] key, int from, int to) {
        flush(key, from, to, List.of());
    }

    /**
     * The same where one row changed, and it is known how: filter lines go on that it was not in and is not in.
     *
     * @param images the row before, if there was one, and after, if there is one; empty where that is not known
     */
    public void flush(byte[] key, int from, int to, List<AddedRow> images) {
        if (isRanged() && from < to) {
            slots.flushKey(all, Arrays.copyOfRange(key, from, to));
        } else {
            slots.flush(prefix(key, from, to));
        }
        if (filters != null) {
            filters.changed(images);
        }
        flushSuccessor();
    }

    /** The same for the line that the key's first cells name; a key with fewer cells than that drops all lines. */
    public void flush(KeyEncoder key) {
        if (key.fits() && key.cells() >= options.prefixCells()) {
            flush(key.buffer(), 0, fencedEnd(key));
            written(key);
        } else {
            flush();
        }
    }

    /** Whether its lines are ranges of keys, next to each other, instead of those under prefixes; then its rows are fenced by their keys. */
    public boolean isRanged() {
        return ranged;
    }

    /** Where the bytes of a key end by which the row is closed and dropped, and all that begin with them. */
    public int fencedEnd(KeyEncoder key) {
        return ranged ? key.length() : key.cellEnd(options.prefixCells());
    }

    /** Of filter lines: drops those that one of some rows may be in; all where none is known. */
    private void changed(List<AddedRow> rows) {
        AddedRows known = added;
        if (rows.isEmpty() || known == null) {
            flush();
        } else {
            rows.forEach(known::passed);
        }
    }

    // For fences.

    /** Whether a row may have come into a filter line since its load began; what was found is remembered. */
    boolean isOvertaken(Line line) {
        AddedRows rows = added;
        if (rows == null) {
            return false;
        }
        if (!(line instanceof FilterLine known)) {
            return true;
        }
        int number = rows.number();
        if (number == known.addedNumber()) {
            return false;
        }
        if (rows.since(known.addedNumber(), line.prefixBytes(), line.prefixFrom(), line.prefixTo())) {
            return true;
        }
        known.addedNumber(number);
        return false;
    }

    /** The line of a whole prefix. */
    Line line(Load load, byte[] bytes) {
        return added == null
                ? new Line(bytes, load.hash(), load.epoch(), load.beganNanos())
                : new FilterLine(bytes, load.hash(), load.epoch(), load.beganNanos(), load.addedNumber());
    }

    /** Whether a row may have come into what is loaded since the load began. */
    boolean isOvertaken(Load load) {
        byte[] name = load.slot().bytes();
        return added != null && added.since(load.addedNumber(), name, 0, name.length);
    }

    /** Up to which fence for added rows a load has them that begins after this; {@link AddedRows#CLOSED} if none may begin. */
    int addedNumber(Slot.Prefix name) {
        return added == null ? 0 : added.numberOfOpen(name.bytes(), 0, name.bytes().length);
    }

    /**
     * Closes a prefix; of a table that is kept as ranges, the keys that begin so.
     *
     * @param patch what may be put back when it opens; null: nothing
     * @param row what is added while no other row changes, so that only filter lines are closed that it may come into; null: all are
     */
    void close(Slot.Prefix prefix, @Nullable Patch patch, @Nullable AddedRow row) {
        held.incrementAndGet();
        if (ranged && prefix.bytes().length > 0) {
            slots.closeKey(all, prefix.bytes());
        } else {
            slots.close(prefix, patch);
        }
        if (filters != null) {
            filters.closeFor(row);
        }
        stats.fenceClosed();
    }

    /** More is written than the row that filter lines were closed for: all of them are closed instead. */
    void closeAllFilters(AddedRow row) {
        if (filters != null) {
            filters.close();
            filters.openFor(row);
        }
    }

    /** Of filter lines: closes those that a row may come into; null: all. */
    private void closeFor(@Nullable AddedRow row) {
        if (row == null || added == null) {
            close();
        } else {
            held.incrementAndGet();
            added.close(row);
            stats.fenceClosed();
        }
    }

    private void openFor(@Nullable AddedRow row) {
        if (row == null || added == null) {
            open();
        } else {
            added.open(row);
            release(1);
        }
    }

    /** @param row what it was closed for */
    void open(Slot.Prefix prefix, @Nullable Patch patch, @Nullable AddedRow row) {
        if (ranged && prefix.bytes().length > 0) {
            slots.openKey(all, prefix.bytes());
        } else {
            slots.open(prefix, patch);
        }
        if (filters != null) {
            filters.openFor(row);
        }
        release(1);
    }

    void close() {
        held.incrementAndGet();
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
                throw new IllegalStateException("opened more often than closed");
            }
            closers--;
            beginEpoch();
        }
        if (filters != null) {
            filters.open();
        }
        release(1);
    }

    /** Opens what was closed for a write that did not come to be: what was there answers again, unless something else was written. */
    void reopen() {
        synchronized (this) {
            if (closers == 0) {
                throw new IllegalStateException("opened more often than closed");
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

    /** The table that took this one's place. */
    @Nullable
    LineTable successor() {
        return successor;
    }

    /**
     * Never answers again, unless fences are closed here that are not over all tables; answers whether that is so. A fence
     * counts itself and then asks whether the table is retired; here it is the other way round: one of them sees the other.
     *
     * @param allClosers fences over all tables, which will not come back to this one
     */
    boolean retire(int allClosers) {
        setRetired(true);
        if (held.get() > allClosers) {
            setRetired(false);
            return false;
        }
        release(allClosers);
        return true;
    }

    /**
     * Never answers again.
     *
     * @param next takes this table's place; closed once for what is closed here
     * @param allClosers fences over all tables, which will not come back to this one
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

    private synchronized void setRetired(boolean value) {
        retired = value;
        beginEpoch();
        if (filters != null) {
            filters.setRetired(value);
        }
    }

    private void release(int closed) {
        LineTable next = held.addAndGet(-closed) == 0 ? successor : null;
        if (next != null && holdsSuccessor.compareAndSet(true, false)) {
            next.open();
        }
    }

    /** Guarded by this. */
    private void beginEpoch() {
        undisturbed = null;
        epoch = new Epoch(
                this,
                closers == 0 && !retired && options.enabled(),
                cache.ticker().read());
    }

    /** Why lines may not answer and be loaded, if {@link #admits} says so. */
    public Decline whyClosed() {
        if (retired) {
            return Decline.RETIRED;
        }
        return options.enabled() ? Decline.FENCED : Decline.DISABLED;
    }

    Epoch epoch() {
        return epoch;
    }

    /** An epoch that is never current. */
    Epoch never() {
        return never;
    }

    /** How old a load may be that is joined. */
    long joinableNanos() {
        return Math.min(ttlNanos, stalenessNanos);
    }

    /** Whether its time is not over; whether others vouch for it is another question, and may be true again later. */
    boolean isFresh(Line line, long nowNanos) {
        long ageNanos = nowNanos - line.loadBeganNanos();
        return ageNanos <= ttlNanos || (ageNanos <= vouchedTtlNanos && nowNanos - vouchedNanos <= ttlNanos);
    }

    /** Whether a line that was not looked up may answer one who wants it to be so young. */
    boolean isFresh(Line line, long maxAgeNanos, long nowNanos, long othersNanos) {
        return nowNanos - line.loadBeganNanos() <= maxAgeNanos
                && isFresh(line, nowNanos)
                && isVouched(line, nowNanos, othersNanos);
    }

    private boolean isFresh(Line line, LineProbe probe, long nowNanos, long othersNanos) {
        return isFresh(line, probe.maxAgeNanos(), nowNanos, othersNanos);
    }

    /** Whether no write of another cache's is missing that ended longer ago than the staleness. */
    private boolean isVouched(Line line, long nowNanos, long othersNanos) {
        return nowNanos - line.loadBeganNanos() <= stalenessNanos || nowNanos - othersNanos <= stalenessNanos;
    }

    /** Where its lines are kept. */
    Cache<LineKey, LineKey> lines() {
        return lines;
    }

    Slots slots() {
        return slots;
    }

    private @Nullable Line findRange(Ranges ranges, LineProbe probe, long nowNanos, long othersNanos) {
        int range = ranges.find(probe.sense(), probe.key(), probe.suffixFrom(), probe.to());
        if (ranges.tableEpoch() != epoch || range < 0) {
            return null;
        }
        byte[] lower = ranges.lower(range);
        probe.aimAtRange(lower, 0, lower.length);
        LineKey entry = lines.getIfPresent(probe);
        probe.aimAtWhole();
        return entry instanceof Line line
                        && line.epoch() == ranges.epoch()
                        && isFresh(line, probe, nowNanos, othersNanos)
                        && line.covers(probe)
                ? line
                : null;
    }

    Slot.Prefix prefix(byte[] key, int from, int to) {
        return Slot.Prefix.copyOf(key, from, to, hash(0, key, from, to));
    }

    /** A hash of the bytes of a key, the same for all tables. */
    public long keyHash(byte[] key, int from, int to) {
        return hasher.hashBytesToLong(key, from, to - from);
    }

    /** Hash of the entry for a whole prefix. */
    int hash(int kind, byte[] key, int from, int to) {
        return mix(keyHash(key, from, to) ^ (id * MAX_KINDS + kind) * GOLDEN_RATIO);
    }

    /** Hash of the entry for a range of a prefix, given that of the prefix. */
    int rangeHash(int wholeHash, byte[] lower, int from, int to) {
        return mix(keyHash(lower, from, to) + (wholeHash | 1) * GOLDEN_RATIO);
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
