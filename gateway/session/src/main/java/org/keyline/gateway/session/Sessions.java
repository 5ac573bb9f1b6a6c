package org.keyline.gateway.session;

import com.github.benmanes.caffeine.cache.Interner;
import com.github.benmanes.caffeine.cache.Ticker;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.change.KnownCalls;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.key.LiteralValues;
import org.keyline.gateway.key.ParameterValues;
import org.keyline.gateway.merge.MergedInserts;
import org.keyline.gateway.metrics.GatewayMetrics;
import org.keyline.gateway.metrics.MergeFigures;
import org.keyline.gateway.read.PointReads;
import org.keyline.gateway.read.ReadInspector;
import org.keyline.gateway.session.local.GatewayStatements;
import org.keyline.gateway.session.relay.AccountReplies;
import org.keyline.gateway.session.relay.StoreLink;
import org.keyline.gateway.session.settings.Binding;
import org.keyline.gateway.session.settings.SessionSettings;
import org.keyline.gateway.session.state.ConnectionIds;
import org.keyline.gateway.session.state.KnownShapes;
import org.keyline.gateway.session.state.LoginAnswers;
import org.keyline.gateway.session.state.LoopParts;
import org.keyline.gateway.session.state.OrphanedClients;
import org.keyline.gateway.session.state.SessionContext;
import org.keyline.gateway.session.state.SessionState;
import org.keyline.gateway.session.state.StatementQuota;
import org.keyline.gateway.session.state.TextAhead;
import org.keyline.gateway.share.UserShares;
import org.keyline.gateway.views.Insight;
import org.keyline.planner.PlanCache;
import org.keyline.planner.digest.Digester;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.codec.ExecuteParameters;
import org.keyline.protocol.server.CommandHandler;
import org.keyline.protocol.server.Login;
import org.keyline.protocol.server.LoginRefused;
import org.keyline.protocol.server.Peer;
import org.keyline.protocol.server.SessionFactory;
import org.keyline.stores.ResetScope;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.Store;
import org.keyline.stores.StoreException;
import org.keyline.stores.StoreThread;
import org.keyline.stores.StoreTrait;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens sessions, each with its own store session. Thread-safe. */
public final class Sessions implements SessionFactory {
    private static final Logger LOG = LoggerFactory.getLogger(Sessions.class);

    private final Store store;
    private final PointReads reads;
    private final PlanCache plans;
    private final boolean tlsRequired;
    private final long idleNanos;
    private final GatewayStatements own;
    private final SessionContext context;
    private final Insight insight;
    private final ConnectionIds ids = new ConnectionIds();
    private final ConcurrentMap<EventLoop, LoopParts> parts = new ConcurrentHashMap<>();
    /** The limit of store sessions for each user name that has logged in. */
    private final ConcurrentMap<String, StoreRoom> rooms = new ConcurrentHashMap<>();

    /**
     * @param insight registers the clients, limits them, and shows them the gateway's state
     * @param orphaned receives the idle clients whose store sessions the store has closed
     * @param members receives messages of other gateways; null if no other gateway is configured
     */
    public Sessions(
            Store store,
            CachedReads cached,
            Insight insight,
            OrphanedClients orphaned,
            @Nullable Consumer<byte[]> members) {
        this.store = store;
        this.reads = cached.reads();
        this.plans = cached.plans();
        this.insight = insight;
        GatewayConfig config = insight.config().config();
        GatewayMetrics metrics = insight.metrics();
        Ticker ticker = cached.ticker();
        idleNanos = config.get(ConfigKeys.STORE_IDLE_SESSION).toNanos();
        tlsRequired = config.get(ConfigKeys.TLS_MODE) == GatewayConfig.TlsMode.REQUIRED;
        own = new GatewayStatements(
                metrics, new ReadInspector(reads), ticker, !store.isRemote(), insight.config(), members);
        LiveConfig live = insight.config();
        KnownShapes shapes =
                new KnownShapes(config.get(ConfigKeys.LIMITS_PLANS), config.get(ConfigKeys.PRIVILEGE_TTL), ticker);
        reads.authority().onRevoke(shapes::clear);
        live.onChange(() -> {
            GatewayConfig now = live.config();
            shapes.bounds(now.get(ConfigKeys.LIMITS_PLANS), now.get(ConfigKeys.PRIVILEGE_TTL));
        });
        context = new SessionContext(
                store,
                metrics,
                config.get(ConfigKeys.TRUSTS_TRANSACTIONS) ? cached.chains() : null,
                shapes,
                new LoginAnswers(() -> validity(live), reads.authority()::generation, ticker),
                new StatementQuota(
                        () -> live.get(ConfigKeys.LIMITS_STATEMENTS),
                        () -> live.get(ConfigKeys.LIMITS_STATEMENTS_PER_SESSION),
                        metrics),
                orphaned,
                Interner.newWeakInterner(),
                reads.authority(),
                new KnownCalls(reads.fencing()::doubt),
                config.merges() ? merges(config, metrics) : null,
                insight.slow());
        // The new configuration may give users other accounts at the store.
        live.onChange(context.logins()::forget);
    }

    /** Returns for how many nanoseconds the store's answer about new sessions is valid. */
    private static long validity(LiveConfig live) {
        Duration rows = live.get(ConfigKeys.CACHE_TTL);
        Duration definitions = live.get(ConfigKeys.STORE_REFRESH);
        return (rows.compareTo(definitions) < 0 ? rows : definitions).toNanos();
    }

    private static MergedInserts merges(GatewayConfig config, GatewayMetrics metrics) {
        MergeFigures figures = new MergeFigures();
        metrics.merges(figures);
        return new MergedInserts(name -> config.table(name).get(ConfigKeys.TABLE_MERGE_WRITES), figures);
    }

    @Override
    public CompletionStage<CommandHandler> open(Login login, Peer peer) {
        if (tlsRequired && !login.tls()) {
            return CompletableFuture.failedFuture(
                    new LoginRefused(ErrPacket.of(ErrorCode.ER_SECURE_TRANSPORT_REQUIRED)));
        }
        UserShares.Share share = insight.shares().open(login.user());
        if (share == null) {
            return CompletableFuture.failedFuture(
                    new LoginRefused(insight.shares().refusal(login.user())));
        }
        // If the store cannot report init_connect, it might run unknown statements at each login,
        // so the answer for one login does not hold for others.
        LoginAnswers.Logins logins = store.sessionQuestions().contains(SessionSettings.INIT_CONNECT)
                ? context.logins().of(login, store.address())
                : null;
        LoginAnswers.Known known = logins == null ? null : logins.login();
        if (known != null || logins == null || initialBinding(login) != null) {
            return begin(login, peer, share, logins, known);
        }
        // The answer to one login also serves the equal logins that come meanwhile.
        CompletionStage<Void> equal = logins.checks();
        if (equal == null) {
            return begin(login, peer, share, logins, null).whenComplete((session, failure) -> logins.checked(failure));
        }
        return equal.whenComplete((checked, refused) -> {
                    if (refused != null) {
                        share.close();
                    }
                })
                .thenComposeAsync(checked -> begin(login, peer, share, logins, logins.login()), peer.loop());
    }

    private CompletionStage<CommandHandler> begin(
            Login login,
            Peer peer,
            UserShares.Share share,
            LoginAnswers.@Nullable Logins logins,
            LoginAnswers.@Nullable Known known) {
        // The store has just accepted an equal login, so no store session is needed yet.
        CompletionStage<StoreLink> link = known != null && initialBinding(login) == null
                ? CompletableFuture.completedFuture(new StoreLink(
                        new UnopenedSession(known.capabilities(), known.status()), new StoreLink.End(peer)))
                : link(login, login.database(), true, peer);
        return link.handle((opened, failure) -> {
                    if (failure != null) {
                        share.close();
                        throw new LoginRefused(errorOf(failure));
                    }
                    SessionState state = new SessionState(context, parts(peer.loop()), login);
                    return new Session(this, state, own, peer, share, opened);
                })
                .thenCompose(session -> session.begun(logins, known));
    }

    /** Returns what binds a new session to its store session; null if nothing binds it. */
    @Nullable
    Binding initialBinding(Login login) {
        if (login.upstream() != null) {
            return Binding.RELAYED_LOGIN;
        }
        if (idleNanos == 0) {
            return Binding.SWITCHED_OFF;
        }
        boolean known = store.isRemote()
                && store.resetScope() == ResetScope.SETTINGS_AND_STATEMENTS
                && store.ownCatalog() == null
                && !store.has(StoreTrait.PLANS_AT_EXECUTION)
                && !store.has(StoreTrait.REUSES_PARAMETER_TYPES)
                && !store.has(StoreTrait.OWN_SESSION_RULES);
        return known ? null : Binding.STORE;
    }

    /** Returns after how many idle nanoseconds a client's store session is released; 0 if never. */
    long idleNanos() {
        return idleNanos;
    }

    /**
     * Opens a store session for a client. When the store closes the session, the client's
     * connection is closed, unless {@link StoreLink#onEnd} has set another listener.
     *
     * @param atLogin whether the client logs in; equal logins may wait for this one
     */
    CompletionStage<StoreLink> link(Login login, @Nullable String schema, boolean atLogin, Peer peer) {
        SessionIdentity identity = new SessionIdentity(
                login.connectionId(),
                login.user(),
                login.remote().getHostAddress(),
                schema,
                login.capabilities(),
                login.collation(),
                login.attributes(),
                login.upstream(),
                peer.memory());
        Supplier<CompletionStage<StoreLink>> open = () -> {
            StoreLink.End end = new StoreLink.End(peer);
            return store.open(identity, peer.loop(), end).thenApply(session -> {
                StoreThread thread = session.thread();
                StoreLink link = new StoreLink(session, end);
                ids.opened(login.connectionId(), thread);
                if (thread != null) {
                    link.onOver(() -> ids.closed(login.connectionId(), thread));
                }
                return link;
            });
        };
        return login.upstream() != null || !store.isRemote()
                ? open.get()
                : rooms.computeIfAbsent(login.user(), StoreRoom::new).open(peer.loop(), atLogin, open);
    }

    /**
     * Kills the clients' statements at the store, which would otherwise continue after the gateway
     * has stopped. Blocks for at most {@code most}.
     *
     * @param loop runs the session of the gateway's own account that sends the kills
     * @return whether it killed any statement
     */
    public boolean endAtStore(EventLoop loop, Duration most) {
        List<StoreThread> running = ids.atStore();
        if (running.isEmpty()) {
            return false;
        }
        try {
            Object unused =
                    store.interrupt(running, loop).toCompletableFuture().get(most.toMillis(), TimeUnit.MILLISECONDS);
            LOG.info("{} statements still ran after drainTimeout, and were killed at the store", running.size());
            return true;
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn(
                    "{} statements still ran after drainTimeout and may continue at the store, because the gateway's account"
                            + " could not kill them ({}). Grant it PROCESS and CONNECTION ADMIN (MariaDB), or PROCESS and CONNECTION_ADMIN (MySQL).",
                    running.size(),
                    e.getCause() == null
                            ? "no answer within " + most.toMillis() + " ms"
                            : e.getCause().getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    Insight insight() {
        return insight;
    }

    UserShares shares() {
        return insight.shares();
    }

    ConnectionIds ids() {
        return ids;
    }

    static ErrPacket errorOf(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof StoreException refused) {
            return refused.error();
        }
        LOG.warn("The store cannot be reached for a client's login, which was refused with error 1105.", cause);
        return ErrPacket.of(ErrorCode.ER_UNKNOWN_ERROR, "The store cannot be reached");
    }

    private LoopParts parts(EventLoop loop) {
        return parts.computeIfAbsent(
                loop,
                at -> new LoopParts(
                        reads.reader(at),
                        reads.fencing(),
                        plans.lookup(),
                        new Digester(store.harmlessVariables(), store.has(StoreTrait.DASHES_ARE_SIGNS)),
                        new TextAhead(),
                        new LiteralValues(),
                        new ExecuteParameters(),
                        new ParameterValues(),
                        new AccountReplies(context.logins()::moment),
                        at));
    }
}
