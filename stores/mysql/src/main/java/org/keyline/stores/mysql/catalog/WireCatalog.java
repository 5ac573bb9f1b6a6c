package org.keyline.stores.mysql.catalog;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Catalog;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.statement.ProcedureBody;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.client.Unreachable;
import org.keyline.stores.DefinitionWatch;
import org.keyline.stores.ProcedureText;
import org.keyline.stores.SessionDefaults;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of a store behind the MySQL protocol, read through JDBC, and refreshed periodically
 * and on request. Thread-safe.
 *
 * <p>The catalog lists only tables with an exactly known definition. Reads of other tables are
 * forwarded, and writes to them fence all tables. A write to a table whose definition has just
 * changed can wait for the reading. If no reading succeeds for {@link CatalogOptions#maxAge} plus
 * twice the duration of the longest reading, no table is known.
 */
public final class WireCatalog implements Catalog, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WireCatalog.class);
    private static final int MAX_REMARKS = 1_000;
    private static final int MAX_AGES = 5;
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long AGE_PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** Maximum time for which a write waits for a reading. */
    private static final long MAX_WAIT_MILLIS = 1_000;

    /** Number of running statements that change views, functions or triggers. */
    private final AtomicInteger codeChanging = new AtomicInteger();

    private final CatalogOptions options;
    private final Dialect dialect;
    private final PublishedTables published = new PublishedTables(this::want);

    /** Runs the readings. {@link #clock} expires old readings, even while a reading hangs. */
    private final ScheduledThreadPoolExecutor readings = thread();

    private final ScheduledThreadPoolExecutor clock = thread();
    private volatile String serverVersion;
    private volatile SessionDefaults sessionDefaults;
    private volatile Set<String> unguardedUsers;
    private volatile Set<String> keywords;
    private volatile List<String> sessionQuestions;
    private volatile Duration versionAge = Duration.ZERO;
    private volatile @Nullable StoreConnection connection;
    private volatile boolean reachable = true;
    private final AtomicBoolean suspected = new AtomicBoolean();
    /** Whether a reading is scheduled because a statement needs it. */
    private final AtomicBoolean wanted = new AtomicBoolean();

    private final ReadingPace pace = new ReadingPace();
    /** Whether a reading is scheduled for the end of a series of changes. */
    private final AtomicBoolean awaited = new AtomicBoolean();

    private volatile long changedNanos;

    /** Time of the latest reading that a statement has requested. */
    private volatile long dueNanos = System.nanoTime();

    private final DefinitionQuestions questions;

    // Confined to readings.
    private final Readings read;
    private final Set<String> remarked = new HashSet<>();
    private volatile boolean failing;
    private long unreachableNanos;
    private long ageAskedNanos = System.nanoTime() - AGE_PERIOD_NANOS;
    private @Nullable ScheduledFuture<?> expiry;
    private volatile long longestNanos;

    private WireCatalog(
            CatalogOptions options,
            StoreConnection connection,
            SessionDefaults defaults,
            Set<String> unguardedUsers,
            Set<String> keywords,
            List<String> sessionQuestions) {
        this.options = options;
        this.connection = connection;
        this.dialect = connection.dialect();
        this.serverVersion = connection.serverVersion();
        this.sessionDefaults = defaults;
        StoreReader reader = StoreReader.of(dialect, options.user());
        this.read = new Readings(reader, options.refreshPeriod());
        this.questions = new DefinitionQuestions(options, reader);
        this.unguardedUsers = unguardedUsers;
        this.keywords = keywords;
        this.sessionQuestions = sessionQuestions;
    }

    private static ScheduledThreadPoolExecutor thread() {
        ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1, task -> {
            Thread made = new Thread(task, "keyline-catalog");
            made.setDaemon(true);
            return made;
        });
        thread.setRemoveOnCancelPolicy(true);
        // Tasks after the close are discarded.
        thread.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        return thread;
    }

    /**
     * Connects, detects the dialect, reads everything once, and starts the periodic readings.
     * Blocks. If the store refuses to describe its tables, no table is known until a later reading
     * succeeds.
     *
     * @throws CatalogUnavailableException if the store is unreachable; the message has its address
     */
    public static WireCatalog open(CatalogOptions options) {
        try {
            StoreConnection connection = StoreConnection.open(options);
            if (!connection.dialect().isKnown()) {
                LOG.warn(
                        "{}: Keyline does not know this kind of store (version {}). It therefore forwards reads by keys of text,"
                                + " assumes that the first read of a transaction creates a snapshot, and follows no change signal.",
                        options.address(),
                        connection.serverVersion());
            }
            WireCatalog catalog;
            try {
                catalog = new WireCatalog(
                        options,
                        connection,
                        connection.sessionDefaults(),
                        connection.unguardedUsers(),
                        connection.keywords(),
                        connection.sessionQuestions());
            } catch (ReadFailure e) {
                connection.close();
                throw e;
            }
            try {
                catalog.read(published -> PublishedTables.Task.all(0));
            } catch (ReadFailure e) {
                if (!e.refused()) {
                    catalog.close();
                    throw e;
                }
                catalog.failing = true;
                LOG.warn(
                        "{}: the catalog cannot be read: {}. Every statement is forwarded until the catalog can be read.",
                        options.address(),
                        e.getMessage());
            }
            long period = options.refreshPeriod().toNanos();
            ScheduledFuture<?> unused =
                    catalog.readings.scheduleWithFixedDelay(catalog::refresh, period, period, TimeUnit.NANOSECONDS);
            return catalog;
        } catch (ReadFailure e) {
            throw new CatalogUnavailableException(
                    e.unreachable()
                            ? Unreachable.sentence(options.server().unresolved(), String.valueOf(e.getMessage()))
                            : options.address() + ": the catalog cannot be read: " + e.getMessage(),
                    e);
        }
    }

    @Override
    public @Nullable String ownName() {
        return dialect.ownCatalog();
    }

    public Dialect dialect() {
        return dialect;
    }

    /** Returns the store's variable {@code version} at the last connection. */
    public String serverVersion() {
        return serverVersion;
    }

    /** Returns the defaults as of the last connection or reading. */
    public SessionDefaults sessionDefaults() {
        return sessionDefaults;
    }

    /** Returns the maximum age of the row versions that a read returns. Updated once a minute. */
    public Duration versionAge() {
        return versionAge;
    }

    /** Returns the users whose passwords the store possibly ignores, as of the last connection. */
    public Set<String> unguardedUsers() {
        return unguardedUsers;
    }

    /** Returns the names of values to request from sessions, as of the last connection. */
    public List<String> sessionQuestions() {
        return sessionQuestions;
    }

    @Override
    @Nullable
    public TableSchema table(String schema, String table) {
        return published.table(schema, table);
    }

    @Override
    public @Nullable TableSchema known(String schema, String table) {
        return published.known(schema, table);
    }

    @Override
    public long version() {
        return published.version();
    }

    @Override
    public boolean storedFunctions() {
        return code().functions();
    }

    @Override
    public boolean storedCode() {
        return published.code().runs();
    }

    @Override
    public boolean mayCallFunctions(String view) {
        return code().mayCallFunctions(view);
    }

    @Override
    public boolean isBuiltIn(String function) {
        return dialect.isBuiltIn(function) && !published.code().names().contains(function);
    }

    @Override
    public boolean isKeyword(String word) {
        Set<String> known = keywords;
        return known.isEmpty() || known.contains(word);
    }

    @Override
    public boolean writeScopeUnknown() {
        return codeChanging.get() > 0 || published.writeScopeUnknown();
    }

    /** Returns the stored code. During a change it is unknown, as the store may run new code. */
    private StoredCode code() {
        return codeChanging.get() > 0 ? StoredCode.ANY : published.code();
    }

    @Override
    public boolean hasSchema(String schema) {
        return published.hasSchema(schema);
    }

    @Override
    public Map<TableName, String> excluded() {
        return published.excluded();
    }

    @Override
    public boolean has(String schema, String table) {
        return published.has(schema, table);
    }

    /**
     * Called when unknown definitions may have changed. Increments {@link #version} before it
     * returns. No table is known until the store has been read again.
     *
     * @return completes with the reading. If the reading fails, completes exceptionally, and tables
     * stay unknown until a reading succeeds
     */
    public CompletionStage<Void> definitionsChanged() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        return readNow(published.changed(null, done), done);
    }

    /**
     * Called when these definitions may have changed; all other tables stay known. The reading
     * begins when a statement needs one of these definitions, when no definition has changed for a
     * second, or with the next periodic reading.
     *
     * @param tables the old and the new names
     */
    public CompletionStage<Void> definitionsChanged(Collection<TableName> tables) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (published.changed(tables, done)) {
            changedNanos = System.nanoTime();
            awaitQuiet(QUIET_NANOS);
        } else {
            done.completeExceptionally(closedFailure());
        }
        return done;
    }

    /**
     * Schedules a reading for the next pause in changes, without waiting for a statement that needs
     * it. A write to a table that is still unknown fences all tables.
     */
    private void awaitQuiet(long nanos) {
        if (awaited.compareAndSet(false, true)) {
            ScheduledFuture<?> unused = readings.schedule(
                    () -> {
                        awaited.set(false);
                        long rest = changedNanos + QUIET_NANOS - System.nanoTime();
                        if (rest > 0) {
                            awaitQuiet(rest);
                        } else {
                            refresh(PublishedTables::waiting);
                        }
                    },
                    nanos,
                    TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public boolean isUnread(String schema, String table) {
        return published.isUnread(schema, table);
    }

    /**
     * Awaits the reading of changed definitions, without which the scope of a write is unknown.
     *
     * @return completes after the reading or after a second, never exceptionally. Null if the
     * reading cannot begin at once or would take long; the caller should then not wait
     */
    public @Nullable CompletionStage<?> definitionsRead() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        boolean later = dueNanos - System.nanoTime() > 0;
        return later || failing || !published.await(done)
                ? null
                : done.handle((nothing, failure) -> failure == null)
                        .completeOnTimeout(false, MAX_WAIT_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Called when a statement needs a changed definition. Thread-safe. */
    private void want() {
        if (wanted.compareAndSet(false, true)) {
            long now = System.nanoTime();
            long wait = pace.next(now);
            dueNanos = now + wait;
            ScheduledFuture<?> unused = readings.schedule(
                    () -> {
                        wanted.set(false);
                        refresh(PublishedTables::waiting);
                    },
                    wait,
                    TimeUnit.NANOSECONDS);
        }
    }

    /**
     * Called when views, functions or triggers may have changed, but no table. Increments
     * {@link #version} before it returns. Until they have been read again, any write may change
     * anything.
     *
     * @return as for {@link #definitionsChanged}
     */
    public CompletionStage<Void> storedCodeChanged() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        return readNow(published.codeChanged(done), done);
    }

    /**
     * Called when views, functions or triggers are about to change. Increments {@link #version}
     * before it returns. Any write may change anything until the change is complete and has been
     * read.
     *
     * @return a task to run once, when the change is complete or its outcome is unknown
     */
    public Runnable storedCodeChanging() {
        codeChanging.incrementAndGet();
        published.renew();
        return () -> {
            var unused = storedCodeChanged();
            codeChanging.decrementAndGet();
        };
    }

    private CompletionStage<Void> readNow(boolean asked, CompletableFuture<Void> done) {
        if (asked) {
            // One reading closes all changes that were reported before it began.
            readings.execute(() -> refresh(PublishedTables::waiting));
        } else {
            done.completeExceptionally(closedFailure());
        }
        return done;
    }

    /**
     * Watches definitions that a statement can change without naming them.
     *
     * @return completes when the session may send the statement, never exceptionally
     */
    public CompletionStage<DefinitionWatch> watchDefinitions() {
        if (!dialect.isMySqlOrMariaDb()) {
            return CompletableFuture.completedFuture(watch(null));
        }
        return questions.ask().thenApply(this::watch);
    }

    /** @param before the store's counters before the statement ran; null if unknown */
    private DefinitionWatch watch(@Nullable DefinitionCount before) {
        CompletionStage<@Nullable DefinitionCount> none = CompletableFuture.completedFuture(null);
        return () -> (before == null ? none : questions.ask()).thenApply(after -> {
            DefinitionCount.Change change =
                    before == null || after == null ? DefinitionCount.Change.ANYTHING : after.since(before);
            if (change == DefinitionCount.Change.ANYTHING) {
                var unused = definitionsChanged();
            } else if (change == DefinitionCount.Change.CODE) {
                var unused = storedCodeChanged();
            }
            return switch (change) {
                case NOTHING -> DefinitionWatch.Seen.NOTHING;
                case ROWS, CODE -> DefinitionWatch.Seen.ROWS;
                case ANYTHING -> DefinitionWatch.Seen.DEFINITIONS;
            };
        });
    }

    /**
     * Reads the text of a procedure as of a moment after this call.
     *
     * @return completes with null if the store does not return the text, never exceptionally
     */
    public CompletionStage<@Nullable ProcedureText> procedure(String schema, String name) {
        return questions.procedure(schema, name);
    }

    /** Called when a new server is in use. No table is known until the new server has been read. */
    public void serverChanged() {
        StoreConnection open = connection;
        if (open != null) {
            open.abort();
        }
        questions.serverChanged();
        var unused = definitionsChanged();
    }

    /** Chooses what a reading reads; null if no reading is needed. */
    private interface Wanted {
        PublishedTables.@Nullable Task task(PublishedTables published);
    }

    /** Completes waiting changes, or reads everything if the counters have changed. */
    private void refresh() {
        refresh(published -> {
            PublishedTables.Task waiting = published.waiting();
            return waiting != null ? waiting : new PublishedTables.Task(Set.of(), false, 0);
        });
    }

    /** Returns whether the last reading reached the store. */
    public boolean isReachable() {
        return reachable;
    }

    /** Requests a reading at once, unless one is queued or the store is known to be unreachable. */
    public void suspect() {
        if (reachable && suspected.compareAndSet(false, true)) {
            readings.execute(this::refresh);
        }
    }

    /** Reads the catalog once. Logs a failure once. */
    private void refresh(Wanted wanted) {
        suspected.set(false);
        try {
            read(wanted);
            if (!reachable) {
                LOG.info(
                        "Keyline reaches the store {} again, after {} s",
                        options.address(),
                        TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - unreachableNanos));
                reachable = true;
            } else if (failing) {
                LOG.info("{}: the catalog can be read again", options.address());
            }
            failing = false;
        } catch (ReadFailure | RuntimeException e) {
            if (published.closed()) {
                return;
            }
            boolean lost = e instanceof ReadFailure failure && failure.unreachable();
            if (lost && reachable) {
                unreachableNanos = System.nanoTime();
                LOG.warn(
                        "{}. Clients get error {} until Keyline can reach it again. Open connections can still read"
                                + " cached rows; {} s after Keyline last read the catalog, these reads get errors too.",
                        Unreachable.sentence(options.server().unresolved(), String.valueOf(e.getMessage())),
                        ErrorCode.ER_CONNECT_TO_FOREIGN_DATA_SOURCE.number(),
                        TimeUnit.NANOSECONDS.toSeconds(mostAge()));
                reachable = false;
            } else if (!lost && !failing) {
                LOG.warn(
                        "{}: the catalog cannot be read. Cached rows answer reads until {} s after Keyline last read"
                                + " it; then Keyline forwards every statement until it can read the catalog again. The"
                                + " cause: {}",
                        options.address(),
                        TimeUnit.NANOSECONDS.toSeconds(mostAge()),
                        e.getMessage());
            }
            failing = true;
        }
    }

    /** Reads the catalog once. If no connection is open, opens one and reads everything. */
    private void read(Wanted wanted) throws ReadFailure {
        long began = System.nanoTime();
        PublishedTables.Task task = wanted.task(published);
        if (task == null) {
            return;
        }
        try {
            StoreConnection open = connection;
            if (open != null && !open.isCurrent()) {
                disconnect(open);
                open = null;
            }
            if (open == null || !read(open, task)) {
                task = published.all();
                read(reconnected(), task);
            }
        } catch (ReadFailure | RuntimeException e) {
            published.failed(task, e);
            throw e;
        }
        read.remarks().forEach(this::remark);
        // While a table or function is unread, no trigger is reported, because a trigger that names
        // it would seem to write anything.
        List<TableSchema> triggered = published.waiting() == null ? read.triggered() : List.of();
        for (TableSchema table : triggered) {
            for (String trigger : ProcedureBody.unknownTriggers(table, this)) {
                remark("every write to " + table.name()
                        + " drops the lines of all tables, because Keyline cannot determine"
                        + " what the trigger " + trigger + " writes. To avoid this, a trigger may only set columns of"
                        + " NEW and write tables that its text names");
            }
        }
        if (expiry != null) {
            expiry.cancel(false);
        }
        if (!published.closed()) {
            long took = System.nanoTime() - began;
            long age = options.maxAge().toNanos();
            // The duration is capped, because this process was possibly stopped during the reading.
            longestNanos = Math.min(Math.max(longestNanos, took), MAX_AGES * age);
            expiry = clock.schedule(this::expire, Math.max(age, mostAge() - took), TimeUnit.NANOSECONDS);
        }
    }

    /** Logs a remark once. */
    private void remark(String remark) {
        if (remarked.size() < MAX_REMARKS && remarked.add(remark)) {
            LOG.warn("{}: {}", options.address(), remark);
        }
    }

    /**
     * Returns the age in nanoseconds at which the last reading expires. This age grows with the
     * duration of readings, because the next reading must complete before the last reading expires.
     */
    private long mostAge() {
        return options.maxAge().toNanos() + 2 * longestNanos;
    }

    /** Reads the catalog once. Returns false if the connection is closed. */
    private boolean read(StoreConnection open, PublishedTables.Task task) throws ReadFailure {
        try {
            Set<TableName> tables = task.tables();
            boolean turns = tables != null && tables.isEmpty() && !task.code();
            if (tables == null || turns) {
                // The time zone must not change, because existing lines were loaded with it.
                sessionDefaults = sessionDefaults.withSqlMode(open.sqlMode());
                askVersionAge(open);
            }
            if (tables == null || (turns && read.isDue(open.rows()))) {
                PublishedTables.Task all = tables == null ? task : published.all();
                published.read(read.all(open.rows(), published.doubted(), () -> inBetween(open)), all);
            } else if (turns) {
                Snapshot turned = read.turn(open.rows());
                if (turned != null) {
                    published.read(turned, task);
                }
            } else {
                Snapshot next = tables.isEmpty() ? null : read.some(open.rows(), tables, Set.of());
                published.read(task.code() ? read.code(open.rows()) : next, task);
            }
            return true;
        } catch (ReadFailure e) {
            disconnect(open);
            if (e.refused() || published.closed()) {
                throw e;
            }
            return false;
        }
    }

    private void askVersionAge(StoreConnection open) throws ReadFailure {
        long now = System.nanoTime();
        if (now - ageAskedNanos < AGE_PERIOD_NANOS) {
            return;
        }
        ageAskedNanos = now;
        Duration age = open.versionAge();
        if (!age.equals(versionAge) && !age.isZero()) {
            LOG.warn(
                    "{}: {} is {} ms at the store. Lines may therefore be older than cache.ttl by up to this time.",
                    options.address(),
                    dialect.versionAge(),
                    age.toMillis());
        }
        versionAge = age;
    }

    /** Reads the tables that callers wait for, so that they do not wait for the reading of all. */
    private void inBetween(StoreConnection open) throws ReadFailure {
        PublishedTables.Ahead ahead = published.ahead();
        if (ahead != null) {
            published.read(read.some(open.rows(), ahead.changed(), ahead.asked()), ahead.task());
        }
    }

    private StoreConnection reconnected() throws ReadFailure {
        StoreConnection opened = StoreConnection.open(options);
        if (published.closed() || opened.dialect() != dialect) {
            opened.close();
            throw new ReadFailure(
                    published.closed()
                            ? "the catalog is closed"
                            : "the store was " + dialect + " and is " + opened.dialect() + " now");
        }
        connection = opened;
        serverVersion = opened.serverVersion();
        String zone = sessionDefaults.timeZone();
        sessionDefaults = new SessionDefaults(
                sessionDefaults.sqlMode(), zone, opened.sameTimeZones(zone), opened.readVariables(), opened.utf8mb4());
        unguardedUsers = opened.unguardedUsers();
        sessionQuestions = opened.sessionQuestions();
        Set<String> words = opened.keywords();
        if (!words.equals(keywords)) {
            keywords = words;
            published.renew();
        }
        return opened;
    }

    private void disconnect(StoreConnection open) {
        connection = null;
        open.close();
    }

    private void expire() {
        if (published.expire() && reachable) {
            LOG.warn(
                    "{}: the catalog could not be read for {} s. Every statement is forwarded until it can be read.",
                    options.address(),
                    TimeUnit.NANOSECONDS.toSeconds(mostAge()));
        }
    }

    /** Closes the catalog. Every table is unknown from now on. */
    @Override
    public void close() {
        if (published.close(closedFailure())) {
            readings.shutdownNow();
            clock.shutdownNow();
            questions.close();
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
