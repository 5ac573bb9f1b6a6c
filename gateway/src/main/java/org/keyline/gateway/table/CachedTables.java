package org.keyline.gateway.table;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.key.KeyColumn;
import org.keyline.planner.Catalog;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.rowcache.Ghosts;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.RowCache;
import org.keyline.rowcache.TableOptions;

/**
 * The tables that have, or may have, lines: one at a time for a name, made when first asked for and retired when its definition
 * changes. Thread-safe.
 */
public final class CachedTables {
    /** Tables at a time whose granularities are simulated: they take 128 KiB each. */
    private static final int MAX_SIMULATED = 128;

    private final RowCache cache;
    private final Catalog catalog;
    private final Function<TableSchema, TableOptions> options;
    private final ToIntFunction<TableSchema> autoRows;
    private final ConcurrentMap<TableName, CachedTable> tables = new ConcurrentHashMap<>();

    /** What tables counted that are gone; null until there is one. Guarded by {@link #making}. */
    private @Nullable TableCounts gone;

    /** Also of tables that were replaced, as long as somebody has a fence over them. */
    private final Map<LineTable, TableOrigin> origins = Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * Names that found no room among the tables that may have lines. They stay without until they are dropped, even if room appears:
     * a write may be under way that closed no fence for them.
     */
    private final Set<TableName> crowdedOut = ConcurrentHashMap.newKeySet();

    private final AtomicInteger simulatedRoom = new AtomicInteger(MAX_SIMULATED);

    /** A table that is made by settings of before is there when they change, or is made after. Taken before the map's own locks. */
    private final Object making = new Object();

    /** @param options how the lines of a table are kept, by configuration */
    public CachedTables(RowCache cache, Catalog catalog, Function<TableSchema, TableOptions> options) {
        this(cache, catalog, options, schema -> 0);
    }

    /**
     * @param autoRows how many rows lines may have on average whose granularity is chosen, where {@code options} has the one to begin with;
     *     0 for tables whose granularity is configured
     */
    public CachedTables(
            RowCache cache,
            Catalog catalog,
            Function<TableSchema, TableOptions> options,
            ToIntFunction<TableSchema> autoRows) {
        this.cache = cache;
        this.catalog = catalog;
        this.options = options;
        this.autoRows = autoRows;
    }

    public RowCache cache() {
        return cache;
    }

    /**
     * The table of a definition; null if its rows can't be kept, there is no room for another table, or the definition is not the
     * current one any more.
     */
    public @Nullable CachedTable of(TableSchema schema) {
        CachedTable table = tables.get(schema.name());
        if (table != null && table.schema().id() == schema.id()) {
            return table;
        }
        List<KeyColumn> keys = crowdedOut.contains(schema.name()) ? null : CachedTable.keyColumns(schema);
        if (keys == null) {
            return null;
        }
        CachedTable made;
        synchronized (making) {
            made = make(schema, keys);
        }
        return made != null && made.schema().id() == schema.id() ? made : null;
    }

    private @Nullable CachedTable make(TableSchema schema, List<KeyColumn> keys) {
        return tables.compute(schema.name(), (name, old) -> {
            TableSchema current = catalog.table(name.schema(), name.table());
            if (current == null
                    || current.id() != schema.id()
                    || crowdedOut.contains(name)
                    || (old != null && old.schema().id() == schema.id())) {
                return old;
            }
            // A write begun on the old definition keeps its successor closed, too.
            TableOptions kept = kept(schema, keys);
            AutoPrefix auto = auto(schema, kept);
            LineTable lines =
                    old == null ? cache.tableIfRoom(schema.id(), kept) : cache.replace(old.lines(), schema.id(), kept);
            if (lines == null) {
                crowdedOut.add(name);
                return null;
            }
            ReadFigures figures = old == null ? new ReadFigures() : old.figures();
            return remembered(CachedTable.of(schema, keys, watched(lines, auto), figures, auto));
        });
    }

    /** What chooses the granularity of a table; null where that is configured, or there is nothing to choose. */
    private @Nullable AutoPrefix auto(TableSchema schema, TableOptions kept) {
        int keyColumns = schema.keyColumns().size();
        int maxMeanRows = autoRows.applyAsInt(schema);
        if (maxMeanRows == 0) {
            return null;
        }
        Ghosts ghosts = new Ghosts(keyColumns, cache.options().hashSeed(), simulatedRoom);
        return new AutoPrefix(ghosts, kept.prefixCells(), maxMeanRows, now());
    }

    private static LineTable watched(LineTable lines, @Nullable AutoPrefix auto) {
        if (auto != null && auto.ghosts().levels() > 1) {
            lines.watch(auto.ghosts());
        }
        return lines;
    }

    private long now() {
        return cache.options().ticker().read();
    }

    private TableOptions kept(TableSchema schema, List<KeyColumn> keys) {
        TableOptions configured = options.apply(schema);
        boolean ordered = configured.ordered() && CachedTable.ordered(keys);
        // Without an order there are no ranges of keys.
        int prefixCells = configured.prefixCells() == 0 && !ordered ? keys.size() : configured.prefixCells();
        return configured.withOrdered(ordered).withPrefixCells(prefixCells);
    }

    /**
     * The configuration has changed: tables that are kept in another way from now on begin without lines.
     *
     * @return whether there are tables that took the place of others, which those who hold them have to ask for again
     */
    public boolean reconfigure() {
        AtomicBoolean replaced = new AtomicBoolean();
        synchronized (making) {
            for (TableName name : tables.keySet()) {
                tables.computeIfPresent(name, (at, table) -> {
                    TableOptions kept = kept(table.schema(), table.keys());
                    AutoPrefix auto = table.auto();
                    AutoPrefix next = auto(table.schema(), kept);
                    if (next != null && auto != null && next.maxMeanRows() == auto.maxMeanRows()) {
                        table.configure(kept.withPrefixCells(table.prefixCells()));
                        return table;
                    }
                    if (next == null && auto == null && kept.prefixCells() == table.prefixCells()) {
                        table.configure(kept);
                        return table;
                    }
                    replaced.set(true);
                    return replaced(table, kept, next);
                });
            }
        }
        return replaced.get();
    }

    /**
     * Chooses the granularity of tables from what was measured; to be called about once a second.
     *
     * @return as {@link #reconfigure}
     */
    public boolean choose() {
        simulatedRoom.set(MAX_SIMULATED - simulated());
        boolean replaced = false;
        for (TableName name : tables.keySet()) {
            CachedTable table = tables.get(name);
            replaced |= table != null
                    && regrain(table, auto -> auto.decide(table.lines().livesNanos(now()), queries(table), now()));
        }
        return replaced;
    }

    /**
     * Reports that a statement in use binds so many key columns, which is fewer than the table's lines have.
     *
     * @return whether another table has taken its place whose lines serve the statement
     */
    public boolean asked(CachedTable table, int boundColumns) {
        boolean ranges = boundColumns == 0 && !table.lines().options().ordered();
        return !ranges && regrain(table, auto -> auto.asked(boundColumns, queries(table), now()));
    }

    private static long queries(CachedTable table) {
        return table.lines().stats().queries();
    }

    /** Looks whether the lines of a table are too coarse, one of which is missing; answers whether another table has taken its place. */
    public boolean givesUp(CachedTable table) {
        return regrain(table, auto -> auto.givesUp(table.admission().loadsAll(), now()));
    }

    /** @param decision whether the granularity has changed */
    private boolean regrain(CachedTable table, Predicate<AutoPrefix> decision) {
        AutoPrefix auto = table.auto();
        if (auto == null) {
            return false;
        }
        synchronized (making) {
            if (tables.get(table.schema().name()) != table || !decision.test(auto)) {
                return false;
            }
            TableOptions kept = table.lines().options().withPrefixCells(auto.cells());
            tables.put(table.schema().name(), replaced(table, kept, auto));
            return true;
        }
    }

    private int simulated() {
        int simulated = 0;
        for (CachedTable table : tables.values()) {
            Ghosts ghosts = table.ghosts();
            simulated += ghosts != null && ghosts.isActive() ? 1 : 0;
        }
        return simulated;
    }

    private CachedTable replaced(CachedTable table, TableOptions kept, @Nullable AutoPrefix auto) {
        LineTable next = cache.replace(table.lines(), table.schema().id(), kept);
        return remembered(table.replacedBy(watched(next, auto), auto));
    }

    /** The table that lines were kept of under this name, perhaps by an older definition. */
    public @Nullable CachedTable known(TableName name) {
        return tables.get(name);
    }

    private CachedTable remembered(CachedTable table) {
        origins.put(table.lines(), table.origin());
        return table;
    }

    /** What lines are made by, those of a table that was replaced, too; null if they are not of this cache. */
    public @Nullable TableOrigin origin(LineTable lines) {
        return origins.get(lines);
    }

    /** The lines of a table by name, for statistics and flushes; null if there never were any. */
    public @Nullable LineTable lines(TableName name) {
        CachedTable table = tables.get(name);
        return table == null ? null : table.lines();
    }

    /**
     * The tables of one moment, and what those counted that were gone by then: their sums never fall.
     *
     * @param gone null if none is
     */
    public record Count(
            Map<TableName, CachedTable> tables, @Nullable TableCounts gone) {}

    /** The tables of this moment. */
    public Count count() {
        synchronized (making) {
            return new Count(Map.copyOf(tables), gone);
        }
    }

    /** Names of all tables that have, or had, lines. */
    public List<TableName> names() {
        return List.copyOf(tables.keySet());
    }

    /** Returns the tables whose rows are not cached though they may have a unique key, each with the reason as a sentence. */
    public Map<TableName, String> keptOut() {
        return catalog.keptOut();
    }

    /**
     * Takes leave of tables that the catalog does not have any more. It may have them again at once, under the same definition: a table
     * stays while a write to it is under way.
     */
    public void retireDropped() {
        crowdedOut.removeIf(name -> !catalog.has(name.schema(), name.table()));
        synchronized (making) {
            for (TableName name : tables.keySet()) {
                tables.computeIfPresent(name, (at, table) -> {
                    if (catalog.has(at.schema(), at.table()) || !cache.retire(table.lines())) {
                        return table;
                    }
                    TableCounts counted = TableCounts.of(table).ended();
                    gone = gone == null ? counted : gone.plus(counted);
                    return null;
                });
            }
        }
    }
}
