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
 * A cache of the {@linkplain Line lines} of all tables within a byte budget. Filter lines have a
 * separate budget. Thread-safe.
 *
 * <p>Reads go to a {@link LineTable}. Writes close a {@link Fence} before they reach the store and
 * open it afterwards. No method blocks or logs.
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
    /**
     * Number of fences that currently {@linkplain Fence#closeAll close all tables}. Written under
     * the lock of {@code tables}, read without a lock.
     */
    private volatile int closers;

    private final Object sweepLock = new Object();
    private Iterator<LineKey> sweep = Collections.emptyIterator();

    public RowCache(RowCacheOptions options) {
        this(options, 0);
    }

    /** @param filterBytes the budget of filter lines, separate so that no other lines evict them */
    public RowCache(RowCacheOptions options, long filterBytes) {
        this(options, filterBytes, OtherCaches.NONE);
    }

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

    public RowCacheOptions options() {
        return options;
    }

    /** Returns the budget for all lines except filter lines. */
    public long maxBytes() {
        return maxBytes;
    }

    /**
     * Sets the byte budgets. Evicts excess lines before it returns, in time proportional to their
     * number.
     *
     * @param bytes the budget of all lines except filter lines, at least 1
     * @param filterBytes the budget of filter lines
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
     * Returns the table with this id. Creates it if it does not exist.
     *
     * @throws IllegalStateException if the maximum number of tables is reached
     */
    public LineTable table(long id, TableOptions tableOptions) {
        LineTable table = tableIfRoom(id, tableOptions);
        if (table == null) {
            throw new IllegalStateException("tables: " + options.maxTables() + " (expected: < " + options.maxTables()
                    + "); retire tables that no longer exist");
        }
        return table;
    }

    /** Like {@link #table}, but returns null if the maximum number of tables is reached. */
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

    /** Creates a table with its filter lines. The same fences close and open both tables. */
    private LineTable table(long id, TableOptions tableOptions, TableStats stats, TableStats ofFilters, int closed) {
        TableOptions ofFilterLines = tableOptions.filters();
        // Ids are not negative, so the id of the filter lines differs from every table's.
        FilterTable filters =
                ofFilterLines == null ? null : new FilterTable(this, ~id, ofFilterLines, ofFilters, closed);
        return newTable(id, tableOptions, stats, filters, closed);
    }

    private LineTable newTable(
            long id, TableOptions tableOptions, TableStats stats, @Nullable FilterTable filters, int closed) {
        return tableOptions.prefixCells() == 0
                ? new RangeTable(this, id, tableOptions, stats, filters, closed)
                : new PrefixTable(this, id, tableOptions, stats, filters, closed);
    }

    /** Returns the Caffeine cache that contains the lines of a table. */
    Cache<LineKey, LineKey> entries(LineTable of) {
        return of instanceof FilterTable ? filterLines : lines;
    }

    Hasher64 hasher() {
        return hasher;
    }

    /** Returns the tables, without the separate tables of filter lines. */
    public List<LineTable> tables() {
        synchronized (tables) {
            return new ArrayList<>(tables.values());
        }
    }

    /**
     * Retires a table whose definition no longer exists: its lines never answer again, and its
     * running loads do not become lines. A table with a closed fence is not retired, because a new
     * table of the same rows would not have the fence.
     *
     * @return false if a fence over the table is closed; the table then remains, without its lines
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
     * Replaces and retires a table whose definition or granularity changed. The new table is closed
     * until all fences over the old table are open, and continues the old table's counters.
     *
     * @throws IllegalArgumentException if {@code table} is retired, or if the id belongs to a third
     * table
     */
    public LineTable replace(LineTable table, long id, TableOptions tableOptions) {
        synchronized (tables) {
            LineTable holder = tables.get(id);
            if (tables.get(table.id()) != table || (holder != null && holder != table)) {
                throw new IllegalArgumentException(
                        "table: " + table + " is retired, or " + id + " is the id of another table");
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
     * Creates a table with another granularity for {@link LineTable#tryLoad}. The new table must
     * not answer reads, because no fence closes it, and its lines could be outdated.
     *
     * @param maxRows the maximum number of rows of its lines
     */
    public LineTable shadowTable(LineTable table, int prefixCells, int maxRows) {
        TableOptions like = table.options();
        TableOptions of = like.withPrefixCells(prefixCells)
                .withCeilings(Math.min(maxRows, like.maxRowsPerLine()), like.maxBytesPerLine())
                .withFilters(null);
        LineTable made = newTable(table.id(), of, new TableStats(), null, 0);
        Ghosts watching = table.ghosts();
        if (watching != null) {
            made.watch(watching);
        }
        return made;
    }

    /** Returns the bytes of all lines except filter lines, with all overhead. */
    public long lineBytes() {
        return lines.policy()
                .eviction()
                .map(policy -> policy.weightedSize().orElse(0))
                .orElse(0L);
    }

    public Fence fence() {
        return new Fence(this);
    }

    public void flush() {
        tables().forEach(LineTable::flush);
    }

    /**
     * Removes expired lines from memory. Must be called periodically, because an expired line would
     * otherwise remain until other lines need its memory.
     *
     * @param maxEntries the maximum number of entries to examine. A call continues where the last
     *     one ended
     * @return the number of removed entries
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

    /** Passes up to {@code max} lines, including expired ones, to the consumer in any order. */
    public void lines(int max, BiConsumer<LineTable, Line> consumer) {
        Iterator<LineKey> entries = entries();
        for (int seen = 0; seen < max && entries.hasNext(); ) {
            if (entries.next() instanceof Line line) {
                consumer.accept(line.table(), line);
                seen++;
            }
        }
    }

    private Iterator<LineKey> entries() {
        return Stream.concat(lines.asMap().values().stream(), filterLines.asMap().values().stream())
                .iterator();
    }

    /** Performs evictions that a full write buffer or a busy executor has delayed. */
    public void cleanUp() {
        lines.cleanUp();
        filterLines.cleanUp();
    }

    public int loads() {
        return loads.get();
    }

    /** Returns the number of closed prefixes, each counted once for every fence that closes it. */
    public int closedPrefixes() {
        return closedPrefixes.get();
    }

    /** Returns the other gateways' caches, to which this cache reports its writes. */
    public OtherCaches others() {
        return others;
    }

    // The following methods are for tables and fences.

    RecentLines recent() {
        return recent;
    }

    LastDrops lastDrops() {
        return lastDrops;
    }

    Ticker ticker() {
        return options.ticker();
    }

    @Nullable
    LineKey peek(LineKey key) {
        return key.table().lines().policy().getIfPresentQuietly(key);
    }

    /** Adds an entry or replaces an equal one. Called within its prefix's {@link Slots slot}. */
    void put(LineKey entry, int lineCount, int weight) {
        // Caffeine would replace only the value and retain the old entry as the key, so the old
        // entry is removed first.
        LineKey old = remove(entry);
        if (old instanceof Line line && !line.table().isFresh(line, ticker().read())) {
            line.table().stats().expired();
        }
        entry.table().stats().added(lineCount, weight);
        entry.table().lines().put(entry, entry);
    }

    /** Removes an entry and returns it. Called within the slot of the prefix. */
    @Nullable
    LineKey remove(LineKey key) {
        LineKey old = key.table().lines().asMap().remove(key);
        if (old != null) {
            afterRemoval(old);
        }
        return old;
    }

    /**
     * Counts a new load. Returns false if too many loads are running.
     *
     * @param awaited whether a read waits for the load; if not, half of the maximum number applies
     */
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

    /** Returns whether a fence over all tables is closed. If so, definitions can be outdated. */
    public boolean isClosed() {
        return closers > 0;
    }

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

    /** Undoes {@link #closeAll} for a write that did not happen. */
    void reopenAll() {
        synchronized (tables) {
            closers = closers - 1;
            tables.values().forEach(LineTable::reopen);
        }
    }

    /**
     * Caffeine calls this method within the atomic removal of the entry. If called later, a line
     * could be in {@link RecentLines} while a fence no longer finds it in Caffeine's cache.
     */
    private void evicted(@Nullable LineKey key, @Nullable LineKey entry, RemovalCause cause) {
        if (entry != null) {
            afterRemoval(entry);
            if (entry instanceof Line) {
                entry.table().stats().evicted();
            }
        }
    }

    private void afterRemoval(LineKey entry) {
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
