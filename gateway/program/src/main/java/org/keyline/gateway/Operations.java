package org.keyline.gateway;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.admin.AdminServer;
import org.keyline.gateway.admin.Health;
import org.keyline.gateway.admin.HttpAccess;
import org.keyline.gateway.admin.LoopProbe;
import org.keyline.gateway.admin.StoreProbe;
import org.keyline.gateway.change.OutsideChanges;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.gateway.config.HostPort;
import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.metrics.GatewayMetrics;
import org.keyline.gateway.metrics.SignalFigures;
import org.keyline.gateway.metrics.TableFigures;
import org.keyline.gateway.share.UserShares;
import org.keyline.gateway.slow.SlowLog;
import org.keyline.gateway.table.CachedTables;
import org.keyline.gateway.tier.Tier;
import org.keyline.gateway.views.Clients;
import org.keyline.gateway.views.GatewayViews;
import org.keyline.gateway.views.Insight;
import org.keyline.gateway.views.Overview;
import org.keyline.gateway.views.ViewReads;
import org.keyline.planner.TableName;
import org.keyline.protocol.memory.MemoryBudget;
import org.keyline.protocol.server.MySqlServer;
import org.keyline.stores.ChangeSignal;
import org.keyline.stores.Store;

/** The parts for operators: metrics, views, slow log, health and limits. Thread-safe. */
final class Operations implements AutoCloseable {
    private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration LOOP_TIMEOUT = Duration.ofSeconds(2);
    private static final int FOLLOW_UP_MS = 10;

    private final Store store;
    private final LiveConfig live;
    private final CachedTables tables;
    private final OutsideChanges outside;
    private final MemoryBudget memory;
    private final GatewayMetrics metrics;
    private final Clients clients = new Clients();
    private final UserShares shares;
    private final SlowLog slow;
    private final GatewayViews views;
    private final ViewReads viewReads;
    private final StoreProbe probe;

    private @Nullable AdminServer admin;

    Operations(Environment environment, ReadPath path) {
        live = environment.live();
        store = environment.store();
        Background background = environment.background();
        tables = path.tables();
        ChangeSignal signal = store.changeSignal();
        outside = new OutsideChanges(
                tables,
                store,
                path.reads().authority()::rightsChanged,
                signal != null && signal.isEarly(),
                () -> new OutsideChanges.Ages(
                        live.get(ConfigKeys.CACHE_TTL),
                        live.get(ConfigKeys.CACHE_SIGNAL_TTL),
                        store.versionAge(),
                        table -> live.config().table(table).get(ConfigKeys.TABLE_SIGNAL)),
                environment.ticker()::read);
        memory = new MemoryBudget(live.get(ConfigKeys.LIMITS_MEMORY));
        live.onChange(() -> memory.resize(live.get(ConfigKeys.LIMITS_MEMORY)));
        metrics = new GatewayMetrics(
                () -> TableFigures.ofAll(tables),
                path.plans(),
                path.reads().audits(),
                this::signalFigures,
                memory,
                path.reads().statements());
        metrics.store(store, Build.THIS.version(), Build.THIS.commit());
        Tier tier = path.tier();
        if (tier != null) {
            metrics.tier(tier::figures);
        }
        shares = new UserShares(live);
        slow = new SlowLog(live);
        views = new GatewayViews(tables, metrics, clients, () -> live.config().all(), slow::last, shares::figures);
        viewReads = new ViewReads(views.all());
        probe = new StoreProbe(store, CacheOptions.ownIdentity(live.config()), background.loop(), PROBE_TIMEOUT);

        store.watchServers(outside);
        if (signal != null) {
            AtomicReference<Set<TableName>> unfollowed = new AtomicReference<>(unfollowed());
            live.onChange(() -> {
                Set<TableName> now = unfollowed();
                unfollowed.getAndSet(now).stream()
                        .filter(table -> !now.contains(table))
                        .forEach(outside::followed);
            });
            if (signal.isEarly()) {
                background.every(FOLLOW_UP_MS, outside::dropDue);
            }
            signal.start(outside);
        }
    }

    /** Returns the tables that ignore the change signal; their lines live only for the ttl. */
    private Set<TableName> unfollowed() {
        return live.config().tables().entrySet().stream()
                .filter(table -> !table.getValue().get(ConfigKeys.TABLE_SIGNAL))
                .map(Map.Entry::getKey)
                .collect(Collectors.toUnmodifiableSet());
    }

    private SignalFigures signalFigures() {
        ChangeSignal signal = store.changeSignal();
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

    MemoryBudget memory() {
        return memory;
    }

    GatewayMetrics metrics() {
        return metrics;
    }

    Clients clients() {
        return clients;
    }

    Insight insight() {
        return new Insight(viewReads, clients, live, slow, metrics, shares);
    }

    StoreProbe probe() {
        return probe;
    }

    /** Serves metrics, health and the web page, if an address is configured. */
    void listen(ServerTls tls, MySqlServer server, BooleanSupplier draining) throws IOException {
        HostPort address = live.get(ConfigKeys.HTTP).orElse(null);
        if (address == null) {
            return;
        }
        try {
            admin = new AdminServer(
                    address.resolve(),
                    live.get(ConfigKeys.REUSE_PORT),
                    tls.http(),
                    access(live, address),
                    metrics::scrape,
                    new Overview(views, () -> TableFigures.ofAll(tables))::json,
                    health(new LoopProbe(server.loops(), LOOP_TIMEOUT), draining));
        } catch (IOException e) {
            throw new IOException("cannot listen on " + address + " for metrics and health", e);
        }
    }

    static HttpAccess access(LiveConfig live, HostPort address) {
        return new HttpAccess(
                () -> live.get(ConfigKeys.ACCESS_HTTP_TOKEN).value(),
                () -> live.get(ConfigKeys.ACCESS_HTTP_HOSTS),
                address.resolve().getAddress().isLoopbackAddress());
    }

    /** Returns a health check. It checks the store and the event loops at the same time. */
    private Supplier<CompletionStage<Health>> health(LoopProbe loops, BooleanSupplier draining) {
        return () -> {
            CompletableFuture<Boolean> asked = probe.reachable()
                    .toCompletableFuture()
                    .completeOnTimeout(false, 2 * PROBE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            return loops.silent()
                    .thenCombine(
                            asked,
                            (silent, reachable) ->
                                    new Health(silent, reachable, store.failure(), draining.getAsBoolean()));
        };
    }

    /** Returns the address for metrics and health; null if none is configured. */
    @Nullable
    InetSocketAddress http() {
        AdminServer listening = admin;
        return listening == null ? null : listening.address();
    }

    @Override
    public void close() {
        if (admin != null) {
            admin.close();
        }
        probe.close();
        viewReads.close();
        slow.close();
        metrics.close();
    }
}
