package org.keyline.gateway.read;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.audit.AuditFigures;
import org.keyline.gateway.audit.Auditor;
import org.keyline.gateway.change.Authority;
import org.keyline.gateway.change.Fences;
import org.keyline.gateway.filter.FilterLines;
import org.keyline.gateway.load.LoadPool;
import org.keyline.gateway.metrics.Statements;
import org.keyline.gateway.table.AutoPrefix;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.CachedTables;
import org.keyline.gateway.tier.TierLines;
import org.keyline.planner.PlannedStatement;
import org.keyline.planner.PointRead;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.Store;

/**
 * Point reads of all sessions: which shapes there are, what was learned of them, and how lines are loaded. Thread-safe; each event
 * loop has a {@link PointReader} of its own.
 */
public final class PointReads {
    /**
     * Bounds of loading.
     *
     * @param sessionsPerLoop store sessions that one event loop opens for loads; reads beyond them are forwarded
     * @param timeout from a load's start to its end
     * @param privilegeTtl how long the store's consent to a statement shape is good for hits
     * @param refreshAhead whether hot lines are loaded anew before their time is over
     * @param auditOneIn one of so many hits is compared with the store; 0: none
     * @param templateBytes of all templates; beyond, all are learned anew
     * @param replyBytes of one reply from lines; longer ones are forwarded, which holds back what the client does not read
     * @param writeThrough whether lines are patched by writes whose rows are certain, in front of a store that shows all sessions the same
     * @param filtersInAnyOrder whether filter lines answer rows in the order of the key where no order was asked for
     */
    public record Options(
            int sessionsPerLoop,
            Duration timeout,
            Duration privilegeTtl,
            boolean refreshAhead,
            int auditOneIn,
            long templateBytes,
            long replyBytes,
            boolean writeThrough,
            boolean filtersInAnyOrder) {}

    /** Templates that have room at least: a longer one is not worth as many others. */
    private static final int FEWEST_TEMPLATES = 8;

    private final Store store;
    private final CachedTables tables;
    private final SessionIdentity loaderIdentity;
    private volatile Options options;
    private final AuditFigures audits = new AuditFigures();
    private final Statements statements = new Statements();
    private final Cache<PlannedStatement, Optional<ReadShape>> shapes =
            Caffeine.newBuilder().weakKeys().executor(Runnable::run).build();

    /** One for each table, made for the first read by conditions alone. */
    private final Cache<CachedTable, Optional<FilterLines>> filters =
            Caffeine.newBuilder().weakKeys().executor(Runnable::run).build();

    private final ShapeFamilies families = new ShapeFamilies();

    /** Of templates learned since the last revocation; those that were dropped since are counted still. */
    private final AtomicLong templateBytes = new AtomicLong();

    private final Authority authority;
    private volatile int revocations;
    private volatile Function<EventLoop, @Nullable TierLines> lent = loop -> null;

    /** @param loaderIdentity the gateway's own account, without CLIENT_DEPRECATE_EOF */
    public PointReads(Store store, CachedTables tables, SessionIdentity loaderIdentity, Options options) {
        this.store = store;
        this.tables = tables;
        this.loaderIdentity = loaderIdentity;
        this.options = options;
        authority =
                new Authority(options.privilegeTtl(), tables.cache().options().ticker(), this::revoke);
    }

    /** Puts other options in force, of which those that sessions per loop and the kinds of lines depend on do not differ. */
    public void options(Options next) {
        options = next;
        authority.period(next.privilegeTtl());
    }

    /** Returns how long the store's consent counts, and for which sessions. */
    public Authority authority() {
        return authority;
    }

    /** Lines are lent by other gateways from now on; to be called before there are readers. */
    public void lent(Function<EventLoop, @Nullable TierLines> byOthers) {
        lent = byOthers;
    }

    /** The reader of an event loop; to be made once for each. */
    public PointReader reader(EventLoop loop) {
        LoadPool pool = new LoadPool(
                store, loop, loaderIdentity, options.sessionsPerLoop(), () -> options.timeout(), this::now);
        Auditor auditor = new Auditor(pool, tables.cache().options().ticker(), audits, () -> options.auditOneIn());
        return new PointReader(this, pool, lent.apply(loop), auditor);
    }

    /** What audits found. */
    public AuditFigures audits() {
        return audits;
    }

    /** What becomes of each statement. */
    public Statements statements() {
        return statements;
    }

    /** Reports a statement in use that no line of its table serves; returns whether coarser ones do from now on. */
    boolean coarsens(ReadShape shape) {
        boolean coarser = shape.mayTakeRanges() && tables.asked(shape.table(), shape.boundColumns());
        if (coarser) {
            regrained();
        }
        return coarser;
    }

    /** Gives the lines of a read's table up if they are too coarse; returns whether finer ones serve from now on. */
    boolean givesUp(CachedTable table) {
        boolean finer = tables.givesUp(table);
        if (finer) {
            regrained();
        }
        return finer;
    }

    /** Tables have been replaced by others of the same definition and another granularity: what the store has taught still holds. */
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

    /** What closes fences for the sessions of an event loop. */
    public Fences fences() {
        boolean exact = options.writeThrough() && store.repliesAreLoads();
        return new Fences(tables, store.catalog(), exact, store.transactions().soleWriter(), store.insertsOnlyAdd());
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

    /** Whether the store's replies to clients may be the loads of lines. */
    boolean repliesAreLoads() {
        return store.repliesAreLoads();
    }

    /** Whether the store's reply to a client's read of a table may be the load of a line. */
    boolean repliesAreLoads(CachedTable table) {
        // Nobody changes definitions past the gateway where nobody else writes.
        return store.repliesAreLoads() && (store.transactions().soleWriter() || table.isSeenAsDefined(now()));
    }

    /** Whether the store's definitions tell the character set of a session's results. */
    boolean showsCharacterSets() {
        return store.showsResultCharacterSet();
    }

    long privilegeNanos() {
        return options.privilegeTtl().toNanos();
    }

    /** Takes back all authority for hits: the store is asked again before the next hit of every shape and user. */
    public synchronized void revoke() {
        families.clear();
        shapes.invalidateAll();
        templateBytes.set(0);
        revocations++;
    }

    /** Whether a template of so many bytes may be kept; where there are too many bytes of them, all others are dropped before. */
    boolean keepsTemplate(int bytes) {
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

    /** Raised by every {@link #revoke}: shapes that were looked up before are not to be used any more. */
    int revocations() {
        return revocations;
    }

    /** The shape of a planned point read; null if its table's rows can't be kept. */
    @Nullable
    ReadShape shape(PlannedStatement statement, PointRead plan) {
        Optional<ReadShape> shape = shapes.getIfPresent(statement);
        if (shape == null) {
            shape = share(statement, plan);
        }
        return shape.orElse(null);
    }

    /**
     * Event loops that meet a statement at the same time share one shape: what one learns, all have to see. Not beside
     * {@link #revoke}: no shape begins with what was learned before it.
     */
    private synchronized Optional<ReadShape> share(PlannedStatement statement, PointRead plan) {
        // Asked for here: a shape of a table that was replaced before a revocation must not come after it.
        CachedTable table = tables.of(plan.table());
        // What is found by a statement as long as somebody holds it must not hold it.
        String text = statement.text();
        String schema = plan.table().name().schema();
        AutoPrefix auto = table == null || plan.isFilter() ? null : table.auto();
        if (auto != null) {
            auto.inUse(plan.boundColumns());
        }
        Optional<ReadShape> made = Optional.ofNullable(table)
                .map(kept -> new ReadShape(
                        plan,
                        kept,
                        plan.isFilter() ? filters(kept) : null,
                        families.templates(statement, kept),
                        () -> statements.of(schema, text)));
        Optional<ReadShape> first = shapes.asMap().putIfAbsent(statement, made);
        return first == null ? made : first;
    }

    private @Nullable FilterLines filters(CachedTable table) {
        return filters.get(table, kept -> Optional.ofNullable(FilterLines.of(kept, options.filtersInAnyOrder())))
                .orElse(null);
    }
}
