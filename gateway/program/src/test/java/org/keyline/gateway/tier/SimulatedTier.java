package org.keyline.gateway.tier;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.redis.ErrorRedisMessage;
import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.IntegerRedisMessage;
import io.netty.handler.codec.redis.RedisMessage;
import io.netty.handler.codec.redis.SimpleStringRedisMessage;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.metrics.TierFigures;
import org.keyline.gateway.table.CachedTables;
import org.keyline.gateway.tier.redis.RedisCommands;

/**
 * The tier of a simulated world, and the gateways that share it. The gateways' messages and values
 * are real; the network follows the world's probabilities. Messages and replies arrive late, twice,
 * out of order or never; members are cut off; values disappear, and old ones return.
 */
public final class SimulatedTier {
    /** The world. */
    public interface Surroundings {
        long now();

        int below(int bound);

        boolean chance(double probability);

        void after(long nanos, String what, Runnable task);

        void on(EventLoop loop, Runnable task);

        /** Returns whether all activity has ended. */
        boolean isOver();
    }

    private static final int BEATS = 5;
    private static final int GATHER_MS = 2;
    private static final int MAX_BYTES = 4 << 10;
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final double SLOW = 0.1;

    /** A value, until it expires. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Value(byte[] bytes, long untilNanos) {}

    private final Surroundings world;
    private final Duration staleness;
    private final boolean strict;
    private final double bad;
    private final Set<String> names;
    private final List<Member> members = new ArrayList<>();
    private final Map<String, Value> values = new HashMap<>();
    private final Map<String, List<byte[]>> everPut = new HashMap<>();
    private final ValueCounts counts = new ValueCounts();
    private long processes;

    /** @param bad the share of faults */
    public SimulatedTier(Surroundings world, int gateways, Duration staleness, boolean strict, double bad) {
        this.world = world;
        this.staleness = staleness;
        this.strict = strict;
        this.bad = bad;
        this.names = IntStream.range(0, gateways).mapToObj(i -> "g" + i).collect(Collectors.toSet());
    }

    /** Returns the number of loads that the tier answered. */
    public long lent() {
        return counts.sums().getOrDefault(TierFigures.Value.HIT, 0L);
    }

    /** Returns the number of values that were not used. */
    public long refused() {
        return counts.sums().entrySet().stream()
                .filter(each -> each.getKey().isRefused())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** Creates a gateway that begins to send and receive. */
    public Member member(CachedTables tables, EventLoop loop) {
        Member member = new Member("g" + members.size(), tables, loop);
        members.add(member);
        member.beat();
        if (world.chance(bad * 5)) {
            long from = world.below(300) * MILLI;
            long until = (300 + world.below(300)) * MILLI;
            world.after(from, "a gateway is cut off from all", () -> member.cut = true);
            world.after(until, "only one of its links is cut", () -> {
                member.cut = false;
                member.cutTo = (int) (from / MILLI) % names.size();
            });
            world.after(until + from, "it is back", () -> member.cutTo = -1);
        }
        return member;
    }

    /** Empties the tier at times. */
    public void disturb() {
        if (world.chance(bad * 5)) {
            world.after(world.below(400) * MILLI, "the tier is emptied", values::clear);
        }
    }

    private long travel() {
        return world.chance(SLOW) ? world.below(60_000) * 1_000L : (30 + world.below(1_000)) * 1_000L;
    }

    private void send(Member from, byte[] entry) {
        for (Member to : members) {
            boolean cut = from.cut || from.cutTo == members.indexOf(to);
            int copies = world.chance(bad) ? world.below(3) : 1;
            for (int copy = 0; copy < copies && !cut; copy++) {
                world.after(travel(), "a message of the tier", () -> {
                    if (!to.cut) {
                        world.on(to.loop, () -> to.link.received(entry));
                    }
                });
            }
        }
    }

    private RedisMessage run(byte[][] words) {
        String command = new String(words[0], ISO_8859_1);
        String name = new String(words[1], ISO_8859_1);
        Value known = values.get(name);
        Value there = known == null || known.untilNanos() - world.now() <= 0 ? null : known;
        if (world.chance(bad)) {
            return new ErrorRedisMessage("ERR of the model");
        }
        return switch (command) {
            case "GETRANGE" -> {
                List<byte[]> old = everPut.get(name);
                byte[] bytes = old != null && world.chance(bad * 3)
                        ? old.get(world.below(old.size()))
                        : there == null ? new byte[0] : there.bytes();
                yield new FullBulkStringRedisMessage(Unpooled.wrappedBuffer(bytes));
            }
            case "SET" -> {
                boolean unlessThere = words.length > 5;
                if (unlessThere && there != null) {
                    yield FullBulkStringRedisMessage.NULL_INSTANCE;
                }
                long millis = Long.parseLong(new String(words[words.length - 1], ISO_8859_1));
                values.put(name, new Value(words[2], world.now() + millis * MILLI));
                if (!unlessThere) {
                    everPut.computeIfAbsent(name, any -> new ArrayList<>()).add(words[2]);
                }
                yield new SimpleStringRedisMessage("OK");
            }
            case "DEL" -> {
                values.remove(name);
                yield new IntegerRedisMessage(there == null ? 0 : 1);
            }
            default -> throw new IllegalStateException("command: " + command);
        };
    }

    /** One gateway. */
    public final class Member {
        private final EventLoop loop;
        private final Peers peers;
        private final PeerLink link;
        private boolean cut;
        /** The gateway that does not receive its messages; -1 for none. */
        private int cutTo = -1;

        private Member(String name, CachedTables tables, EventLoop loop) {
            this.loop = loop;
            peers = new Peers(
                    name, names, ++processes, new Peers.Sizes(1 << 12, 1 << 6), world::now, new LineDrops(tables));
            link = new PeerLink(
                    peers,
                    entry -> send(this, entry),
                    loop,
                    task -> later(task, GATHER_MS * MILLI),
                    strict ? new Echoes(task -> later(task, staleness.toNanos() + 1)) : null,
                    MAX_BYTES);
            tables.cache().others().listener(new SentWrites(tables, link));
        }

        private void later(Runnable task, long nanos) {
            var unused = loop.schedule(task, nanos, TimeUnit.NANOSECONDS);
        }

        private void beat() {
            world.on(loop, link::beat);
            if (!world.isOver()) {
                world.after(staleness.toNanos() / BEATS, "sign of life", this::beat);
            }
        }

        /** Returns the tier's lines for one of its event loops. */
        public TierLines lines(EventLoop client) {
            return new TierLines(
                    peers,
                    new Servers(this, client),
                    counts,
                    ValueOrigin.Names.of("t", "model"),
                    any -> true,
                    client,
                    null);
        }
    }

    /**
     * An event loop's connection to the values: commands and replies are in order, in both
     * directions.
     */
    private final class Servers implements RedisCommands.Servers, RedisCommands {
        private final Member member;
        private final EventLoop client;
        private long arrivesNanos;
        private long repliesNanos;

        Servers(Member member, EventLoop client) {
            this.member = member;
            this.client = client;
        }

        @Override
        public @Nullable RedisCommands of(byte[] name) {
            return member.cut || world.chance(bad) ? null : this;
        }

        @Override
        public void ask(Consumer<RedisMessage> received, byte[]... words) {
            arrivesNanos = Math.max(arrivesNanos, world.now() + travel() / 4);
            if (member.cut) {
                return;
            }
            world.after(arrivesNanos - world.now(), "the tier is asked", () -> {
                RedisMessage reply = run(words);
                repliesNanos = Math.max(repliesNanos, world.now() + travel() / 4);
                if (member.cut || world.chance(bad)) {
                    ReferenceCountUtil.release(reply);
                    return;
                }
                world.after(
                        repliesNanos - world.now(),
                        "the tier answers",
                        () -> world.on(client, () -> {
                            try {
                                received.accept(reply);
                            } finally {
                                ReferenceCountUtil.release(reply);
                            }
                        }));
            });
        }
    }
}
