package org.keyline.gateway.read;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.audit.AuditFigures;
import org.keyline.gateway.audit.Auditor;
import org.keyline.gateway.change.Authority;
import org.keyline.gateway.change.Fencing;
import org.keyline.gateway.filter.FilterLines;
import org.keyline.gateway.load.LoadPool;
import org.keyline.gateway.load.SharedLines;
import org.keyline.gateway.table.AutoPrefix;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.CachedTables;
import org.keyline.gateway.table.Statements;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.PointRead;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.Store;
import org.keyline.stores.StoreTrait;

/** State that the {@link PointReader}s share: shapes, templates, statistics. Thread-safe. */
public final class PointReads {
    /**
     * Limits of loading and replies.
     *
     * @param sessionsPerLoop the maximum number of store sessions for loads on one event loop; if
     * all are busy, misses are forwarded
     * @param timeout the time limit of a load
     * @param privilegeTtl how long one successful execution at the store allows hits of its shape
     * @param refreshAhead whether hot lines are loaded again before they expire
     * @param auditOneIn one in this many hits is compared with the store; 0 disables the audit
     * @param templateBytes the maximum size of all templates together; beyond it, all are dropped
     * and learned again
     * @param replyBytes the maximum size of a reply from lines. Reads with a longer reply are
     * forwarded, because the gateway need not buffer the whole of a reply that it relays
     * @param filtersInAnyOrder whether filter lines also answer reads of several rows without ORDER
     * BY; the rows are in key order then, even if the store would return another order
     */
    public record Options(
            int sessionsPerLoop,
            Duration timeout,
            Duration privilegeTtl,
            boolean refreshAhead,
            int auditOneIn,
            long templateBytes,
            long replyBytes,
            boolean filtersInAnyOrder) {}

    /** No template may be larger than {@link Options#templateBytes} divided by this number. */
    private static final int FEWEST_TEMPLATES = 8;

    private final Store store;
    private final CachedTables tables;
    private final SessionIdentity loaderIdentity;
    private volatile Options options;
    private final AuditFigures audits = new AuditFigures();
    private final Statements statements = new Statements();
    private final Cache<PlannedStatement, Optional<ReadShape>> shapes =
            Caffeine.newBuilder().weakKeys().executor(Runnable::run).build();

    /** Filter lines by table. A table's entry is created by its first read by conditions alone. */
    private final Map<CachedTable, Optional<FilterLines>> filters = new ConcurrentHashMap<>();

    private final ShapeFamilies families = new ShapeFamilies();

    /** Bytes of all templates learned since the last revocation, including dropped templates. */
    private final AtomicLong templateBytes = new AtomicLong();

    private final Authority authority;
    private volatile int revocations;
    private volatile Function<EventLoop, @Nullable SharedLines> shared = loop -> null;

    /** @param loaderIdentity the gateway's account; must lack CLIENT_DEPRECATE_EOF */
    public PointReads(Store store, CachedTables tables, SessionIdentity loaderIdentity, Options options) {
        this.store = store;
        this.tables = tables;
        this.loaderIdentity = loaderIdentity;
        this.options = options;
        authority =
                new Authority(options.privilegeTtl(), tables.cache().options().ticker(), this::revoke);
    }

    /** Changes options other than {@code sessionsPerLoop} and {@code filtersInAnyOrder}. */
    public void options(Options next) {
        options = next;
        authority.period(next.privilegeTtl());
    }

    /** Returns the rule for how long and for which sessions a permission of the store is valid. */
    public Authority authority() {
        return authority;
    }

    /** Sets the lines shared with other gateways. Must be called before {@link #reader}. */
    public void shareLines(Function<EventLoop, @Nullable SharedLines> byOthers) {
        shared = byOthers;
    }

    /** Returns a reader for an event loop. Must be called once per event loop. */
    public PointReader reader(EventLoop loop) {
        LoadPool pool = new LoadPool(
                store, loop, loaderIdentity, options.sessionsPerLoop(), () -> options.timeout(), this::now);
        Auditor auditor = new Auditor(pool, tables.cache().options().ticker(), audits, () -> options.auditOneIn());
        return new PointReader(this, pool, shared.apply(loop), auditor);
    }

    public AuditFigures audits() {
        return audits;
    }

    public Statements statements() {
        return statements;
    }

    /** Reports lines that are too fine for a read. Returns whether coarser lines replaced them. */
    boolean coarsens(ReadShape shape) {
        boolean coarser = shape.mayTakeRanges() && tables.asked(shape.table(), shape.boundColumns());
        if (coarser) {
            regrained();
        }
        return coarser;
    }

    /** Replaces the table's lines by finer ones if they are too coarse. Returns whether it did. */
    boolean givesUp(CachedTable table) {
        boolean finer = tables.givesUp(table);
        if (finer) {
            regrained();
        }
        return finer;
    }

    /** Moves all shapes from replaced tables to their replacements. Templates stay valid. */
    public synchronized void regrained() {
        shapes.asMap()
                .replaceAll((statement, shape) -> shape.map(of -> {
                    CachedTable next = tables.of(of.table().schema());
                    return next == null || next == of.table()
                            ? of
                            : of.over(next, of.plan().isFilter() ? filters(next) : null);
                }));
        revocations++;
    }

    public Fencing.Shared fencing() {
        return new Fencing.Shared(tables, store.catalog(), new KeyEncoder(), store.has(StoreTrait.INSERTS_ONLY_ADD));
    }

    CachedTables tables() {
        return tables;
    }

    long now() {
        return tables.cache().options().ticker().read();
    }

    boolean refreshAhead() {
        return options.refreshAhead();
    }

    /** Returns whether the store's replies to clients can fill lines. */
    boolean repliesAreLoads() {
        return store.has(StoreTrait.REPLIES_ARE_LOADS);
    }

    boolean repliesAreLoads(CachedTable table) {
        // If all writes pass through the gateway, no definition changes unnoticed.
        return store.has(StoreTrait.REPLIES_ARE_LOADS)
                && (store.transactions().soleWriter() || table.isSeenAsDefined(now()));
    }

    /** Returns whether column definitions show the character set of a session's results. */
    boolean showsCharacterSets() {
        return store.has(StoreTrait.SHOWS_RESULT_CHARACTER_SET);
    }

    long privilegeNanos() {
        return options.privilegeTtl().toNanos();
    }

    /** Drops all templates, so that the next read of every shape and user goes to the store. */
    public synchronized void revoke() {
        families.clear();
        shapes.invalidateAll();
        templateBytes.set(0);
        revocations++;
    }

    /**
     * Returns whether a new template of this size is allowed. If the total is exceeded, drops all
     * other templates.
     */
    boolean admitsTemplate(int bytes) {
        if (bytes > options.templateBytes() / FEWEST_TEMPLATES) {
            return false;
        }
        if (templateBytes.addAndGet(bytes) > options.templateBytes()) {
            revoke();
        }
        return true;
    }

    long replyBytes() {
        return options.replyBytes();
    }

    /**
     * Returns a number that changes whenever all shapes that were looked up before become invalid.
     */
    int revocations() {
        return revocations;
    }

    /** Returns the shape of a statement; null if the table cannot be cached. */
    @Nullable
    ReadShape shape(PlannedStatement statement, PointRead plan) {
        Optional<ReadShape> shape = shapes.getIfPresent(statement);
        if (shape == null) {
            shape = share(statement, plan);
        }
        return shape.orElse(null);
    }

    /**
     * Adds and returns the statement's shape; empty if the table cannot be cached. All event loops
     * share the shape, so each can use a template that another learned. Synchronized with
     * {@link #revoke}, so that no new shape has a template learned before the revocation.
     */
    private synchronized Optional<ReadShape> share(PlannedStatement statement, PointRead plan) {
        // The table is looked up under the lock; otherwise, the shape of a replaced table could be
        // added after a revocation.
        CachedTable table = tables.of(plan.table());
        // A value of this cache must not reference its own weak key, the statement.
        String text = statement.text();
        String schema = plan.table().name().schema();
        AutoPrefix auto = table == null || plan.isFilter() ? null : table.auto();
        if (auto != null) {
            auto.inUse(plan.boundColumns());
        }
        Optional<ReadShape> made = Optional.ofNullable(table)
                .map(cached -> new ReadShape(
                        plan,
                        cached,
                        plan.isFilter() ? filters(cached) : null,
                        families.templates(statement, cached),
                        () -> statements.of(schema, text)));
        Optional<ReadShape> first = shapes.asMap().putIfAbsent(statement, made);
        return first == null ? made : first;
    }

    private @Nullable FilterLines filters(CachedTable table) {
        if (!filters.containsKey(table)) {
            filters.keySet().removeIf(old -> old != tables.known(old.schema().name()));
        }
        return filters.computeIfAbsent(
                        table, cached -> Optional.ofNullable(FilterLines.of(cached, options.filtersInAnyOrder())))
                .orElse(null);
    }
}
