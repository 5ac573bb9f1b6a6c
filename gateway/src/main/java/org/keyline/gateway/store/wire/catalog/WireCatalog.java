package org.keyline.gateway.store.wire.catalog;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.store.SessionDefaults;
import org.keyline.planner.Catalog;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of a store behind the MySQL protocol, read through JDBC, refreshed on a period and on request. Thread-safe.
 *
 * <p>What it can't vouch for it does not list, so that reads are forwarded and writes close everything: views, tables whose
 * definition is not understood, all tables while the store can't be read for longer than {@link CatalogOptions#maxAge}.
 */
public final class WireCatalog implements Catalog, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WireCatalog.class);

    private final CatalogOptions options;
    private final Dialect dialect;
    private final StoreReader reader;
    private final PublishedTables published = new PublishedTables();

    /** Readings take turns on the one; the other ends what is too old, also while a reading hangs in the store. */
    private final ScheduledThreadPoolExecutor readings = thread();

    private final ScheduledThreadPoolExecutor clock = thread();
    private volatile String serverVersion;
    private volatile SessionDefaults sessionDefaults;
    private volatile @Nullable StoreConnection connection;

    // Confined to readings.
    private @Nullable Reading last;
    private final Map<TableName, Snapshot.KnownId> ids = new HashMap<>();
    private long lastId;
    private final Set<String> remarked = new HashSet<>();
    private boolean failing;
    private @Nullable ScheduledFuture<?> expiry;

    private WireCatalog(CatalogOptions options, StoreConnection connection, SessionDefaults defaults) {
        this.options = options;
        this.connection = connection;
        this.dialect = connection.dialect();
        this.serverVersion = connection.serverVersion();
        this.sessionDefaults = defaults;
        this.reader = StoreReader.of(dialect);
    }

    private static ScheduledThreadPoolExecutor thread() {
        ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1, task -> {
            Thread made = new Thread(task, "keyline-catalog");
            made.setDaemon(true);
            return made;
        });
        thread.setRemoveOnCancelPolicy(true);
        // What comes after the end has nothing to do any more.
        thread.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        return thread;
    }

    /**
     * Connects, detects the dialect, reads everything once, and goes on reading. Blocks.
     *
     * @throws CatalogUnavailableException if the store can't be reached or read; the message names its address
     */
    public static WireCatalog open(CatalogOptions options) {
        try {
            StoreConnection connection = StoreConnection.open(options);
            WireCatalog catalog = new WireCatalog(options, connection, connection.sessionDefaults());
            try {
                catalog.read();
            } catch (ReadFailure e) {
                catalog.close();
                throw e;
            }
            long period = options.refreshPeriod().toNanos();
            ScheduledFuture<?> unused =
                    catalog.readings.scheduleWithFixedDelay(catalog::refresh, period, period, TimeUnit.NANOSECONDS);
            return catalog;
        } catch (ReadFailure e) {
            throw new CatalogUnavailableException(
                    options.address() + ": the catalog can't be read: " + e.getMessage(), e);
        }
    }

    /** What kind of store it is. */
    public Dialect dialect() {
        return dialect;
    }

    /** The store's variable {@code version} at the last connection. */
    public String serverVersion() {
        return serverVersion;
    }

    /** What sessions begin with, as of the last connection or reading. */
    public SessionDefaults sessionDefaults() {
        return sessionDefaults;
    }

    @Override
    @Nullable
    public TableSchema table(String schema, String table) {
        return published.table(schema, table);
    }

    @Override
    public long version() {
        return published.version();
    }

    @Override
    public boolean storedFunctions() {
        return published.storedFunctions();
    }

    /**
     * Definitions may have changed, nobody knows which. {@link #version} is raised before this returns, and no table is known until
     * the store has been read anew.
     *
     * @return completes with the reading, exceptionally if it failed; tables then stay unknown until one succeeds
     */
    public CompletionStage<Void> definitionsChanged() {
        return changed(null);
    }

    /**
     * The same where it is known which definitions may have changed: until the store has been read anew, the others stay known, and
     * writes to them reach everywhere.
     *
     * @param tables old names and new ones
     */
    public CompletionStage<Void> definitionsChanged(Collection<TableName> tables) {
        return changed(tables);
    }

    private CompletionStage<Void> changed(@Nullable Collection<TableName> tables) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (published.changed(tables, done)) {
            readings.execute(() -> {
                // One reading settles all changes that were told before it began.
                if (published.unsettled()) {
                    refresh();
                }
            });
        } else {
            done.completeExceptionally(closedFailure());
        }
        return done;
    }

    /** One reading; failures are told once. */
    private void refresh() {
        try {
            read();
            if (failing) {
                LOG.info("{}: the catalog can be read again", options.address());
                failing = false;
            }
        } catch (ReadFailure | RuntimeException e) {
            if (!failing && !published.closed()) {
                LOG.warn(
                        "{}: the catalog can't be read; what is known answers for at most {} s: {}",
                        options.address(),
                        options.maxAge().toSeconds(),
                        e.getMessage());
                failing = true;
            }
        }
    }

    private void read() throws ReadFailure {
        long ticket = published.lastTicket();
        long began = System.nanoTime();
        try {
            Reading reading = confirmed();
            for (String remark : reading.remarks()) {
                if (remarked.add(remark)) {
                    LOG.warn("{}: {}", options.address(), remark);
                }
            }
            Snapshot next = reading.equals(last) ? null : Snapshot.of(reading, ids, () -> ++lastId);
            last = reading;
            published.read(next, ticket);
        } catch (ReadFailure | RuntimeException e) {
            published.failed(ticket, e);
            throw e;
        }
        if (expiry != null) {
            expiry.cancel(false);
        }
        if (!published.closed()) {
            long left = options.maxAge().toNanos() - (System.nanoTime() - began);
            expiry = clock.schedule(this::expire, Math.max(0, left), TimeUnit.NANOSECONDS);
        }
    }

    /** Reads on the connection there is, or, if that is gone or there is none, on a new one. */
    private Reading confirmed() throws ReadFailure {
        StoreConnection open = connection;
        if (open != null) {
            try {
                return confirmed(open);
            } catch (ReadFailure e) {
                disconnect(open);
                if (e.refused() || published.closed()) {
                    throw e;
                }
            }
        }
        StoreConnection opened = StoreConnection.open(options);
        connection = opened;
        try {
            if (published.closed()) {
                throw new ReadFailure("the catalog is closed");
            }
            if (opened.dialect() != dialect) {
                throw new ReadFailure("the store was " + dialect + " and is " + opened.dialect() + " now");
            }
            serverVersion = opened.serverVersion();
            return confirmed(opened);
        } catch (ReadFailure | RuntimeException e) {
            disconnect(opened);
            throw e;
        }
    }

    /** A reading equal to the last needs no second one to confirm it. */
    private Reading confirmed(StoreConnection open) throws ReadFailure {
        sessionDefaults = open.sessionDefaults();
        Reading first = reader.read(open.rows());
        return first.equals(last) ? first : first.confirmedBy(reader.read(open.rows()));
    }

    private void disconnect(StoreConnection open) {
        connection = null;
        open.close();
    }

    private void expire() {
        if (published.expire()) {
            LOG.warn(
                    "{}: the catalog could not be read for {} s: everything is forwarded",
                    options.address(),
                    options.maxAge().toSeconds());
        }
    }

    /** Stops reading; every table is unknown from now on. */
    @Override
    public void close() {
        if (published.close(closedFailure())) {
            readings.shutdownNow();
            clock.shutdownNow();
            StoreConnection open = connection;
            if (open != null) {
                open.abort();
            }
        }
    }

    private CatalogUnavailableException closedFailure() {
        return new CatalogUnavailableException(options.address() + ": the catalog is closed");
    }
}
