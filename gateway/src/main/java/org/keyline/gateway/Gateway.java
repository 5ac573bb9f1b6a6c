package org.keyline.gateway;

import com.github.benmanes.caffeine.cache.Ticker;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.admin.AdminServer;
import org.keyline.gateway.admin.Health;
import org.keyline.gateway.admin.HttpAccess;
import org.keyline.gateway.admin.LoopProbe;
import org.keyline.gateway.admin.StoreProbe;
import org.keyline.gateway.change.OutsideChanges;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.config.HostPort;
import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.config.Settings;
import org.keyline.gateway.metrics.GatewayMetrics;
import org.keyline.gateway.metrics.SignalFigures;
import org.keyline.gateway.metrics.TableFigures;
import org.keyline.gateway.read.PointReads;
import org.keyline.gateway.read.ReadInspector;
import org.keyline.gateway.session.ConfiguredAccounts;
import org.keyline.gateway.session.Sessions;
import org.keyline.gateway.session.state.StrandedClients;
import org.keyline.gateway.session.state.TransactionChains;
import org.keyline.gateway.share.UserShares;
import org.keyline.gateway.slow.SlowLog;
import org.keyline.gateway.table.CachedTables;
import org.keyline.gateway.tier.Tier;
import org.keyline.gateway.views.Clients;
import org.keyline.gateway.views.GatewayViews;
import org.keyline.gateway.views.Insight;
import org.keyline.gateway.views.Overview;
import org.keyline.gateway.views.ViewReads;
import org.keyline.planner.PlanCache;
import org.keyline.planner.Planner;
import org.keyline.planner.calcite.PointReadMatcher;
import org.keyline.planner.statement.StatementClassifier;
import org.keyline.protocol.memory.MemoryBudget;
import org.keyline.protocol.server.MySqlServer;
import org.keyline.protocol.server.SessionFactory;
import org.keyline.rowcache.OtherCaches;
import org.keyline.rowcache.RowCache;
import org.keyline.rowcache.RowCacheOptions;
import org.keyline.stores.ChangeSignal;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.Store;
import org.keyline.stores.duckdb.Demo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running gateway: connects all parts. Thread-safe.
 *
 * <pre>{@code
 * try (Gateway gateway = Gateway.start(config)) {
 *     connect(gateway.listening());
 * }
 * }</pre>
 */
public final class Gateway implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);

    private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration LOOP_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration END_AT_STORE = Duration.ofSeconds(2);
    private static final Duration LAST_WORDS = Duration.ofSeconds(1);
    private static final int SWEPT_LINES = 10_000;
    /**
     * Lines that arrive within this time are checked for eviction together: a thread woken for each
     * would cost more than the lines.
     */
    private static final int EVICTION_MS = 20;

    private static final int FOLLOW_UP_MS = 10;
    private static final int STOP_SECONDS = 5;

    private final Store store;
    private final Sessions sessions;
    private final MySqlServer server;
    private final MultiThreadIoEventLoopGroup background;
    private final StoreProbe probe;
    private final @Nullable AdminServer admin;
    private final GatewayMetrics metrics;
    private final SlowLog slow;
    private final ViewReads viewReads;
    private final Future<?> housekeeping;
    private final @Nullable Tier tier;
    private final HostPort listening;
    private final Supplier<Duration> drainDelay;

    private volatile boolean draining;

    /** Opens the configured store and starts in front of it. */
    public static Gateway start(GatewayConfig config) throws StartException {
        return start(LiveConfig.fixed(config));
    }

    /** Starts with a configuration that may change while the gateway runs. */
    public static Gateway start(LiveConfig config) throws StartException {
        return start(config, () -> {});
    }

    /** Starts with another clock for the ages of lines. */
    public static Gateway start(LiveConfig config, Ticker ticker) throws StartException {
        return start(config, () -> {}, ticker);
    }

    /** Starts, and runs a task when the store is open and before clients can connect. */
    static Gateway start(LiveConfig config, Runnable beforeListening) throws StartException {
        return start(config, beforeListening, Ticker.systemTicker());
    }

    private static Gateway start(LiveConfig config, Runnable beforeListening, Ticker ticker) throws StartException {
        Store store = WaitingRoom.awaitStore(config);
        try {
            return new Gateway(config, store, beforeListening, ticker);
        } catch (StartException | RuntimeException e) {
            store.close();
            throw e;
        }
    }

    /** Starts in front of a store, which is closed with the gateway. */
    Gateway(GatewayConfig config, Store store) throws StartException {
        this(LiveConfig.fixed(config), store, () -> {}, Ticker.systemTicker());
    }

    /**
     * Starts in front of a store, with a configuration that may change, and a task that runs before
     * clients can connect.
     */
    Gateway(LiveConfig live, Store store, Runnable beforeListening, Ticker ticker) throws StartException {
        // Values read from it here stay in force until the code asks the live configuration again.
        GatewayConfig config = live.config();
        this.store = store;
        this.drainDelay = () -> live.get(ConfigKeys.DRAIN_DELAY);
        SecureRandom random = new SecureRandom();
        SessionIdentity own = CacheOptions.ownIdentity(config);

        // Lines and loads.
        long ofFilters = CacheOptions.filterBytes(config, config);
        GatewayConfig.Tier shared = config.tier();
        OtherCaches others = shared == null
                ? OtherCaches.NONE
                : OtherCaches.of(shared.get(ConfigKeys.TIER_STALENESS), ticker.read());
        RowCache cache = new RowCache(
                RowCacheOptions.of(
                        config.get(ConfigKeys.CACHE_SIZE) - ofFilters,
                        random.nextLong(),
                        ticker,
                        task -> soon(task, EVICTION_MS)),
                ofFilters,
                others);
        CachedTables tables = new CachedTables(
                cache,
                store.catalog(),
                schema -> CacheOptions.tableOptions(config, live.config(), schema),
                // Gateways can share lines only if these have the same prefix.
                schema -> {
                    Settings table = live.config().table(schema.name());
                    return CacheOptions.isChosen(table) ? live.get(ConfigKeys.CACHE_AUTO_ROWS) : 0;
                });
        PointReads reads = new PointReads(store, tables, own, CacheOptions.readOptions(config));
        live.onChange(() -> reads.options(CacheOptions.readOptions(live.config())));

        if (config.get(ConfigKeys.CACHE_WRITE_THROUGH) == GatewayConfig.WriteThroughMode.EXACT
                && !store.repliesAreLoads()) {
            LOG.warn(
                    "cache.writeThrough: exact has no effect in front of this store, which may answer a write before it shows it;"
                            + " writes drop lines");
        }
        Stores.checkMergedWrites(config, store);
        live.onChange(() -> {
            if (tables.reconfigure()) {
                // What was learned from a replaced table no longer applies.
                reads.revoke();
            }
        });

        // Statements.
        Planner planner = new Planner(List.of(
                new StatementClassifier(),
                new PointReadMatcher(
                        name -> config.table(name).get(ConfigKeys.TABLE_FILTERS),
                        name -> CacheOptions.takesRanges(live.config().table(name)))));
        PlanCache plans = new PlanCache(planner, store.catalog(), config.get(ConfigKeys.LIMITS_PLANS));
        AtomicReference<Map<Object, Boolean>> ranged = new AtomicReference<>(CacheOptions.ranged(config));
        live.onChange(() -> {
            Map<Object, Boolean> now = CacheOptions.ranged(live.config());
            if (!now.equals(ranged.getAndSet(now))) {
                // Plans depend on the definitions.
                plans.clear();
            }
        });

        // Figures for operators and periodic work run on a loop that serves no client.
        Tier between = shared == null
                ? null
                : new Tier(
                        shared,
                        config.sharesLines(),
                        Stores.trust(shared),
                        Stores.members(config, shared),
                        tables,
                        others,
                        ticker::read,
                        random);
        tier = between;
        ChangeSignal signal = store.changeSignal();
        OutsideChanges outside = new OutsideChanges(
                tables,
                store::definitionsChanged,
                reads.authority()::rightsChanged,
                signal != null && signal.isEarly(),
                () -> new OutsideChanges.Ages(
                        live.get(ConfigKeys.CACHE_TTL), live.get(ConfigKeys.CACHE_SIGNAL_TTL), store.versionAge()),
                ticker::read);
        MemoryBudget memory = new MemoryBudget(config.get(ConfigKeys.LIMITS_MEMORY));
        live.onChange(() -> memory.resize(live.get(ConfigKeys.LIMITS_MEMORY)));
        metrics = new GatewayMetrics(
                () -> TableFigures.ofAll(tables),
                plans,
                reads.audits(),
                () -> figures(signal, outside),
                memory,
                reads.statements());
        metrics.store(store, Build.THIS.version(), Build.THIS.commit());
        if (between != null) {
            metrics.tier(between::figures);
            String loadedBy = config.get(ConfigKeys.STORE_URL) + " " + config.get(ConfigKeys.STORE_USER);
            if (config.sharesLines()) {
                reads.shareLines(loop -> between.lines(loop, loadedBy, config::table));
            }
        }
        Clients clients = new Clients();
        UserShares shares = new UserShares(live);
        slow = new SlowLog(live);
        GatewayViews views = new GatewayViews(
                tables,
                () -> TableFigures.of(tables),
                metrics,
                () -> figures(signal, outside),
                clients,
                () -> live.config().all(),
                slow::last,
                shares::figures);
        viewReads = new ViewReads(views.all());
        background = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("keyline-background", true), NioIoHandler.newFactory());
        probe = new StoreProbe(store, own, background.next(), PROBE_TIMEOUT);
        housekeeping = background.scheduleWithFixedDelay(() -> keepHouse(cache, tables, reads), 1, 1, TimeUnit.SECONDS);

        live.onChange(() -> {
            GatewayConfig now = live.config();
            long filters = CacheOptions.filterBytes(config, now);
            if (!background.isShuttingDown()) {
                // A smaller budget may evict many lines.
                background.execute(() -> {
                    cache.budgets(now.get(ConfigKeys.CACHE_SIZE) - filters, filters);
                    plans.maxBytes(now.get(ConfigKeys.LIMITS_PLANS));
                });
            }
        });

        // Changes that bypass this gateway.
        store.watchServers(outside);
        if (signal != null) {
            if (signal.isEarly()) {
                Future<?> unused = background.scheduleWithFixedDelay(
                        outside::dropDue, FOLLOW_UP_MS, FOLLOW_UP_MS, TimeUnit.MILLISECONDS);
            }
            signal.start(outside);
        }

        // Clients.
        MySqlServer bound = null;
        int passed;
        try {
            passed = PassedSocket.descriptor(
                    System.getenv(), ProcessHandle.current().pid(), config.get(ConfigKeys.TRANSPORT));
            if (config.get(ConfigKeys.DEMO)) {
                DemoSample.load(store, own, background.next(), Demo.statements());
            }
            sessions = new Sessions(
                    store,
                    reads,
                    new ReadInspector(reads),
                    plans,
                    metrics,
                    config,
                    ticker,
                    !config.isRemote(),
                    new StrandedClients(probe::accepts, this::soon),
                    new Insight(viewReads, clients, live, slow),
                    shares,
                    new TransactionChains(TransactionChains.FIRST_NUMBER),
                    between == null ? null : between::received);
            beforeListening.run();
            ServerTls tls = ServerTls.of(config, random);
            live.beforeChange(next -> tls.prepare(next, random));
            ConfiguredAccounts accounts =
                    new ConfiguredAccounts(() -> live.config().users());
            live.beforeChange(new UserChanges(live, clients));
            if (config.get(ConfigKeys.STORE_LOGIN) == GatewayConfig.LoginMode.LOCAL) {
                // Closes sessions whose login was under way when their user was removed.
                Future<?> unused = background.scheduleWithFixedDelay(
                        () -> clients.end(login -> accounts.find(login.user(), login.remote()) == null),
                        1,
                        1,
                        TimeUnit.SECONDS);
            }
            bound = new ClientServer(store, background.next(), memory, metrics)
                    .listen(live, accounts, sessions, tls, passed, random);
            server = bound;
            live.onChange(() -> {
                GatewayConfig now = live.config();
                server.limits(
                        now.get(ConfigKeys.LIMITS_PACKET),
                        now.get(ConfigKeys.LIMITS_LOGIN_TIMEOUT),
                        now.get(ConfigKeys.DRAIN_TIMEOUT),
                        now.get(ConfigKeys.LIMITS_PEER_TIMEOUT),
                        now.get(ConfigKeys.LIMITS_CONNECTIONS));
            });
            HostPort http = config.get(ConfigKeys.HTTP).orElse(null);
            admin = http == null
                    ? null
                    : admin(
                            http,
                            config.get(ConfigKeys.REUSE_PORT),
                            tls,
                            live,
                            new Overview(views, () -> TableFigures.ofAll(tables)));
        } catch (IOException | StartException | RuntimeException e) {
            if (bound != null) {
                bound.close();
            }
            background.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
            if (tier != null) {
                tier.close();
            }
            viewReads.close();
            slow.close();
            metrics.close();
            throw e instanceof IOException io ? new StartException(StartException.describe(io), io) : rethrown(e);
        }
        listening = new HostPort(
                passed == PassedSocket.NONE
                        ? config.get(ConfigKeys.LISTEN).host()
                        : server.address().getHostString(),
                server.address().getPort());
        LOG.info("serving {} on {}", config.get(ConfigKeys.STORE_URL), listening);
    }

    private static StartException rethrown(Exception e) {
        if (e instanceof RuntimeException bug) {
            throw bug;
        }
        return (StartException) e;
    }

    /** Returns the health check. It asks the store and the event loops independently. */
    private Supplier<CompletionStage<Health>> health(LoopProbe loops) {
        return () -> {
            CompletableFuture<Boolean> asked = probe.reachable()
                    .toCompletableFuture()
                    .completeOnTimeout(false, 2 * PROBE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            return loops.silent()
                    .thenCombine(
                            asked, (silent, reachable) -> new Health(silent, reachable, store.failure(), draining));
        };
    }

    private AdminServer admin(HostPort address, boolean shared, ServerTls tls, LiveConfig live, Overview overview)
            throws IOException {
        try {
            return new AdminServer(
                    address.resolve(),
                    shared,
                    tls.http(),
                    new HttpAccess(
                            () -> live.get(ConfigKeys.ACCESS_HTTP_TOKEN).value(),
                            () -> live.get(ConfigKeys.ACCESS_HTTP_HOSTS),
                            address.resolve().getAddress().isLoopbackAddress()),
                    metrics::scrape,
                    overview::json,
                    health(new LoopProbe(server.loops(), LOOP_TIMEOUT)));
        } catch (IOException e) {
            throw new IOException("cannot listen on " + address + " for metrics and health", e);
        }
    }

    /** Returns the address where clients connect, with the actual port. */
    public HostPort listening() {
        return listening;
    }

    /** Returns the address of metrics and health; null if there is none. */
    public @Nullable InetSocketAddress http() {
        return admin == null ? null : admin.address();
    }

    /** Returns the event loops that serve clients. */
    EventLoopGroup loops() {
        return server.loops();
    }

    /** Returns the factory of sessions, for connections that do not use the socket. */
    SessionFactory sessions() {
        return sessions;
    }

    /**
     * Drains and stops. {@code /ready} fails for the drain delay, then no connection is accepted.
     * Running commands and transactions may finish within the drain timeout; then the store is
     * closed. Blocks until that is done; further calls do nothing.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (draining) {
                return;
            }
            draining = true;
        }
        LOG.info("draining");
        awaitBalancers();
        if (!server.drain() && sessions.endAtStore(background.next(), END_AT_STORE)) {
            // Clients still receive the store's last replies.
            boolean unused = server.awaitEnd(LAST_WORDS);
        }
        server.close();
        if (tier != null) {
            tier.close();
        }
        housekeeping.cancel(false);
        probe.close();
        if (admin != null) {
            admin.close();
        }
        store.close();
        viewReads.close();
        background.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
        slow.close();
        metrics.close();
        LOG.info("stopped");
    }

    /**
     * Waits until load balancers have seen that the gateway is not ready. They send connections
     * until then.
     */
    private void awaitBalancers() {
        try {
            TimeUnit.NANOSECONDS.sleep(drainDelay.get().toNanos());
        } catch (InterruptedException e) {
            // An interrupt ends the wait.
            Thread.currentThread().interrupt();
        }
    }

    private void soon(Runnable task, int millis) {
        if (!background.isShuttingDown()) {
            Future<?> unused = background.schedule(task, millis, TimeUnit.MILLISECONDS);
        }
    }

    private static void keepHouse(RowCache cache, CachedTables tables, PointReads reads) {
        try {
            tables.retireDropped();
            cache.sweep(SWEPT_LINES);
            cache.cleanUp();
        } catch (RuntimeException e) {
            LOG.error(
                    "A sweep of expired lines failed. They answer nothing, but stay in memory; the next sweep tries"
                            + " again.",
                    e);
        }
        try {
            if (tables.choose()) {
                reads.regrained();
            }
        } catch (RuntimeException e) {
            LOG.error("A choice of load granularities failed. They stay as they are; the next second tries again.", e);
        }
    }

    private static SignalFigures figures(@Nullable ChangeSignal signal, OutsideChanges outside) {
        if (signal == null) {
            return SignalFigures.NONE;
        }
        return new SignalFigures(
                outside.isLive(),
                outside.lagNanos(),
                signal.events(),
                outside.rowDrops(),
                outside.tableDrops(),
                outside.losses(),
                outside.lifetime());
    }
}
