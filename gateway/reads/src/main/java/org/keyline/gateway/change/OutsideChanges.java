package org.keyline.gateway.change;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.CachedTables;
import org.keyline.gateway.units.Units;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.rowcache.AddedRow;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.LineTable;
import org.keyline.stores.ChangeListener;
import org.keyline.stores.ChangeSignal;
import org.keyline.stores.DefinitionListener;
import org.keyline.stores.PartitionSpans;
import org.keyline.stores.RowImage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drops the lines of rows that a signal reports as changed, and extends the freshness of all other
 * lines. Thread-safe.
 *
 * <p>The signal also reports writes through this gateway, so each of them costs one more load.
 * These reports cannot be ignored, because a log does not reliably identify a row event's session.
 */
public final class OutsideChanges implements ChangeListener {
    private static final Logger LOG = LoggerFactory.getLogger(OutsideChanges.class);

    /** Time after which a reported change of rights is in effect at the store. */
    private static final long TAKES_EFFECT_NANOS = 100_000_000;

    /** The recommended ttl if no write bypasses the gateway. */
    private static final Duration UNSEEN_TTL = Duration.ofMinutes(1);

    /**
     * The lifetimes of lines.
     *
     * @param atTheStore how long a change can be missing in rows that the store itself returns
     * @param bySignal returns whether the signal drops the lines of a table; lines of other tables
     * live for their ttl
     */
    public record Ages(Duration ttl, Duration signalTtl, Duration atTheStore, Predicate<TableName> bySignal) {
        /** Creates the lifetimes for a store that always returns its newest rows. */
        public Ages(Duration ttl, Duration signalTtl) {
            this(ttl, signalTtl, Duration.ZERO, table -> true);
        }
    }

    private final CachedTables tables;
    private final DefinitionListener definitions;
    private final Runnable revoke;
    private final boolean early;
    private final Supplier<Ages> ages;
    private final LongSupplier clock;
    private final FollowUps followUps;
    private final LongAdder rowDrops = new LongAdder();
    private final LongAdder tableDrops = new LongAdder();
    private final LongAdder losses = new LongAdder();
    private volatile long completeNanos;
    /** Whether the signal has reported {@link #completeNanos}. */
    private volatile boolean reported;

    private volatile ChangeSignal.State state = ChangeSignal.State.STARTING;
    private volatile String because = "the store's changes are not followed yet";

    // Guarded by this.
    private final KeyEncoder encoder = new KeyEncoder();
    private boolean revokesAgain;
    private long revokeNanos;

    /**
     * @param definitions reads changed definitions again
     * @param revoke discards the store's permissions
     * @param early whether the signal may report a change before the store shows it, so that lines
     * must be dropped again later
     * @param ages returns the lifetimes of tables without their own settings
     * @param clock the cache's ticker
     */
    public OutsideChanges(
            CachedTables tables,
            DefinitionListener definitions,
            Runnable revoke,
            boolean early,
            Supplier<Ages> ages,
            LongSupplier clock) {
        this.tables = tables;
        this.definitions = definitions;
        this.revoke = revoke;
        this.early = early;
        this.clock = clock;
        this.ages = ages;
        this.followUps = new FollowUps(tables, () -> ages.get().ttl(), clock);
        this.completeNanos = clock.getAsLong() - Duration.ofDays(1).toNanos();
    }

    @Override
    public synchronized void row(TableSchema schema, List<byte @Nullable []> key, List<RowImage> images) {
        if (!isFollowed(schema.name())) {
            return;
        }
        CachedTable known = tables.known(schema.name());
        if (known == null) {
            followUp(schema.name());
        } else if (known.schema().id() != schema.id() || !known.encode(key, encoder)) {
            table(schema.name());
        } else {
            LineTable lines = known.lines();
            List<AddedRow> rows = known.isFiltered() ? NewRow.of(known, images) : List.of();
            lines.flush(encoder, rows);
            rowDrops.increment();
            if (early && !followUps.row(lines, encoder.toBytes(), rows)) {
                table(schema.name());
            }
        }
    }

    @Override
    public synchronized void table(TableName name) {
        if (!isFollowed(name)) {
            return;
        }
        CachedTable known = tables.known(name);
        if (known != null) {
            known.changedOutside(clock.getAsLong());
        }
        drop(name);
    }

    /** Drops the lines of a table that begins to follow the signal. */
    public synchronized void followed(TableName name) {
        drop(name);
    }

    private void drop(TableName name) {
        LineTable lines = tables.lines(name);
        if (lines != null) {
            lines.flush();
            tableDrops.increment();
        }
        followUp(name);
    }

    private boolean isFollowed(TableName name) {
        return ages.get().bySignal().test(name);
    }

    @Override
    public synchronized void partitions(TableName name, PartitionSpans partitioning, Collection<Long> changed) {
        CachedTable known = tables.known(name);
        if (known == null || early) {
            table(name);
        } else if (isFollowed(name)) {
            known.changedOutside(clock.getAsLong());
            if (!known.flush(partitioning, changed)) {
                tableDrops.increment();
            }
        }
    }

    @Override
    public synchronized void definitions(Collection<TableName> changed) {
        definitions.definitionsChanged(changed);
        changed.forEach(this::drop);
    }

    @Override
    public synchronized void everything() {
        losses.increment();
        tables.names().forEach(this::drop);
        if (early) {
            followUps.everything();
        }
    }

    @Override
    public void allDefinitions() {
        definitions.definitionsChanged(null);
    }

    @Override
    public void storedCode() {
        definitions.storedCodeChanging().run();
    }

    /**
     * Discards the store's permissions now and again later, because the store may apply the old
     * rights for another moment.
     */
    @Override
    public synchronized void privileges() {
        revoke.run();
        revokesAgain = early;
        revokeNanos = clock.getAsLong() + TAKES_EFFECT_NANOS;
    }

    @Override
    public synchronized void complete(long asOfNanos) {
        if (early) {
            followUps.seen(asOfNanos);
        }
        // Due lines may have old rows. Without the drop, the code below would extend their
        // freshness.
        dropDue();
        for (TableName name : tables.names()) {
            extendFreshness(name, asOfNanos);
        }
        completeNanos = asOfNanos;
        reported = true;
    }

    @Override
    public synchronized void complete(TableName table, long asOfNanos) {
        dropDue();
        extendFreshness(table, asOfNanos);
        completeNanos = asOfNanos;
        reported = true;
    }

    @Override
    public void state(ChangeSignal.State now, String why) {
        // Some stores end their messages with a full stop.
        because = why.endsWith(".") ? why.substring(0, why.length() - 1) : why;
        state = now;
        // Only a refused signal needs an operator. A lost signal recovers by itself.
        if (now == ChangeSignal.State.REFUSED) {
            LOG.warn(lifetime(now == ChangeSignal.State.FOLLOWING));
        } else {
            LOG.info(lifetime(now == ChangeSignal.State.FOLLOWING));
        }
    }

    /**
     * Returns sentences for operators: how long lines live, why, and how they could live longer.
     */
    public String lifetime() {
        return lifetime(isLive());
    }

    private String lifetime(boolean live) {
        Ages now = ages.get();
        return lifetime(now, live)
                + (now.atTheStore().isZero()
                        ? ""
                        : " The store may return rows that are " + Units.format(now.atTheStore())
                                + " old (cloud_partition_version_cache_ttl_ms); add this time to every bound.");
    }

    private String lifetime(Ages now, boolean live) {
        if (live) {
            return "Lines live " + Units.format(now.signalTtl())
                    + " (cache.signalTtl): the store reports writes that bypass Keyline.";
        }
        // In other states, the signal recovers by itself.
        boolean isOff = state == ChangeSignal.State.REFUSED || state == ChangeSignal.State.OFF;
        return "Lines live " + Units.format(now.ttl())
                + " (cache.ttl): writes that bypass Keyline cannot be seen sooner, because "
                + (state == ChangeSignal.State.FOLLOWING ? "the store has not reported lately" : because)
                + (isOff && now.ttl().compareTo(UNSEEN_TTL) < 0
                        ? ". If all writes go through Keyline, set cache.ttl=" + Units.format(UNSEEN_TTL) + "."
                        : ".");
    }

    @Override
    public Collection<TableName> tables() {
        return tables.names().stream()
                .filter(name -> hasLines(name) && isFollowed(name))
                .toList();
    }

    @Override
    public Collection<TableName> readTables() {
        return tables.names().stream().filter(this::isFollowed).toList();
    }

    @Override
    public synchronized boolean awaitsComplete() {
        return followUps.pending() > 0;
    }

    private boolean hasLines(TableName name) {
        LineTable lines = tables.lines(name);
        LineTable filters = lines == null ? null : lines.filters();
        return lines != null
                && (lines.stats().lines() > 0
                        || (filters != null && filters.stats().lines() > 0));
    }

    /** Drops lines that are due for a repeated drop. Must be called every few milliseconds. */
    public synchronized void dropDue() {
        followUps.drop();
        if (revokesAgain && clock.getAsLong() - revokeNanos >= 0) {
            revokesAgain = false;
            revoke.run();
        }
    }

    /**
     * Returns the nanoseconds since the time up to which all changes are reported; -1 if unknown.
     */
    public long lagNanos() {
        long lag = lag();
        boolean stale = lag > ages.get().ttl().toNanos();
        return !reported || (stale && isIdle()) ? -1 : lag;
    }

    private long lag() {
        return clock.getAsLong() - completeNanos;
    }

    private boolean isIdle() {
        return state == ChangeSignal.State.FOLLOWING && tables().isEmpty();
    }

    /** Returns whether the signal works: its report is less than a ttl old, or no lines exist. */
    public boolean isLive() {
        return state == ChangeSignal.State.FOLLOWING
                && (lag() <= ages.get().ttl().toNanos() || tables().isEmpty());
    }

    /** Returns how many reported rows caused a drop. Repeated drops do not count. */
    public long rowDrops() {
        return rowDrops.sum();
    }

    /** Returns how often a table lost all its lines. */
    public long tableDrops() {
        return tableDrops.sum();
    }

    /** Returns how often all tables lost their lines. */
    public long losses() {
        return losses.sum();
    }

    private void extendFreshness(TableName name, long asOfNanos) {
        LineTable lines = tables.lines(name);
        if (lines != null && isFollowed(name)) {
            lines.extendFreshness(asOfNanos);
        }
    }

    private void followUp(TableName name) {
        if (early) {
            followUps.table(name);
        }
    }
}
