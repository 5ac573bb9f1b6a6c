package org.keyline.rowcache;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.github.benmanes.caffeine.cache.Ticker;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The lines of all tables within one budget of bytes, those of filters within one of their own. Thread-safe.
 *
 * <p>Reads go to a {@link LineTable}; writes close a {@link Fence} before they reach the store and open it after. Time,
 * threads and randomness come from the {@link RowCacheOptions}. Nothing here blocks or logs.
 */
public final class RowCache {
    private final RowCacheOptions options;
    private final OtherCaches others;
    private final Hasher64 hasher;
    private final Cache<LineKey, LineKey> lines;
    private final Cache<LineKey, LineKey> filterLines;
    private final RecentLines recent;
    private final LastDrops lastDrops;
    private final AtomicInteger loads = new AtomicInteger();
    private final AtomicInteger closedPrefixes = new AtomicInteger();
    private volatile long maxBytes;

    // Guarded by tables.
    private final Map<Long, LineTable> tables = new HashMap<>();
    /** Written under the lock of {@code tables}, read by anybody. */
    private volatile int closers;

    private final Object sweepLock = new Object();
    private Iterator<LineKey> sweep = Collections.emptyIterator();

    /** An empty cache without room for filter lines. */
    public RowCache(RowCacheOptions options) {
        this(options, 0);
    }

    /**
     * An empty cache.
     *
     * @param filterBytes budget for filter lines, beside that of the others: what is used often would leave them no room otherwise
     */
    public RowCache(RowCacheOptions options, long filterBytes) {
        this(options, filterBytes, OtherCaches.NONE);
    }

    /** The same beside others in front of the same store. */
    public RowCache(RowCacheOptions options, long filterBytes, OtherCaches others) {
        this.options = options;
        this.others = others;
        this.hasher = Hashing.xxh3_64(options.hashSeed());
        this.lines = region(options.maxBytes());
        this.filterLines = region(filterBytes);
        this.maxBytes = options.maxBytes();
        this.recent = new RecentLines(options.maxBytes());
        this.lastDrops = new LastDrops(options.ticker().read());
    }

    private Cache<LineKey, LineKey> region(long bytes) {
        return Caffeine.newBuilder()
                .maximumWeight(bytes)
                .weigher(RowCache::weight)
                .executor(options.executor())
                .evictionListener(this::evicted)
                .build();
    }

    /** What it was made with. */
    public RowCacheOptions options() {
        return options;
    }

    /** The budget for all lines but filter lines, in bytes. */
    public long maxBytes() {
        return maxBytes;
    }

    /**
     * Puts other budgets in force. What is beyond them is evicted before this returns, which takes the longer the more lines that are.
     *
     * @param bytes of all lines but filter lines, at least 1
     * @param filterBytes of filter lines
     */
    public void budgets(long bytes, long filterBytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: >= 1)");
        }
        maxBytes = bytes;
        lines.policy().eviction().ifPresent(policy -> policy.setMaximum(bytes));
        filterLines.policy().eviction().ifPresent(policy -> policy.setMaximum(filterBytes));
    }

    /**
     * The table of that id, made with {@code tableOptions} if there is none.
     *
     * @throws IllegalStateException if there are as many tables as may be
     */
    public LineTable table(long id, TableOptions tableOptions) {
        LineTable table = tableIfRoom(id, tableOptions);
        if (table == null) {
            throw new IllegalStateException("tables: " + options.maxTables() + " (expected: < " + options.maxTables()
                    + "); retire those that are gone");
        }
        return table;
    }

    /** The table of that id, made with {@code tableOptions} if there is none; null if there are as many tables as may be. */
    public @Nullable LineTable tableIfRoom(long id, TableOptions tableOptions) {
        synchronized (tables) {
            LineTable table = tables.get(id);
            if (table == null && tables.size() < options.maxTables()) {
                table = table(id, tableOptions, new TableStats(), new TableStats(), closers);
                tables.put(id, table);
            }
            return table;
        }
    }

    /** A table closed as often as its filter lines are: whatever opens it, opens them. */
    private LineTable table(long id, TableOptions tableOptions, TableStats stats, TableStats ofFilters, int closed) {
        TableOptions kept = tableOptions.filters();
        // Ids are not negative, so that of the filter lines is no other table's.
        LineTable filters = kept == null
                ? null
                : new LineTable(this, filterLines, ~id, kept, hasher, ofFilters, null, true, closed);
        return new LineTable(this, lines, id, tableOptions, hasher, stats, filters, false, closed);
    }

    /** All tables there are now; filter lines belong to theirs. */
    public List<LineTable> tables() {
        synchronized (tables) {
            return new ArrayList<>(tables.values());
        }
    }

    /**
     * Takes leave of a table whose definition is gone: its lines never answer again, its loads are not published. Not while
     * a fence over it is closed: a table of the same rows that came meanwhile would know nothing of that write.
     *
     * @return false, with its lines dropped and nothing else done, if there is such a fence
     */
    public boolean retire(LineTable table) {
        synchronized (tables) {
            if (tables.get(table.id()) != table) {
                return true;
            }
            boolean retired = table.retire(closers);
            if (retired) {
                tables.remove(table.id());
            }
            return retired;
        }
    }

    /**
     * Puts a table in the place of another one whose definition or granularity changed. The other one is retired; the new
     * one stays closed until all fences over the other one are open, and goes on with its counters.
     *
     * @throws IllegalArgumentException if {@code table} is retired, or the id belongs to a third table
     */
    public LineTable replace(LineTable table, long id, TableOptions tableOptions) {
        synchronized (tables) {
            LineTable holder = tables.get(id);
            if (tables.get(table.id()) != table || (holder != null && holder != table)) {
                throw new IllegalArgumentException("no table to be replaced: " + table + " by " + id);
            }
            LineTable filters = table.filters();
            TableStats ofFilters = filters == null ? new TableStats() : filters.stats();
            LineTable next = table(id, tableOptions, table.stats(), ofFilters, closers + 1);
            tables.remove(table.id());
            tables.put(id, next);
            table.replacedBy(next, closers);
            next.stats().replaced();
            return next;
        }
    }

    /**
     * A table beside another one, of another granularity, for nothing but {@link LineTable#tryLoad}: no fence knows of it, so nothing may be
     * answered from it.
     *
     * @param maxRows most rows of a line of it
     */
    public LineTable aside(LineTable table, int prefixCells, int maxRows) {
        TableOptions like = table.options();
        TableOptions of = like.withPrefixCells(prefixCells)
                .withCeilings(Math.min(maxRows, like.maxRowsPerLine()), like.maxBytesPerLine())
                .withFilters(null);
        LineTable made = new LineTable(this, lines, table.id(), of, hasher, new TableStats(), null, false, 0);
        Ghosts watching = table.ghosts();
        if (watching != null) {
            made.watch(watching);
        }
        return made;
    }

    /** Bytes of all lines but filter lines, with all overhead. */
    public long lineBytes() {
        return lines.policy()
                .eviction()
                .map(policy -> policy.weightedSize().orElse(0))
                .orElse(0L);
    }

    /** A fence over nothing yet, for one write or one transaction. */
    public Fence fence() {
        return new Fence(this);
    }

    /** Drops the lines of all tables, and keeps loads under way from being published. */
    public void flush() {
        tables().forEach(LineTable::flush);
    }

    /**
     * Removes lines whose time is over from memory, in rounds: looks at most at {@code maxEntries} from where the last call
     * stopped. To be called now and then; what is never asked for again would stay until others need its place.
     *
     * @return how many entries were removed
     */
    public int sweep(int maxEntries) {
        synchronized (sweepLock) {
            long nowNanos = ticker().read();
            int removed = 0;
            if (!sweep.hasNext()) {
                sweep = entries();
            }
            for (int seen = 0; seen < maxEntries && sweep.hasNext(); seen++) {
                LineKey entry = sweep.next();
                removed += entry.table().slots().dropOver(entry, nowNanos) ? 1 : 0;
            }
            return removed;
        }
    }

    /** Tells the lines in memory, expired ones included, in no order; at most so many. */
    public void lines(int max, BiConsumer<LineTable, Line> told) {
        Iterator<LineKey> entries = entries();
        for (int seen = 0; seen < max && entries.hasNext(); ) {
            if (entries.next() instanceof Line line) {
                told.accept(line.table(), line);
                seen++;
            }
        }
    }

    private Iterator<LineKey> entries() {
        return Stream.concat(lines.asMap().values().stream(), filterLines.asMap().values().stream())
                .iterator();
    }

    /** Does what the cache put off: evictions that a full write buffer or a busy executor delayed. */
    public void cleanUp() {
        lines.cleanUp();
        filterLines.cleanUp();
    }

    /** Loads under way. */
    public int loads() {
        return loads.get();
    }

    /** Prefixes closed by fences, each counted once per fence. */
    public int closedPrefixes() {
        return closedPrefixes.get();
    }

    // ---------------------------------------------------------------- for tables and fences

    RecentLines recent() {
        return recent;
    }

    OtherCaches others() {
        return others;
    }

    LastDrops lastDrops() {
        return lastDrops;
    }

    Ticker ticker() {
        return options.ticker();
    }

    /** An entry, without counting as a use of it. */
    @Nullable
    LineKey peek(LineKey key) {
        return key.table().lines().policy().getIfPresentQuietly(key);
    }

    /** Puts an entry in the place of its equal. Within the slot of its prefix. */
    void put(LineKey entry, int lineCount, int weight) {
        // Not replaced in place: the cache would go on to hold the old entry as the key.
        LineKey old = remove(entry);
        if (old instanceof Line line && !line.table().isFresh(line, ticker().read())) {
            line.table().stats().expired();
        }
        entry.table().stats().added(lineCount, weight);
        entry.table().lines().put(entry, entry);
    }

    /** Removes an entry. Within the slot of its prefix. */
    @Nullable
    LineKey remove(LineKey key) {
        LineKey old = key.table().lines().asMap().remove(key);
        if (old != null) {
            left(old);
        }
        return old;
    }

    /** @param awaited loads that nobody waits for leave half of all that there may be to the others */
    boolean takeLoad(boolean awaited) {
        if (loads.incrementAndGet() <= (awaited ? options.maxLoads() : options.maxLoads() / 2)) {
            return true;
        }
        loads.decrementAndGet();
        return false;
    }

    void returnLoad() {
        loads.decrementAndGet();
    }

    boolean takeClosedPrefix() {
        if (closedPrefixes.incrementAndGet() <= options.maxClosedPrefixes()) {
            return true;
        }
        closedPrefixes.decrementAndGet();
        return false;
    }

    void returnClosedPrefixes(int count) {
        closedPrefixes.addAndGet(-count);
    }

    /** Returns whether a fence is closed over all tables: definitions may be other ones than is known. */
    public boolean isClosed() {
        return closers > 0;
    }

    /** Closes all tables and those to come. */
    void closeAll() {
        synchronized (tables) {
            closers = closers + 1;
            tables.values().forEach(LineTable::close);
        }
    }

    void openAll() {
        synchronized (tables) {
            closers = closers - 1;
            tables.values().forEach(LineTable::open);
        }
    }

    /** Opens all tables again, for a write that did not come to be. */
    void reopenAll() {
        synchronized (tables) {
            closers = closers - 1;
            tables.values().forEach(LineTable::reopen);
        }
    }

    /** Within the step that takes the entry out: no fence misses a line that may still be found. */
    private void evicted(@Nullable LineKey key, @Nullable LineKey entry, RemovalCause cause) {
        if (entry != null) {
            left(entry);
            if (entry instanceof Line) {
                entry.table().stats().evicted();
            }
        }
    }

    /** An entry is no more in the cache. */
    private void left(LineKey entry) {
        if (entry instanceof Line line) {
            line.drop();
            boolean unused = recent.remove(line);
        }
        entry.table().stats().removed(entry instanceof Line ? 1 : 0, weight(entry, entry));
    }

    private static int weight(LineKey key, LineKey entry) {
        return entry instanceof Line line ? line.weight() : ((Ranges) entry).weight();
    }
}
