package org.keyline.gateway.tier;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.config.HostPort;
import org.keyline.gateway.log.LogBudget;
import org.keyline.gateway.metrics.TierFigures;
import org.keyline.gateway.table.CachedTables;
import org.keyline.gateway.tier.redis.ValueServers;
import org.keyline.planner.TableName;
import org.keyline.protocol.client.ClientOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects this gateway to the other gateways of the store. Reports this gateway's writes to them,
 * and drops the lines of rows that they report. A separate thread sends and receives messages; only
 * with {@code tier.strict} do clients wait for it. Thread-safe.
 *
 * <p>Messages travel over one {@link MemberLink} to each other member. While any link is cut, this
 * gateway has no recent freshness watermark ({@link Peers}). Its lines, and the values that it
 * reads from Redis, then answer only while they are younger than {@code tier.staleness}. When a
 * link opens again, all lines are dropped.
 */
public final class Tier implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Tier.class);

    /**
     * Heartbeats per {@code tier.staleness}; a period is the time between two. Each heartbeat
     * echoes the last numbers that its sender received. An echo can arrive up to two periods after
     * the echoed heartbeat, and the next echo one period later. So two of the five periods remain
     * for delays.
     */
    private static final int BEATS = 5;

    /**
     * Number of sent entries whose sending time is remembered ({@link Peers.Sizes}). A value whose
     * load began before the oldest of them is refused, because its age is unknown.
     */
    private static final int REMEMBERED_NUMBERS = 1 << 15;

    private static final int BUCKETS = 1 << 10;
    private static final int GATHER_MS = 2;
    private static final int WATCH_MS = 100;
    private static final int MAX_BYTES = 32 << 10;
    private static final int STOP_SECONDS = 5;

    private final LogBudget failures = new LogBudget(1, Duration.ofMinutes(1));
    private final MultiThreadIoEventLoopGroup group;
    private final EventLoop loop;
    private final LongSupplier clock;
    private final Peers peers;
    private final PeerLink link;
    private final TierControl control;
    private final List<MemberLink> links;
    private final LongAdder lost = new LongAdder();
    private final GatewayConfig config;
    private final @Nullable SslContext ssl;
    private final SecureRandom random;
    private final ValueCounts values = new ValueCounts();

    /**
     * Starts to send and receive messages.
     *
     * @param ssl the TLS context of connections to Redis or Valkey; null without TLS
     * @param ways returns the options to log in at the gateway with the given address
     * @param clock the ticker that measures the age of lines
     */
    public Tier(
            GatewayConfig config,
            @Nullable SslContext ssl,
            Function<HostPort, ClientOptions> ways,
            CachedTables tables,
            LongSupplier clock,
            SecureRandom random) {
        this.config = config;
        this.ssl = ssl;
        this.clock = clock;
        this.random = random;
        group = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("keyline-tier", true), NioIoHandler.newFactory());
        loop = group.next();
        peers = new Peers(
                config.get(ConfigKeys.TIER_NAME),
                config.get(ConfigKeys.TIER_MEMBERS).stream()
                        .map(GatewayConfig.Member::name)
                        .collect(Collectors.toUnmodifiableSet()),
                random.nextLong(),
                new Peers.Sizes(REMEMBERED_NUMBERS, BUCKETS),
                clock,
                new LineDrops(tables));
        control = new TierControl(config, ssl, loop);
        links = config.otherMembers().stream()
                .map(member -> new MemberLink(member.name(), ways.apply(member.address()), loop))
                .toList();
        link = new PeerLink(
                peers,
                this::send,
                task -> loop.execute(() -> run(task)),
                this::soon,
                config.get(ConfigKeys.TIER_STRICT) ? new Echoes(this::afterStaleness) : null,
                MAX_BYTES);
        tables.cache().others().listener(new SentWrites(tables, link));
        long period = Math.max(1, config.get(ConfigKeys.TIER_STALENESS).toNanos() / BEATS);
        Future<?> unused = loop.scheduleWithFixedDelay(() -> run(this::watch), 0, WATCH_MS, TimeUnit.MILLISECONDS);
        Future<?> unusedBeats =
                loop.scheduleWithFixedDelay(() -> run(link::beat), period, period, TimeUnit.NANOSECONDS);
    }

    private void send(byte[] entry) {
        boolean sentToAll = true;
        for (MemberLink each : links) {
            sentToAll &= each.send(entry);
        }
        if (!sentToAll) {
            lost.increment();
        }
    }

    /** Receives an entry. May be called on any thread. */
    public void received(byte[] entry) {
        link.received(entry);
    }

    private void watch() {
        control.watch();
        links.forEach(MemberLink::watch);
    }

    private void soon(Runnable task) {
        if (!loop.isShuttingDown()) {
            Future<?> unused = loop.schedule(() -> run(task), GATHER_MS, TimeUnit.MILLISECONDS);
        }
    }

    private void afterStaleness(Runnable task) {
        // At the exact end of the staleness, a line can still answer.
        long nanos = config.get(ConfigKeys.TIER_STALENESS).toNanos() + 1;
        if (loop.isShuttingDown()) {
            // The gateway has already disconnected all clients, so no client waits for this reply.
            task.run();
        } else {
            Future<?> unused = loop.schedule(task, nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** Runs a task. If it fails, an entry is lost, and the receivers notice the missing number. */
    private void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            if (failures.take(System.nanoTime()) != LogBudget.SPENT) {
                LOG.error(
                        "A message to other gateways may be lost because of an error in Keyline. A gateway that misses"
                                + " it drops all its cached rows. Please report it.",
                        e);
            }
        }
    }

    /**
     * Returns the tier's lines, for the loads of one event loop.
     *
     * @param loadedBy names the account and the store; rows of another account are not used
     */
    public TierLines lines(EventLoop client, String loadedBy) {
        String key = config.get(ConfigKeys.TIER_VALUE_KEY).value();
        ValueCipher cipher =
                key.isEmpty() ? null : new ValueCipher(HexFormat.of().parseHex(key), random);
        ValueServers servers =
                new ValueServers(control::topology, control::logIn, ssl, client, TierLines.PATIENCE.toNanos());
        ValueOrigin.Names names = ValueOrigin.Names.of(config.get(ConfigKeys.TIER_NAMESPACE), loadedBy);
        return new TierLines(peers, servers, values, names, this::shares, client, cipher);
    }

    private boolean shares(TableName table) {
        return config.table(table).get(ConfigKeys.TABLE_SHARES_LINES);
    }

    public TierFigures figures() {
        long now = clock.getAsLong();
        return new TierFigures(
                control.topology() != null,
                peers.sent(),
                lost.sum(),
                peers.receivedEntries(),
                peers.gaps(),
                link.unreadable(),
                config.tierAddresses().isEmpty() ? Map.of() : values.sums(),
                peers.members().stream()
                        .map(member -> new TierFigures.Member(
                                member.name(),
                                since(now, member.lastMessageNanos()),
                                since(now, member.freshUpToNanos()),
                                linked(member.name())))
                        .toList());
    }

    private boolean linked(String member) {
        return links.stream().anyMatch(each -> each.name().equals(member) && each.connected());
    }

    private static long since(long now, OptionalLong moment) {
        return moment.isPresent() ? Math.max(0, now - moment.getAsLong()) : -1;
    }

    /** Blocks until earlier writes are sent, but at most for some seconds. */
    @Override
    public void close() {
        link.beat();
        loop.execute(() -> run(() -> {
            control.close();
            links.forEach(MemberLink::close);
        }));
        group.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
