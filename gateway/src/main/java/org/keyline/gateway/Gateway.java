package org.keyline.gateway;

import static java.util.Objects.requireNonNull;

import com.github.benmanes.caffeine.cache.Ticker;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.admin.AdminServer;
import org.keyline.gateway.admin.Health;
import org.keyline.gateway.admin.HttpAccess;
import org.keyline.gateway.admin.LoopProbe;
import org.keyline.gateway.admin.StoreProbe;
import org.keyline.gateway.change.OutsideChanges;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.config.HostPort;
import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.handover.Predecessor;
import org.keyline.gateway.handover.Successor;
import org.keyline.gateway.metrics.GatewayMetrics;
import org.keyline.gateway.metrics.SignalFigures;
import org.keyline.gateway.metrics.TableFigures;
import org.keyline.gateway.otlp.OtlpPush;
import org.keyline.gateway.otlp.Traces;
import org.keyline.gateway.read.PointReads;
import org.keyline.gateway.read.ReadInspector;
import org.keyline.gateway.session.ConfiguredAccounts;
import org.keyline.gateway.session.Sessions;
import org.keyline.gateway.session.state.StrandedClients;
import org.keyline.gateway.slow.SlowLog;
import org.keyline.gateway.table.CachedTables;
import org.keyline.gateway.table.ReadFigures;
import org.keyline.gateway.tier.Tier;
import org.keyline.gateway.views.Clients;
import org.keyline.gateway.views.EmbeddedEngine;
import org.keyline.gateway.views.GatewayViews;
import org.keyline.gateway.views.Insight;
import org.keyline.gateway.views.Overview;
import org.keyline.gateway.views.PlainScans;
import org.keyline.gateway.views.View;
import org.keyline.gateway.views.ViewEngine;
import org.keyline.gateway.warm.WarmRestart;
import org.keyline.planner.PlanCache;
import org.keyline.planner.Planner;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.planner.calcite.PointReadMatcher;
import org.keyline.planner.statement.StatementClassifier;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.RsaKey;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.ServerTraits;
import org.keyline.protocol.memory.MemoryBudget;
import org.keyline.protocol.server.MySqlServer;
import org.keyline.protocol.server.ServerOptions;
import org.keyline.protocol.server.SessionFactory;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.OtherCaches;
import org.keyline.rowcache.RowCache;
import org.keyline.rowcache.RowCacheOptions;
import org.keyline.rowcache.TableOptions;
import org.keyline.stores.ChangeSignal;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.Store;
import org.keyline.stores.duckdb.Demo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running gateway: the one place where all parts are joined. Thread-safe.
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
    private static final int FOLLOW_UP_MS = 10;
    private static final int STOP_SECONDS = 5;
    /** How long after the end of a session the store is asked whether it lives: longer than it takes one that stops to end all of them. */
    private static final int STRANDED_MS = 500;
    /** A reply from lines takes at most this share of the clients' memory, before it is counted. */
    private static final int REPLY_SHARE = 16;

    private final Store store;
    private final Sessions sessions;
    private final MySqlServer server;
    private final MultiThreadIoEventLoopGroup background;
    private final StoreProbe probe;
    private final @Nullable AdminServer admin;
    private final @Nullable OtlpPush otlp;
    private final GatewayMetrics metrics;
    private final SlowLog slow;
    private final Traces traces;
    private final ViewEngine viewEngine;
    private final MemoryBudget memory;
    private final Future<?> housekeeping;
    private final @Nullable Tier tier;
    private final @Nullable WarmRestart warm;
    private final HostPort listening;
    private final Duration drainDelay;
    private final Runnable reconfigured;
    private final Runnable revoked;
    private final @Nullable Predecessor predecessor;
    private final CompletableFuture<Void> succeeded = new CompletableFuture<>();
    /** Set once no other process serves clients: until then nothing can be handed over. */
    private volatile @Nullable Successor successor;

    private volatile boolean draining;
    /** Whether lines answer nothing, since another process serves clients as well. */
    private volatile boolean resting;

    /** Opens the store that the configuration names, and starts in front of it. */
    public static Gateway start(GatewayConfig config) throws StartException {
        return start(LiveConfig.fixed(config));
    }

    /** The same by a configuration that may change while the gateway runs. */
    public static Gateway start(LiveConfig config) throws StartException {
        return start(config, () -> {});
    }

    /** The same, where something has to be done once the store is there, and before clients can connect. */
    static Gateway start(LiveConfig config, Runnable beforeListening) throws StartException {
        Store store = Stores.open(config);
        try {
            return new Gateway(config, store, beforeListening);
        } catch (StartException | RuntimeException e) {
            store.close();
            throw e;
        }
    }

    /** Starts in front of a store, which is closed with the gateway. */
    Gateway(GatewayConfig config, Store store) throws StartException {
        this(LiveConfig.fixed(config), store, () -> {});
    }

    private Gateway(LiveConfig live, Store store, Runnable beforeListening) throws StartException {
        // What is read of it here does not change, unless it is asked for again.
        GatewayConfig config = live.config();
        this.store = store;
        this.drainDelay = config.drainDelay();
        Ticker ticker = Ticker.systemTicker();
        SecureRandom random = new SecureRandom();
        SessionIdentity own = ownIdentity(config);

        // Lines, and how they are loaded.
        long ofFilters = config.filters() ? config.filter().sizeBytes() : 0;
        GatewayConfig.Tier shared = config.tier();
        OtherCaches others = shared == null ? OtherCaches.NONE : OtherCaches.of(shared.staleness(), ticker.read());
        RowCache cache = new RowCache(
                RowCacheOptions.of(
                        config.cache().sizeBytes() - ofFilters, random.nextLong(), ticker, ForkJoinPool.commonPool()),
                ofFilters,
                others);
        CachedTables tables = new CachedTables(
                cache,
                store.catalog(),
                schema -> tableOptions(config, live.config(), schema, !resting),
                // Gateways use each other's lines where these have the same prefix.
                schema -> shared == null
                        && live.config().table(schema.name()).prefix().auto());
        PointReads reads = new PointReads(
                store,
                tables,
                own,
                new PointReads.Options(
                        Math.max(1, config.loadConnections() / config.eventLoops()),
                        config.cache().loadTimeout(),
                        config.privilegeTtl(),
                        config.cache().refreshAhead(),
                        config.cache().auditOneIn(),
                        config.limits().planCacheBytes(),
                        config.limits().memoryBytes() / REPLY_SHARE,
                        config.cache().writeThrough() == GatewayConfig.WriteThroughMode.EXACT,
                        config.filter().order() == GatewayConfig.FilterOrder.ANY));

        if (config.cache().writeThrough() == GatewayConfig.WriteThroughMode.EXACT && !store.repliesAreLoads()) {
            LOG.warn(
                    "cache.writeThrough: exact has no effect in front of this store, which may answer a write before it shows it;"
                            + " writes drop lines");
        }
        reconfigured = () -> {
            if (tables.reconfigure()) {
                // What was learned with a table that was replaced is of no more use.
                reads.revoke();
            }
        };
        revoked = reads::revoke;
        live.onChange(reconfigured);

        // Statements.
        Planner planner = new Planner(List.of(
                new StatementClassifier(),
                new PointReadMatcher(
                        name -> config.table(name).filters(),
                        name -> live.config().table(name).prefix().ranged())));
        PlanCache plans =
                new PlanCache(planner, store.catalog(), config.limits().planCacheBytes());
        AtomicReference<Map<Object, Boolean>> ranged = new AtomicReference<>(ranged(config));
        live.onChange(() -> {
            Map<Object, Boolean> now = ranged(live.config());
            if (!now.equals(ranged.getAndSet(now))) {
                // Which reads are point reads depends on it.
                plans.clear();
            }
        });

        // What is told to operators, and what has to be done now and then, on a loop that serves no client.
        ChangeSignal signal = store.changeSignal();
        OutsideChanges outside = new OutsideChanges(
                tables,
                store::definitionsChanged,
                reads::revoke,
                signal != null && signal.isEarly(),
                () -> live.config().cache().ttl(),
                ticker::read);
        Tier between = shared == null
                ? null
                : new Tier(shared, config.lends(), Stores.trust(shared), tables, others, ticker::read, random);
        tier = between;
        memory = new MemoryBudget(config.limits().memoryBytes());
        metrics = new GatewayMetrics(
                () -> figures(tables),
                plans,
                reads.audits(),
                () -> figures(signal, outside, live.config().cache().ttl()),
                memory,
                reads.statements());
        if (between != null) {
            metrics.tier(between::figures);
            String loadedBy = config.store().url() + " " + config.store().user();
            if (config.lends()) {
                reads.lent(loop ->
                        between.lines(loop, loadedBy, name -> config.table(name).lent()));
            }
        }
        Clients clients = new Clients();
        slow = new SlowLog(() -> live.config().log().slow());
        traces = new Traces(config.otlp());
        if (config.otlp().tracesUrl() != null) {
            metrics.traces(traces.sent(), traces.dropped());
        }
        Map<String, View> views = new GatewayViews(
                        tables,
                        () -> figures(tables),
                        metrics,
                        () -> figures(signal, outside, live.config().cache().ttl()),
                        clients,
                        live::settings,
                        slow::last)
                .all();
        viewEngine = Stores.hasEngine() ? new EmbeddedEngine(views) : new PlainScans(views);
        background = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("keyline-background", true), NioIoHandler.newFactory());
        probe = new StoreProbe(store, own, background.next(), PROBE_TIMEOUT);
        housekeeping = background.scheduleWithFixedDelay(() -> keepHouse(cache, tables, reads), 1, 1, TimeUnit.SECONDS);

        // Changes that do not come through here.
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
        WarmRestart warming = null;
        Predecessor serving = null;
        ListeningSocket socket;
        try {
            serving = config.handover() == null ? null : Predecessor.find(config.handover());
            predecessor = serving;
            resting = serving != null;
            socket = ListeningSocket.of(config, serving);
            if (config.demo()) {
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
                    !config.store().isRemote(),
                    new StrandedClients(probe::reachable, this::soon),
                    new Insight(viewEngine, clients, live, slow, traces));
            warming = warmRestart(config, own, tables, reads, plans, signal, outside);
            warm = warming;
            if (warming != null && serving == null) {
                warming.restore();
            }
            // A process that takes over is warm when it takes the sockets.
            beforeListening.run();
            ServerTls tls = ServerTls.of(config.tls(), random);
            live.beforeChange(next -> tls.prepare(next.tls(), random));
            ConfiguredAccounts accounts =
                    new ConfiguredAccounts(() -> live.config().users());
            live.beforeChange(new UserChanges(live, clients));
            if (config.store().login() == GatewayConfig.LoginMode.LOCAL) {
                // A login that was under way when its user was taken away ends here.
                Future<?> unused = background.scheduleWithFixedDelay(
                        () -> clients.end(login -> accounts.find(login.user(), login.remote()) == null),
                        1,
                        1,
                        TimeUnit.SECONDS);
            }
            if (serving != null) {
                serving.take();
            }
            bound = listen(config, accounts, sessions, tls, socket.descriptor(), random);
            server = bound;
            admin = config.http() == null
                    ? null
                    : admin(config.http(), config.handover() != null, tls, live, new Overview(views));
            if (serving == null && config.handover() != null) {
                awaitSuccessor(config.handover());
            }
        } catch (IOException | StartException | RuntimeException e) {
            if (bound != null) {
                bound.close();
            }
            if (warming != null) {
                warming.close();
            }
            if (serving != null) {
                serving.close();
            }
            background.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
            if (tier != null) {
                tier.close();
            }
            viewEngine.close();
            slow.close();
            metrics.close();
            throw e instanceof IOException io ? new StartException(describe(io), io) : rethrown(e);
        }
        listening = new HostPort(
                socket.isGiven()
                        ? server.address().getHostString()
                        : config.listen().host(),
                server.address().getPort());
        if (predecessor != null) {
            predecessor.serving();
            var unused = predecessor
                    .ended()
                    .thenRunAsync(
                            () -> serveAlone(requireNonNull(config.handover())),
                            task -> new DefaultThreadFactory("keyline-alone", true)
                                    .newThread(task)
                                    .start())
                    .exceptionally(bug -> {
                        LOG.error("lines stay off until a restart by an error of Keyline's own, please report it", bug);
                        return null;
                    });
        }
        Map<String, String> resource = Map.of("service.name", "keyline", "service.instance.id", listening.toString());
        otlp = config.otlp().url() == null ? null : OtlpPush.start(config.otlp(), resource, metrics::snapshots);
        traces.start(resource);
        LOG.info("serving {} on {}", config.store().url(), listening);
    }

    /** Nobody writes through the process before this one any more: lines that are loaded from now on hear of every write. */
    private void serveAlone(Path handover) {
        try {
            awaitSuccessor(handover);
        } catch (IOException e) {
            LOG.error("the next process cannot take over: {}", describe(e));
        }
        store.definitionsChanged(null);
        revoked.run();
        resting = false;
        reconfigured.run();
        LOG.info("the process that served before has ended: lines are kept from now on");
        if (warm != null) {
            warm.restore();
        }
    }

    /** Which tables are kept as ranges of keys; the name of those that are not configured is the empty text. */
    private static Map<Object, Boolean> ranged(GatewayConfig config) {
        Map<Object, Boolean> ranged = new HashMap<>();
        ranged.put("", config.cache().prefix().ranged());
        config.tables().forEach((name, table) -> ranged.put(name, table.prefix().ranged()));
        return ranged;
    }

    private synchronized void awaitSuccessor(Path handover) throws IOException {
        if (!draining) {
            Successor next = Successor.await(handover, new Incumbent());
            successor = next;
            var unused = next.serving().thenRun(() -> succeeded.complete(null));
        }
    }

    /** What the next process takes over. */
    private final class Incumbent implements Successor.Incumbent {
        @Override
        public int descriptor() {
            return draining ? PassedSocket.NONE : server.descriptor();
        }

        @Override
        public CompletionStage<Void> rest() {
            resting = true;
            reconfigured.run();
            return server.accepting(false);
        }

        @Override
        public void resume() {
            resting = false;
            reconfigured.run();
            var unused = server.accepting(true);
        }
    }

    /** Completes when the next process serves clients, so that this one is to be closed. */
    public CompletionStage<Void> succeeded() {
        return succeeded;
    }

    private @Nullable WarmRestart warmRestart(
            GatewayConfig config,
            SessionIdentity own,
            CachedTables tables,
            PointReads reads,
            PlanCache plans,
            @Nullable ChangeSignal signal,
            @Nullable OutsideChanges outside) {
        Path file = config.cache().warmFile();
        return file == null
                ? null
                : new WarmRestart(
                        file,
                        new WarmRestart.Parts(
                                store,
                                config.store().url(),
                                own,
                                tables,
                                reads.statements(),
                                plans,
                                signal,
                                outside == null ? () -> 0 : outside::lagNanos,
                                outside == null ? () -> false : outside::dropsEverythingAgain,
                                config.cache().loadTimeout(),
                                Math.max(1, config.loadConnections() / 2),
                                background.next()));
    }

    private MySqlServer listen(
            GatewayConfig config,
            ConfiguredAccounts accounts,
            Sessions sessions,
            ServerTls tls,
            int passed,
            SecureRandom random)
            throws IOException, StartException {
        InetSocketAddress address = config.listen().resolve();
        ServerOptions options =
                serverOptions(config, store.serverVersion(), tls, passed).withMemory(memory);
        if (config.store().login() == GatewayConfig.LoginMode.RELAY) {
            ClientOptions upstream = Stores.connections(config);
            return MySqlServer.bind(
                    address,
                    options.withStreamLongCommands(true).withCompression(true),
                    () -> upstream.toBuilder()
                            .address(requireNonNull(store.address(), "a store that logs in has an address"))
                            .traits(traits(config))
                            .build(),
                    sessions,
                    metrics);
        }
        options = options.withCapabilities(
                config.store().isRemote()
                        ? options.capabilities() & understood(config)
                        : options.capabilities() | Capabilities.CLIENT_LOCAL_FILES);
        return MySqlServer.bind(address, options, authenticator(config, random), accounts, sessions, metrics);
    }

    private ServerTraits traits(GatewayConfig config) {
        ServerTraits traits = store.traits();
        return config.store().unguardedLogins() == GatewayConfig.UnguardedLogins.ALLOW ? traits.guarded() : traits;
    }

    /** Replies pass as the store formats them, so of the flags that shape them clients are offered what it can do. */
    private int understood(GatewayConfig config) throws StartException {
        SessionIdentity asClients = new SessionIdentity(
                0,
                config.store().user(),
                "localhost",
                null,
                ClientOptions.DEFAULT_CAPABILITIES,
                Collation.UTF8MB4_GENERAL_CI,
                Map.of());
        try {
            return CompletableFuture.supplyAsync(
                                    () -> store.open(asClients, background.next(), () -> {}), background.next())
                            .thenCompose(opening -> opening)
                            .thenApply(session -> {
                                session.close();
                                return session.capabilities();
                            })
                            .get(config.limits().loginTimeout().toMillis(), TimeUnit.MILLISECONDS)
                    | ~ClientOptions.DEFAULT_CAPABILITIES;
        } catch (ExecutionException | TimeoutException e) {
            throw new StartException(
                    "a first login at " + config.store().url() + " as "
                            + config.store().user()
                            + " did not succeed, so Keyline cannot offer clients what the store offers: "
                            + e.getMessage(),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartException("interrupted", e);
        }
    }

    private static StartException rethrown(Exception e) {
        if (e instanceof RuntimeException bug) {
            throw bug;
        }
        return (StartException) e;
    }

    private static String describe(IOException e) {
        Throwable cause = e.getCause();
        return e.getMessage() + (cause == null ? "" : ": " + cause.getMessage());
    }

    /** Neither question waits for the other, nor for the loop that asks the store. */
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
                    new HttpAccess(() -> live.config().access().httpToken().value()),
                    metrics::scrape,
                    overview::json,
                    health(new LoopProbe(server.loops(), LOOP_TIMEOUT)));
        } catch (IOException e) {
            throw new IOException("cannot listen on " + address + " for metrics and health", e);
        }
    }

    /** Where clients connect; the port is the real one. */
    public HostPort listening() {
        return listening;
    }

    /** Where metrics and health are, or null. */
    public @Nullable InetSocketAddress http() {
        return admin == null ? null : admin.address();
    }

    /** The loops that serve clients. */
    EventLoopGroup loops() {
        return server.loops();
    }

    /** What opens sessions, for connections that come another way than by the socket. */
    SessionFactory sessions() {
        return sessions;
    }

    /**
     * Drains and stops: says for the drain delay that it is not ready, then takes no more connections; running commands and transactions
     * end within the drain timeout; then the store is closed.
     * Blocks for as long; further calls do nothing.
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
        if (warm != null) {
            // First, in case that somebody has no patience for what follows.
            warm.save();
            warm.close();
        }
        if (!succeeded.isDone()) {
            awaitBalancers();
        } else if (admin != null) {
            // Probes are for the next process.
            admin.close();
        }
        if (!server.drain() && sessions.endAtStore(background.next(), END_AT_STORE)) {
            // What the store says to that is for the clients.
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
        if (otlp != null) {
            otlp.close();
        }
        traces.close();
        store.close();
        viewEngine.close();
        background.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
        slow.close();
        metrics.close();
        if (predecessor != null) {
            predecessor.close();
        }
        Successor next = successor;
        if (next != null) {
            // Last: it tells the next process that nobody writes here any more.
            next.close();
        }
        LOG.info("stopped");
    }

    /** Until load balancers have seen that the gateway is not ready: until then they send connections. */
    private void awaitBalancers() {
        try {
            TimeUnit.NANOSECONDS.sleep(drainDelay.toNanos());
        } catch (InterruptedException e) {
            // Who interrupts does not want to wait.
            Thread.currentThread().interrupt();
        }
    }

    private void soon(Runnable task) {
        if (!background.isShuttingDown()) {
            Future<?> unused = background.schedule(task, STRANDED_MS, TimeUnit.MILLISECONDS);
        }
    }

    private static void keepHouse(RowCache cache, CachedTables tables, PointReads reads) {
        try {
            tables.retireDropped();
            cache.sweep(SWEPT_LINES);
        } catch (RuntimeException e) {
            LOG.error(
                    "A sweep of expired lines failed. They answer nothing, but stay in memory; the next sweep tries"
                            + " again.",
                    e);
        }
        try {
            if (tables.choose()) {
                reads.revoke();
            }
        } catch (RuntimeException e) {
            LOG.error("A choice of load granularities failed. They stay as they are; the next second tries again.", e);
        }
    }

    private static SignalFigures figures(@Nullable ChangeSignal signal, OutsideChanges outside, Duration ttl) {
        if (signal == null) {
            return SignalFigures.NONE;
        }
        long lag = outside.lagNanos();
        return new SignalFigures(
                lag <= ttl.toNanos(), lag, signal.events(), outside.rowDrops(), outside.tableDrops(), outside.losses());
    }

    private static List<TableFigures> figures(CachedTables tables) {
        List<TableFigures> figures = new ArrayList<>();
        for (TableName name : tables.names()) {
            LineTable lines = tables.lines(name);
            ReadFigures.Snapshot reads = tables.figures(name);
            if (lines != null && reads != null) {
                LineTable filters = lines.filters();
                figures.add(new TableFigures(
                        name,
                        lines.stats().snapshot(),
                        reads,
                        filters == null ? null : filters.stats().snapshot()));
            }
        }
        return figures;
    }

    // ---------------------------------------------------------------- configuration to options

    /** The gateway's own sessions at the store: UTF-8 in both directions, classic end-of-rows packets. */
    private static SessionIdentity ownIdentity(GatewayConfig config) {
        int capabilities = ServerOptions.DEFAULT_CAPABILITIES
                & ~(Capabilities.CLIENT_DEPRECATE_EOF | Capabilities.CLIENT_MULTI_STATEMENTS);
        return new SessionIdentity(
                0, config.store().user(), "localhost", null, capabilities, Collation.UTF8MB4_GENERAL_CI, Map.of());
    }

    /** @param first of the start: whether a table has filter lines is a matter of plans, too, which outlive a change */
    private static TableOptions tableOptions(
            GatewayConfig first, GatewayConfig config, TableSchema schema, boolean alone) {
        GatewayConfig.Table table = config.table(schema.name());
        GatewayConfig.Cache cache = config.cache();
        int keyColumns = schema.keyColumns().size();
        return new TableOptions(
                table.prefix().auto() ? bucketingPrefix(schema) : table.prefix().columnsOf(keyColumns),
                table.ttl(),
                table.signalTtl(),
                cache.maxRowsPerLine(),
                (int) cache.maxBytesPerLine(),
                cache.maxWaitersPerLoad(),
                true,
                table.enabled() && alone,
                first.table(schema.name()).filters() ? filterOptions(config, table, alone) : null);
    }

    /** A line is one conjunction's, and names it in the first cell of its keys; its rows come in no order. */
    private static TableOptions filterOptions(GatewayConfig config, GatewayConfig.Table table, boolean alone) {
        GatewayConfig.Filter filter = config.filter();
        Duration ttl = filter.ttl() == null ? table.ttl() : filter.ttl();
        return new TableOptions(
                1,
                ttl,
                ttl.compareTo(table.signalTtl()) < 0 ? table.signalTtl() : ttl,
                filter.maxRowsPerLine(),
                (int) filter.maxBytesPerLine(),
                config.cache().maxWaitersPerLoad(),
                false,
                table.enabled() && alone,
                null);
    }

    /**
     * What {@code prefix: auto} begins with: the shortest prefix of the key that has all columns the store distributes by,
     * so that one load asks one bucket; the full key where the definition names none.
     */
    private static int bucketingPrefix(TableSchema schema) {
        int prefix = 0;
        for (int ordinal : schema.bucketColumns()) {
            int position = schema.keyPosition(ordinal);
            if (position < 0) {
                return schema.keyColumns().size();
            }
            prefix = Math.max(prefix, position + 1);
        }
        return prefix == 0 ? schema.keyColumns().size() : prefix;
    }

    private static ServerOptions serverOptions(GatewayConfig config, String version, ServerTls tls, int passed) {
        GatewayConfig.Limits limits = config.limits();
        return ServerOptions.of(version)
                .withLimits(
                        limits.maxAllowedPacketBytes(),
                        limits.loginTimeout(),
                        Duration.ZERO,
                        config.drainTimeout(),
                        limits.connections())
                .withPeerTimeout(limits.peerTimeout())
                .withEventLoops(config.eventLoops())
                .withTransport(config.transport())
                .withPassedSocket(passed)
                .withProxies(config.proxies())
                .withSslContext(tls.clients());
    }

    /**
     * The greeting names the plugin that saves most clients a round trip. The key by which a password crosses a connection
     * without TLS is made only where there are users, of whom one may need it, now or after a change.
     */
    private static ServerAuthenticator authenticator(GatewayConfig config, SecureRandom random) {
        boolean sha2 = config.users().stream()
                .anyMatch(user -> user.credential().plugin() == AuthPlugin.CACHING_SHA2_PASSWORD);
        return new ServerAuthenticator(
                sha2 ? AuthPlugin.CACHING_SHA2_PASSWORD : AuthPlugin.NATIVE_PASSWORD,
                config.users().isEmpty() ? null : RsaKey.generate(random),
                random);
    }
}
