package org.keyline.gateway.warmup;

import com.github.benmanes.caffeine.cache.Ticker;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.keyline.gateway.config.ConfigException;
import org.keyline.gateway.config.ConfigLoader;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.metrics.GatewayMetrics;
import org.keyline.gateway.metrics.SignalFigures;
import org.keyline.gateway.read.PointReads;
import org.keyline.gateway.read.ReadInspector;
import org.keyline.gateway.session.Sessions;
import org.keyline.gateway.session.state.StrandedClients;
import org.keyline.gateway.session.state.TransactionChains;
import org.keyline.gateway.share.UserShares;
import org.keyline.gateway.slow.SlowLog;
import org.keyline.gateway.table.CachedTables;
import org.keyline.gateway.views.Clients;
import org.keyline.gateway.views.Insight;
import org.keyline.gateway.views.ViewReads;
import org.keyline.planner.PlanCache;
import org.keyline.planner.Planner;
import org.keyline.planner.calcite.PointReadMatcher;
import org.keyline.planner.statement.StatementClassifier;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.memory.MemoryBudget;
import org.keyline.protocol.server.Account;
import org.keyline.protocol.server.ServerContext;
import org.keyline.protocol.server.ServerListener;
import org.keyline.protocol.server.ServerOptions;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.RowCache;
import org.keyline.rowcache.RowCacheOptions;
import org.keyline.rowcache.TableOptions;
import org.keyline.stores.SessionIdentity;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Talks to a gateway of its own, in front of the canned store, until the virtual machine has compiled what it takes, or the time is
 * over: else the first clients would wait for that. The production classes run, in instances that nobody else has, so that nothing of it
 * shows in lines, plans, metrics or logs. Confined to one thread.
 */
public final class WarmUp {
    /** Conversations by one connection. */
    private static final int ROUND = 16;
    /** Compiling has settled when it took less than one part in so many of a window's time. */
    private static final int SETTLED = 20;

    /** No fewer conversations settle it: on a busy machine the compilers may not get to what they have to do. */
    private static final int FEWEST = 500;

    private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final Duration MOST_CPU = Duration.ofMillis(2_500);
    static final Duration MOST_TIME = Duration.ofSeconds(15);

    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);
    private static final long BUDGET_BYTES = 16 << 20;
    private static final int PLAN_BYTES = 16 << 20;
    private static final Duration TTL = Duration.ofMinutes(10);

    private final CannedStore store;
    private final RowCache cache;
    private final CachedTables tables;
    private final GatewayMetrics metrics;
    private final SlowLog slow;
    private final ServerContext context;

    private WarmUp(boolean remote) {
        store = new CannedStore(remote);
        Ticker ticker = Ticker.systemTicker();
        GatewayConfig config = defaults();
        cache = new RowCache(RowCacheOptions.of(BUDGET_BYTES, 1, ticker, Runnable::run), 0);
        tables = new CachedTables(cache, store, schema -> TableOptions.DEFAULT.withTtl(TTL));
        PointReads reads = new PointReads(
                store,
                tables,
                loader(),
                new PointReads.Options(
                        1, config.cache().loadTimeout(), TTL, true, 0, PLAN_BYTES, 1 << 20, false, false));
        PlanCache plans = new PlanCache(
                new Planner(List.of(new StatementClassifier(), new PointReadMatcher())), store, PLAN_BYTES);
        MemoryBudget memory = MemoryBudget.unlimited();
        metrics = new GatewayMetrics(
                List::of, plans, reads.audits(), () -> SignalFigures.NONE, memory, reads.statements());
        slow = new SlowLog(() -> config.log().slow());
        Sessions sessions = new Sessions(
                store,
                reads,
                new ReadInspector(reads),
                plans,
                metrics,
                config,
                ticker,
                false,
                new StrandedClients(() -> CompletableFuture.completedFuture(true), (task, millis) -> task.run()),
                new Insight(new ViewReads(Map.of()), new Clients(), LiveConfig.fixed(config), slow),
                new UserShares(() -> config.limits().perUser()),
                new TransactionChains(TransactionChains.FIRST_NUMBER),
                null);
        context = new ServerContext(
                ServerOptions.of(store.serverVersion()).withMemory(memory),
                new ServerAuthenticator(AuthPlugin.NATIVE_PASSWORD, null, new SecureRandom()),
                (user, from) -> new Account(user, Credential.empty(AuthPlugin.NATIVE_PASSWORD)),
                sessions,
                ServerListener.NONE,
                Runnable::run);
    }

    /** What it came to. */
    record Outcome(int conversations, long hits, long loads, long fences) {}

    /**
     * Warms up, in a thread of its own, and returns when it is done; a failure of it is logged, and costs nothing else.
     *
     * @param remote whether the store is a server of its own
     */
    public static void run(boolean remote) {
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        if (compiler == null || !compiler.isCompilationTimeMonitoringSupported()) {
            return;
        }
        Thread thread = new DefaultThreadFactory("keyline-warm-up", true).newThread(() -> {
            long begin = System.nanoTime();
            try {
                Outcome outcome = run(remote, new Compiling(compiler));
                LOG.info(
                        "warmed up in {} ms, by {} conversations with itself",
                        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin),
                        outcome.conversations());
            } catch (RuntimeException e) {
                LOG.warn("The warm-up failed. The first clients will wait longer for their answers.", e);
            }
        });
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            // Who interrupts does not want to wait.
            Thread.currentThread().interrupt();
        }
    }

    /**
     * The same in this thread.
     *
     * @param goesOn asked after each conversation, with their number
     */
    static Outcome run(boolean remote, IntPredicate goesOn) {
        WarmUp warmUp = new WarmUp(remote);
        try {
            return warmUp.talk(goesOn);
        } finally {
            warmUp.store.close();
            warmUp.slow.close();
            warmUp.metrics.close();
        }
    }

    private Outcome talk(IntPredicate goesOn) {
        int said = 0;
        boolean more = true;
        while (more) {
            try (Conversation conversation = new Conversation(new WarmUpClient(store, context, said / ROUND))) {
                for (int i = 0; i < ROUND && more; i++) {
                    conversation.say(said++);
                    more = goesOn.test(said);
                }
            }
        }
        return outcome(said);
    }

    /** Whether the virtual machine still compiles, and there is time for it. */
    static final class Compiling implements IntPredicate {
        private final CompilationMXBean compiler;
        private final long end = System.nanoTime() + MOST_TIME.toNanos();
        private final Duration cpu = cpu().plus(MOST_CPU);
        private long window = System.nanoTime();
        private long compiled;

        Compiling(CompilationMXBean compiler) {
            this.compiler = compiler;
            compiled = compiler.getTotalCompilationTime();
        }

        @Override
        public boolean test(int conversations) {
            long now = System.nanoTime();
            boolean settled = false;
            if (now - window > WINDOW_NANOS) {
                long sum = compiler.getTotalCompilationTime();
                settled = conversations >= FEWEST
                        && TimeUnit.MILLISECONDS.toNanos(sum - compiled) < (now - window) / SETTLED;
                compiled = sum;
                window = now;
            }
            return !settled && now < end && cpu().compareTo(cpu) < 0;
        }

        /** What this process took so far, compilers included. */
        private static Duration cpu() {
            return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
        }
    }

    private Outcome outcome(int said) {
        long hits = 0;
        long loads = 0;
        long fences = 0;
        for (CannedTable table : CannedTable.values()) {
            LineTable lines = tables.lines(table.tableName());
            if (lines != null) {
                hits += lines.stats().snapshot().hits();
                loads += lines.stats().snapshot().loads();
                fences += lines.stats().snapshot().fences();
            }
        }
        return new Outcome(said, hits, loads, fences);
    }

    private static GatewayConfig defaults() {
        try {
            return new ConfigLoader(Map.of()).set("log.slow.threshold=off").load();
        } catch (ConfigException e) {
            throw new IllegalStateException(e);
        }
    }

    private static SessionIdentity loader() {
        return new SessionIdentity(
                0,
                "loader",
                "localhost",
                null,
                ServerOptions.DEFAULT_CAPABILITIES
                        & ~(Capabilities.CLIENT_DEPRECATE_EOF | Capabilities.CLIENT_MULTI_STATEMENTS),
                Collation.UTF8MB4_GENERAL_CI,
                Map.of());
    }
}
