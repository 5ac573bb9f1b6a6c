package org.keyline.gateway.warmup;

import com.github.benmanes.caffeine.cache.Ticker;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.keyline.gateway.config.ConfigException;
import org.keyline.gateway.config.ConfigKeys;
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
import org.keyline.gateway.views.Clients;
import org.keyline.gateway.views.Insight;
import org.keyline.gateway.views.ViewReads;
import org.keyline.planner.PlanCache;
import org.keyline.planner.Planner;
import org.keyline.planner.calcite.PointReadMatcher;
import org.keyline.planner.statement.StatementClassifier;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.HandshakeResponse41;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.client.StatementArguments;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.memory.MemoryBudget;
import org.keyline.protocol.server.Account;
import org.keyline.protocol.server.ServerConnection;
import org.keyline.protocol.server.ServerContext;
import org.keyline.protocol.server.ServerListener;
import org.keyline.protocol.server.ServerOptions;
import org.keyline.rowcache.RowCache;
import org.keyline.rowcache.RowCacheOptions;
import org.keyline.rowcache.TableOptions;
import org.keyline.rowcache.TableStats;
import org.keyline.stores.SessionIdentity;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes a few statements before the first client connects, so that the JVM has loaded the
 * classes of reads and writes. Its sessions use a {@link CannedStore}, and share nothing with the
 * sessions of clients.
 */
public final class WarmUp {
    static final int FLAGS = Capabilities.CLIENT_PROTOCOL_41
            | Capabilities.CLIENT_SECURE_CONNECTION
            | Capabilities.CLIENT_PLUGIN_AUTH
            | Capabilities.CLIENT_CONNECT_WITH_DB;
    /** How often each read runs. Run 1 is forwarded, run 2 loads the line, later runs hit. */
    private static final int TIMES = 4;

    private static final String USER = "canned";
    private static final Duration TTL = Duration.ofMinutes(1);
    private static final int BYTES = 1 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

    private final CannedStore store = new CannedStore(new ArrayDeque<>());
    private final CachedTables tables;
    private final GatewayMetrics metrics;
    private final SlowLog slow;
    private final EmbeddedChannel channel = new EmbeddedChannel();

    private WarmUp(GatewayConfig config) {
        Ticker ticker = Ticker.systemTicker();
        RowCache cache = new RowCache(RowCacheOptions.of(BYTES, 1, ticker, Runnable::run), 0);
        tables = new CachedTables(cache, store, schema -> TableOptions.DEFAULT.withTtl(TTL));
        PointReads reads = new PointReads(
                store,
                tables,
                new SessionIdentity(0, USER, "localhost", null, FLAGS, Collation.UTF8MB4_GENERAL_CI, Map.of()),
                new PointReads.Options(
                        1, config.get(ConfigKeys.CACHE_LOAD_TIMEOUT), TTL, true, 0, BYTES, BYTES, false));
        PlanCache plans =
                new PlanCache(new Planner(List.of(new StatementClassifier(), new PointReadMatcher())), store, BYTES);
        MemoryBudget memory = MemoryBudget.unlimited();
        metrics = new GatewayMetrics(
                List::of, plans, reads.audits(), () -> SignalFigures.NONE, memory, reads.statements());
        slow = new SlowLog(config);
        Sessions sessions = new Sessions(
                store,
                new CachedReads(reads, plans, new TransactionChains(TransactionChains.FIRST_NUMBER), ticker),
                new Insight(
                        new ViewReads(Map.of()),
                        new Clients(),
                        LiveConfig.fixed(config),
                        slow,
                        metrics,
                        new UserShares(config)),
                new OrphanedClients(() -> CompletableFuture.completedFuture(true), (task, millis) -> task.run()),
                null);
        ServerContext context = new ServerContext(
                ServerOptions.of(store.serverVersion()).withMemory(memory),
                new ServerAuthenticator(AuthPlugin.NATIVE_PASSWORD, null, new SecureRandom()),
                (user, from) -> new Account(user, Credential.empty(AuthPlugin.NATIVE_PASSWORD)),
                sessions,
                ServerListener.NONE,
                Runnable::run);
        channel.pipeline().addLast(new ServerConnection(context, 1));
    }

    /** Starts the warm-up. A failure is logged, and only makes the first statements slower. */
    public static Thread start() {
        Thread thread = new DefaultThreadFactory("keyline-warm-up", true).newThread(() -> {
            try {
                run();
            } catch (ConfigException | RuntimeException e) {
                LOG.warn("The warm-up failed. The first statements will be slower.", e);
            }
        });
        thread.start();
        return thread;
    }

    /** Executes the statements. Returns the statistics of their table. */
    static TableStats.Snapshot run() throws ConfigException {
        GatewayConfig defaults =
                new ConfigLoader(Map.of()).set("log.slow.threshold=off").load();
        WarmUp warmUp = new WarmUp(defaults);
        try {
            warmUp.statements();
            return Objects.requireNonNull(warmUp.tables.lines(CannedStore.TABLE))
                    .stats()
                    .snapshot();
        } finally {
            warmUp.channel.finishAndReleaseAll();
            warmUp.slow.close();
            warmUp.metrics.close();
        }
    }

    private void statements() {
        ask(
                1,
                new HandshakeResponse41(
                        FLAGS,
                        0,
                        Collation.UTF8MB4_GENERAL_CI,
                        USER,
                        new byte[0],
                        USER,
                        "mysql_native_password",
                        Map.of())::encode);
        command(CommandCode.COM_STMT_PREPARE, "SELECT * FROM canned WHERE id = ?");
        StatementArguments one = new StatementArguments();
        one.addInt64(1);
        for (int i = 0; i < TIMES; i++) {
            command(CommandCode.COM_QUERY, "SELECT id FROM canned WHERE id = 1");
            ask(0, packet -> one.encode(packet, 1));
        }
        command(CommandCode.COM_QUERY, "BEGIN");
        command(CommandCode.COM_QUERY, "UPDATE canned SET id = 1 WHERE id = 1");
        command(CommandCode.COM_QUERY, "COMMIT");
    }

    private void command(int code, String text) {
        ask(0, packet -> packet.writeByte(code).writeCharSequence(text, StandardCharsets.UTF_8));
    }

    private void ask(int sequence, Consumer<ByteBuf> payload) {
        ByteBuf packet = channel.alloc().buffer();
        int begin = Packets.begin(packet);
        payload.accept(packet);
        Packets.end(packet, begin, sequence);
        channel.writeInbound(packet);
        while (store.deliver()) {
            channel.runPendingTasks();
        }
        channel.releaseOutbound();
    }
}
