package org.keyline.gateway.simulator;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.github.benmanes.caffeine.cache.Ticker;
import io.netty.channel.EventLoop;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.audit.AuditFigures;
import org.keyline.gateway.config.ConfigException;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.metrics.GatewayMetrics;
import org.keyline.gateway.metrics.SignalFigures;
import org.keyline.gateway.read.PointReads;
import org.keyline.gateway.session.CachedReads;
import org.keyline.gateway.session.Sessions;
import org.keyline.gateway.session.state.OrphanedClients;
import org.keyline.gateway.session.state.TransactionChains;
import org.keyline.gateway.share.UserShares;
import org.keyline.gateway.slow.SlowLog;
import org.keyline.gateway.table.CachedTables;
import org.keyline.gateway.table.Statements;
import org.keyline.gateway.tier.SimulatedTier;
import org.keyline.gateway.views.Clients;
import org.keyline.gateway.views.Insight;
import org.keyline.gateway.views.ViewReads;
import org.keyline.planner.Catalog;
import org.keyline.planner.FilterReads;
import org.keyline.planner.Plan;
import org.keyline.planner.PlanCache;
import org.keyline.planner.Planner;
import org.keyline.planner.StatementMatcher;
import org.keyline.planner.TableSchema;
import org.keyline.planner.calcite.PointReadMatcher;
import org.keyline.planner.statement.StatementClassifier;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.memory.MemoryBudget;
import org.keyline.protocol.server.Account;
import org.keyline.protocol.server.ServerConnection;
import org.keyline.protocol.server.ServerContext;
import org.keyline.protocol.server.ServerListener;
import org.keyline.protocol.server.ServerOptions;
import org.keyline.rowcache.OtherCaches;
import org.keyline.rowcache.RowCache;
import org.keyline.rowcache.RowCacheOptions;
import org.keyline.rowcache.TableOptions;
import org.keyline.stores.SessionIdentity;
import org.slf4j.LoggerFactory;

/**
 * Runs histories. Each is a separate world, in which a gateway, wired like the real one, runs
 * between a few clients and the model store. Objects that are expensive and independent of a
 * history are created once. Confined to one thread.
 */
final class History {
    /** In one of this many histories, the granularity of tables changes repeatedly. */
    static final int ONE_SWITCHES_OF = 7;

    /** In one of this many histories, a transaction that waits for a lock is rolled back. */
    static final int ONE_UNDOES_OF = 13;

    /** Of the histories with merged INSERTs, in one of this many a line is a row. */
    static final int ONE_SINGLE_OF = 4;

    /**
     * In one of this many histories, the lines of a table are ranges of keys: those whose seed has
     * this remainder.
     */
    static final int ONE_RANGED_OF = 8;

    static final int RANGED = 5;

    /** One of this many histories has filter lines: those whose seed has this remainder. */
    static final int ONE_FILTERS_OF = 4;

    static final int FILTERS = 3;

    /** In one of this many histories, the store generates the keys of rows. */
    static final int ONE_NUMBERS_OF = 17;

    /** In one of this many histories, half of the INSERTs of such rows return the keys. */
    static final int ONE_RETURNS_OF = 7 * ONE_NUMBERS_OF;

    /**
     * In one of this many histories with filter lines, rows are added and removed: those whose seed
     * has this remainder.
     */
    static final int ONE_ADDS_OF = 16;

    static final int ADDS = 11;

    /** From this seed on, several gateways share a tier. */
    static final long SHARED_FROM = 1_000_000_000_000L;

    /**
     * From this seed on, a single gateway merges the INSERTs of several clients in every second
     * history.
     */
    static final long MERGED_FROM = 2_000_000_000_000L;

    /**
     * In one of this many histories, transactions are trusted after one that finished, because
     * histories are short. In the others all are trusted, which tests those that continue most.
     */
    static final int ONE_LEARNS_OF = 3;

    private static final int CLIENT_NUMBERS = 1_000;
    private static final int HITS_PER_AUDIT = 10;
    private static final long BUDGET_BYTES = 64 << 20;
    private static final long SWEEP_NANOS = 500 * World.MILLI;

    /** The outcome of a history: a hash of all events, and counts. */
    record Outcome(
            long hash,
            int commands,
            int reads,
            int fromLines,
            int fromFilterLines,
            long faults,
            long crashes,
            long lent,
            long refused,
            long merged) {}

    private final Map<String, Plan> plans = new HashMap<>();
    private final List<StatementMatcher> matchers = List.of(
            remembering(new StatementClassifier()),
            remembering(new PointReadMatcher(
                    table -> FilterReads.ALL, table -> table.table().equals(ModelTable.SINGLES.table))));
    private final GatewayMetrics metrics;
    private final Map<Duration, GatewayConfig> configs = new HashMap<>();
    private final Map<Duration, GatewayConfig> mergingConfigs = new HashMap<>();

    private final ServerAuthenticator authenticator =
            new ServerAuthenticator(AuthPlugin.NATIVE_PASSWORD, null, new SecureRandom());

    History() {
        // The test causes lost connections, so their log lines are suppressed.
        ((Logger) LoggerFactory.getLogger("org.keyline.gateway.session")).setLevel(Level.WARN);
        metrics = new GatewayMetrics(
                List::of,
                new PlanCache(new Planner(matchers), new NoTables(), 1 << 20),
                new AuditFigures(),
                () -> SignalFigures.NONE,
                MemoryBudget.unlimited(),
                new Statements());
    }

    /** Runs the history of a seed. */
    Outcome run(long seed) {
        return run(new World(seed, false), seed);
    }

    /** Runs the history of a seed again and returns its trace. */
    String trace(long seed) {
        World world = new World(seed, true);
        try {
            var unused = run(world, seed);
            return world.trace();
        } catch (RuntimeException | AssertionError violation) {
            return world.trace() + violation;
        }
    }

    /**
     * Every fourth history has filter lines; the others are unchanged, and so are their findings.
     */
    private static boolean hasFilters(long seed) {
        return seed % ONE_FILTERS_OF == FILTERS;
    }

    private static boolean isRanged(long seed) {
        return seed % ONE_RANGED_OF == RANGED;
    }

    private static boolean isAdding(long seed) {
        return seed % ONE_ADDS_OF == ADDS;
    }

    private static boolean isShared(long seed) {
        return seed >= SHARED_FROM && seed < MERGED_FROM;
    }

    private static boolean isMerged(long seed) {
        return seed >= MERGED_FROM && seed % 2 == 0;
    }

    private Outcome run(World world, long seed) {
        boolean filters = hasFilters(seed);
        boolean ranged = isRanged(seed);
        boolean shared = isShared(seed);
        boolean merged = isMerged(seed);
        boolean sole = world.chance(0.15) && !shared && !merged;
        List<Double> rates = merged ? List.of(0.0, 0.02, 0.08, 0.15) : List.of(0.0, 0.0, 0.02, 0.08);
        Faults faults = new Faults(world, sole ? 0 : world.anyOf(rates));
        List<SimulatedClient> clients = new ArrayList<>();
        ModelStore store = new ModelStore(
                world,
                faults,
                merged || (!sole && world.chance(0.35)),
                sole,
                merged,
                connection -> commandOf(clients, connection));
        Script script = new Script(world, store, filters, ranged, isAdding(seed), shared);
        Duration ttl = world.anyOf(
                shared
                        ? List.of(Duration.ofMillis(60), Duration.ofSeconds(1), Duration.ofSeconds(1))
                        : List.of(Duration.ofMillis(20), Duration.ofMillis(60), Duration.ofSeconds(1)));
        Duration privilegeTtl = world.anyOf(List.of(Duration.ofMillis(100), Duration.ofSeconds(2)));
        int gateways = shared ? 2 + world.below(2) : 1;
        Duration staleness = Duration.ofMillis(shared && world.chance(0.5) ? 100 : 50);
        boolean strict = shared && world.chance(0.3);
        SimulatedTier tier = shared
                ? new SimulatedTier(
                        surroundings(world, script),
                        gateways,
                        staleness,
                        strict,
                        world.anyOf(List.of(0.0, 0.0, 0.01, 0.05)))
                : null;
        try {
            if (tier != null) {
                tier.disturb();
            }
            List<Sessions> sessions = new ArrayList<>();
            for (int i = 0; i < gateways; i++) {
                OtherCaches others = tier == null ? OtherCaches.NONE : OtherCaches.of(staleness, world.now());
                sessions.add(wire(world, store, script, ttl, privilegeTtl, filters, ranged, tier, others));
            }
            connect(world, store, script, clients, sessions);
            world.run();
        } finally {
            clients.forEach(SimulatedClient::finish);
        }
        new Checker(store, ttl.toNanos(), privilegeTtl.toNanos(), strict ? 0 : staleness.toNanos(), trustedAfter(world))
                .check(script.operations());
        return outcome(world, store, script, faults, tier);
    }

    private static int trustedAfter(World world) {
        return world.isOneOf(ONE_LEARNS_OF) ? 1 : 0;
    }

    private static @Nullable Operation commandOf(List<SimulatedClient> clients, int connection) {
        for (SimulatedClient client : clients) {
            if (client.connection() == connection) {
                return client.current();
            }
        }
        return null;
    }

    private static SimulatedTier.Surroundings surroundings(World world, Script script) {
        return new SimulatedTier.Surroundings() {
            @Override
            public long now() {
                return world.now();
            }

            @Override
            public int below(int bound) {
                return world.below(bound);
            }

            @Override
            public boolean chance(double probability) {
                return world.chance(probability);
            }

            @Override
            public void after(long nanos, String what, Runnable task) {
                world.after(nanos, what, 0, task);
            }

            @Override
            public void on(EventLoop loop, Runnable task) {
                world.on((SimulatedLoop) loop, task);
            }

            @Override
            public boolean isOver() {
                return script.isOver();
            }
        };
    }

    /** Wires lines, their loads, and statements as the gateway does. */
    private Sessions wire(
            World world,
            ModelStore store,
            Script script,
            Duration ttl,
            Duration privilegeTtl,
            boolean withFilters,
            boolean ranged,
            @Nullable SimulatedTier tier,
            OtherCaches others) {
        Ticker ticker = world::now;
        RowCache cache = new RowCache(RowCacheOptions.of(BUDGET_BYTES, 1, ticker, Runnable::run), BUDGET_BYTES, others);
        TableOptions options = TableOptions.DEFAULT.withTtl(ttl);
        TableOptions filters = withFilters
                ? options.withOrdered(false).withCeilings(world.anyOf(List.of(2, 1_000)), options.maxBytesPerLine())
                : null;
        // With lines of single rows, the other rows of a batch do not delay a row's line.
        AtomicInteger prefix = new AtomicInteger(store.merges() && world.isOneOf(ONE_SINGLE_OF) ? 2 : 1);
        TableOptions ofSingles =
                ranged ? options.withPrefixCells(0).withCeilings(1 + world.below(2), options.maxBytesPerLine()) : null;
        CachedTables tables = new CachedTables(
                cache,
                store.catalog(),
                schema -> (ofSingles != null && schema.name().table().equals(ModelTable.SINGLES.table)
                                ? ofSingles
                                : options.withPrefixCells(Math.min(
                                        prefix.get(), schema.keyColumns().size())))
                        .withFilters(filters));
        Map<Duration, GatewayConfig> settings = store.merges() ? mergingConfigs : configs;
        GatewayConfig config = settings.computeIfAbsent(privilegeTtl, of -> config(of, store.merges()));
        Duration loadTimeout = world.anyOf(List.of(Duration.ofMillis(100), Duration.ofSeconds(2)));
        PointReads reads = new PointReads(
                store,
                tables,
                new SessionIdentity(
                        0,
                        ModelStore.LOADER,
                        "localhost",
                        null,
                        ServerOptions.DEFAULT_CAPABILITIES
                                & ~(Capabilities.CLIENT_DEPRECATE_EOF | Capabilities.CLIENT_MULTI_STATEMENTS),
                        Collation.UTF8MB4_GENERAL_CI,
                        Map.of()),
                new PointReads.Options(
                        1 + world.below(2), loadTimeout, privilegeTtl, true, HITS_PER_AUDIT, 16 << 20, 1 << 20, false));
        if (tier != null) {
            reads.shareLines(tier.member(tables, world.newLoop())::lines);
        }
        Sessions sessions = new Sessions(
                store,
                new CachedReads(
                        reads,
                        new PlanCache(new Planner(matchers), store.catalog(), 16 << 20),
                        new TransactionChains(trustedAfter(world)),
                        ticker),
                new Insight(
                        new ViewReads(Map.of()),
                        new Clients(),
                        LiveConfig.fixed(config),
                        new SlowLog(config),
                        metrics,
                        new UserShares(config)),
                new OrphanedClients(() -> CompletableFuture.completedFuture(true), (task, millis) -> task.run()),
                null);
        sweepLater(world, script, cache, tables);
        // Rows of one line may be in several lines later. They are consistent as far as the own
        // gateway writes.
        if (tier == null && world.isOneOf(ONE_SWITCHES_OF)) {
            switchLater(world, script, tables, reads, prefix);
        }
        return sessions;
    }

    /** Connects the clients, by gateway. */
    private void connect(
            World world, ModelStore store, Script script, List<SimulatedClient> clients, List<Sessions> gateways) {
        List<SimulatedLoop> loops =
                world.chance(0.5) ? List.of(world.newLoop()) : List.of(world.newLoop(), world.newLoop());
        int count = (store.merges() ? 10 : 2) + world.below(3) + gateways.size() - 1;
        for (int i = 0; i < count; i++) {
            SimulatedLoop loop = world.anyOf(loops);
            int gateway = i % gateways.size();
            Sessions sessions = gateways.get(gateway);
            ServerContext context = new ServerContext(
                    ServerOptions.of(store.serverVersion()),
                    authenticator,
                    (user, from) -> new Account(user, Credential.empty(AuthPlugin.NATIVE_PASSWORD)),
                    (login, peer) -> sessions.open(login, new PeerOnLoop(peer, loop)),
                    ServerListener.NONE,
                    Runnable::run);
            SimulatedClient client = new SimulatedClient(
                    world,
                    gateway,
                    loop,
                    script.anyUser(),
                    world.chance(0.5),
                    CLIENT_NUMBERS * (i + 1),
                    number -> new ServerConnection(context, number),
                    script);
            clients.add(client);
            client.connectLater(world.micros(10, 20_000));
        }
    }

    private static void sweepLater(World world, Script script, RowCache cache, CachedTables tables) {
        world.after(SWEEP_NANOS, "sweep", 0, () -> {
            tables.retireDropped();
            cache.sweep(100);
            if (!script.isOver()) {
                sweepLater(world, script, cache, tables);
            }
        });
    }

    private static void switchLater(
            World world, Script script, CachedTables tables, PointReads reads, AtomicInteger prefix) {
        world.after(world.micros(10_000, 100_000), "switch", 0, () -> {
            prefix.set(3 - prefix.get());
            if (tables.reconfigure()) {
                reads.revoke();
            }
            if (!script.isOver()) {
                switchLater(world, script, tables, reads, prefix);
            }
        });
    }

    private Outcome outcome(World world, ModelStore store, Script script, Faults faults, @Nullable SimulatedTier tier) {
        int reads = 0;
        int fromLines = 0;
        int fromFilterLines = 0;
        for (Operation operation : script.operations()) {
            if (operation.reading != null && operation.end == Operation.End.ROWS) {
                reads++;
                fromLines += operation.stored == null ? 1 : 0;
                fromFilterLines += operation.stored == null && operation.reading.filter() ? 1 : 0;
            }
        }
        return new Outcome(
                world.hash(),
                script.operations().size(),
                reads,
                fromLines,
                fromFilterLines,
                faults.injected,
                faults.crashes,
                tier == null ? 0 : tier.lent(),
                tier == null ? 0 : tier.refused(),
                store.inserts());
    }

    private static GatewayConfig config(Duration privilegeTtl, boolean merges) {
        try {
            ConfigLoader loader = new ConfigLoader(Map.of())
                    .set("privilegeTtl=" + privilegeTtl.toMillis() + "ms")
                    .set("access.changes=*")
                    // A history ends when no task is left, but checks of idle sessions would repeat
                    // for ever.
                    .set("store.idleSession=0s");
            if (merges) {
                for (ModelTable table : ModelTable.values()) {
                    loader.set("tables." + ModelTable.SCHEMA + "." + table.table + ".mergeWrites=true");
                }
            }
            return loader.load();
        } catch (ConfigException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * A plan depends on a statement's shape and on the known definitions, so it is created once for
     * all histories.
     */
    private StatementMatcher remembering(StatementMatcher matcher) {
        return (shape, schema, catalog) -> {
            if (!(catalog instanceof ModelStore store)) {
                return matcher.match(shape, schema, catalog);
            }
            String key = System.identityHashCode(matcher) + store.knownDefinitions() + schema + " " + shape.text();
            if (plans.containsKey(key)) {
                return plans.get(key);
            }
            Plan plan = matcher.match(shape, schema, catalog);
            plans.put(key, plan);
            return plan;
        };
    }

    /** The catalog of the plan cache's figures, which has no plans. */
    private static final class NoTables implements Catalog {
        @Override
        public @Nullable TableSchema table(String schema, String table) {
            return null;
        }

        @Override
        public long version() {
            return 0;
        }
    }
}
