package org.keyline.gateway.table;

import java.util.Collections;
import java.util.HashMap;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tables with lines, by name. A new definition gets a new {@link CachedTable}. Thread-safe. */
public final class CachedTables {
    private static final Logger LOG = LoggerFactory.getLogger(CachedTables.class);
    private static final String CROWDED_OUT = "The maximum number of tables already has lines.";

    /** Maximum number of tables with simulated granularities, which take 128 KiB per table. */
    private static final int MAX_SIMULATED = 128;

    private final RowCache cache;
    private final Catalog catalog;
    private final Function<TableSchema, TableOptions> options;
    private final ToIntFunction<TableSchema> autoRows;
    private final ConcurrentMap<TableName, CachedTable> tables = new ConcurrentHashMap<>();

    /**
     * Sums of the counts of retired tables; null before the first table retires. Guarded by
     * {@link #making}.
     */
    private @Nullable TableCounts retired;

    /**
     * Origins of line tables. The origin of a replaced table remains while a fence refers to its
     * lines.
     */
    private final Map<LineTable, TableOrigin> origins = Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * Names of tables beyond the maximum. Such a table gets no lines until it is dropped, because a
     * running write may have closed no fence over it.
     */
    private final Set<TableName> crowdedOut = ConcurrentHashMap.newKeySet();

    /** Tables with an unsupported key column, with the reason as a sentence. */
    private final Map<TableName, String> unsupported = new ConcurrentHashMap<>();

    private final AtomicInteger simulatedRoom = new AtomicInteger(MAX_SIMULATED);

    /** The lock for new tables and changes of settings; acquired before the map's locks. */
    private final Object making = new Object();

    /** @param options returns the configured options of a table's lines */
    public CachedTables(RowCache cache, Catalog catalog, Function<TableSchema, TableOptions> options) {
        this(cache, catalog, options, schema -> 0);
    }

    /**
     * @param autoRows returns 0 if the granularity is configured. If it is automatic, returns the
     * maximum average number of rows of lines; {@code options} returns the initial granularity
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
     * Returns the cached table; null if the table cannot be cached, if the schema is outdated, or
     * if the maximum number of tables is cached.
     */
    public @Nullable CachedTable of(TableSchema schema) {
        CachedTable table = tables.get(schema.name());
        if (table != null && table.schema().id() == schema.id()) {
            return table;
        }
        if (crowdedOut.contains(schema.name())) {
            return null;
        }
        List<KeyColumn> keys = CachedTable.keyColumns(schema);
        if (keys == null) {
            reportUnsupported(schema);
            return null;
        }
        unsupported.remove(schema.name());
        CachedTable made;
        synchronized (making) {
            made = make(schema, keys);
        }
        return made != null && made.schema().id() == schema.id() ? made : null;
    }

    private void reportUnsupported(TableSchema schema) {
        schema.keyColumns().stream()
                .map(schema.columns()::get)
                .filter(column -> KeyColumn.of(column) == null)
                .findFirst()
                .ifPresent(column -> {
                    String because = "Its key column " + column.name() + " has the type "
                            + column.type().kind() + ", whose values Keyline cannot compare exactly.";
                    if (!because.equals(unsupported.put(schema.name(), because))) {
                        LOG.info("Keyline does not cache the table {}. {}", schema.name(), because);
                    }
                });
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
            // replace() keeps the new table closed until the running writes that began under the
            // old definition are complete.
            TableOptions configured = configured(schema, keys);
            AutoPrefix auto = auto(schema, configured);
            LineTable lines = old == null
                    ? cache.tableIfRoom(schema.id(), configured)
                    : cache.replace(old.lines(), schema.id(), configured);
            if (lines == null) {
                crowdedOut.add(name);
                LOG.warn("Keyline does not cache the table {}. {}", name, CROWDED_OUT);
                return null;
            }
            ReadFigures figures = old == null ? new ReadFigures() : old.figures();
            return remembered(CachedTable.of(schema, keys, watched(lines, auto), figures, auto));
        });
    }

    /** Returns the automatic choice of granularity; null if the granularity is configured. */
    private @Nullable AutoPrefix auto(TableSchema schema, TableOptions configured) {
        int keyColumns = schema.keyColumns().size();
        int maxMeanRows = autoRows.applyAsInt(schema);
        if (maxMeanRows == 0) {
            return null;
        }
        Ghosts ghosts = new Ghosts(keyColumns, cache.options().hashSeed(), simulatedRoom);
        return new AutoPrefix(ghosts, configured.prefixCells(), maxMeanRows);
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

    private TableOptions configured(TableSchema schema, List<KeyColumn> keys) {
        TableOptions configured = options.apply(schema);
        boolean ordered = configured.ordered() && CachedTable.ordered(keys);
        // If key bytes do not sort as the store sorts the keys, lines cannot be ranges.
        int prefixCells = configured.prefixCells() == 0 && !ordered ? keys.size() : configured.prefixCells();
        return configured.withOrdered(ordered).withPrefixCells(prefixCells);
    }

    /**
     * Applies a changed configuration. Tables with a changed granularity are replaced by tables
     * without lines.
     *
     * @return whether a table was replaced, so that callers must look up all tables again
     */
    public boolean reconfigure() {
        AtomicBoolean replaced = new AtomicBoolean();
        synchronized (making) {
            for (TableName name : tables.keySet()) {
                tables.computeIfPresent(name, (at, table) -> {
                    TableOptions configured = configured(table.schema(), table.keys());
                    AutoPrefix auto = table.auto();
                    AutoPrefix next = auto(table.schema(), configured);
                    if (next != null && auto != null && next.maxMeanRows() == auto.maxMeanRows()) {
                        table.configure(configured.withPrefixCells(table.prefixCells()));
                        return table;
                    }
                    if (next == null && auto == null && configured.prefixCells() == table.prefixCells()) {
                        table.configure(configured);
                        return table;
                    }
                    replaced.set(true);
                    return replaced(table, configured, next);
                });
            }
        }
        return replaced.get();
    }

    /**
     * Chooses the granularity of tables by measurement. Must be called about once a second.
     *
     * @return whether a table was replaced, as for {@link #reconfigure}
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
     * Called when a statement in use binds fewer key columns than the table's lines have.
     *
     * @return whether the table was replaced by one that serves the statement
     */
    public boolean asked(CachedTable table, int boundColumns) {
        boolean ranges = boundColumns == 0 && !table.lines().options().ordered();
        return !ranges && regrain(table, auto -> auto.asked(boundColumns, queries(table), now()));
    }

    private static long queries(CachedTable table) {
        return table.lines().stats().queries();
    }

    /** Checks after a miss whether lines are too coarse. Returns true if the table was replaced. */
    public boolean givesUp(CachedTable table) {
        return regrain(table, auto -> auto.givesUp(table.admission().loadsAll(), now()));
    }

    /** @param decision returns whether the granularity has changed */
    private boolean regrain(CachedTable table, Predicate<AutoPrefix> decision) {
        AutoPrefix auto = table.auto();
        if (auto == null) {
            return false;
        }
        synchronized (making) {
            if (tables.get(table.schema().name()) != table || !decision.test(auto)) {
                return false;
            }
            TableOptions configured =
                    table.lines().options().withPrefixCells(auto.figures().cells());
            tables.put(table.schema().name(), replaced(table, configured, auto));
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

    private CachedTable replaced(CachedTable table, TableOptions configured, @Nullable AutoPrefix auto) {
        LineTable next = cache.replace(table.lines(), table.schema().id(), configured);
        return remembered(table.replacedBy(watched(next, auto), auto));
    }

    /** Returns the table, perhaps with an outdated definition; null if the table is not cached. */
    public @Nullable CachedTable known(TableName name) {
        return tables.get(name);
    }

    private CachedTable remembered(CachedTable table) {
        origins.put(table.lines(), table.origin());
        return table;
    }

    /**
     * Returns the origin of lines, including those of replaced tables; null if they are unknown.
     */
    public @Nullable TableOrigin origin(LineTable lines) {
        return origins.get(lines);
    }

    /** Returns lines for statistics and flushes; null if the table is not cached. */
    public @Nullable LineTable lines(TableName name) {
        CachedTable table = tables.get(name);
        return table == null ? null : table.lines();
    }

    /**
     * The current tables, and the counts of retired tables. The sum of both never decreases.
     *
     * @param retired the sums of the retired tables' counts; null if no table was retired
     */
    public record Count(
            Map<TableName, CachedTable> tables, @Nullable TableCounts retired) {}

    public Count count() {
        synchronized (making) {
            return new Count(Map.copyOf(tables), retired);
        }
    }

    /** Returns the names of all tables that may have lines. */
    public List<TableName> names() {
        return List.copyOf(tables.keySet());
    }

    /** Returns the tables that cannot be cached, with the reason as a sentence. */
    public Map<TableName, String> excluded() {
        Map<TableName, String> excluded = new HashMap<>(catalog.excluded());
        excluded.putAll(unsupported);
        crowdedOut.forEach(name -> excluded.put(name, CROWDED_OUT));
        return excluded;
    }

    /** Retires tables that the catalog no longer has, unless a write is running. */
    public void retireDropped() {
        crowdedOut.removeIf(name -> !catalog.has(name.schema(), name.table()));
        unsupported.keySet().removeIf(name -> !catalog.has(name.schema(), name.table()));
        synchronized (making) {
            for (TableName name : tables.keySet()) {
                tables.computeIfPresent(name, (at, table) -> {
                    if (catalog.has(at.schema(), at.table()) || !cache.retire(table.lines())) {
                        return table;
                    }
                    TableCounts counted = TableCounts.of(table).ended();
                    retired = retired == null ? counted : retired.plus(counted);
                    return null;
                });
            }
        }
    }
}
