package org.keyline.gateway.tier;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.keyline.planner.TableName;

/**
 * Histories of three gateways by seeds, in front of one row of a store. Bookkeeping and links are
 * real, lines follow the rules of {@code docs/tier.md}. The channel loses, repeats, damages, delays
 * and reorders entries, with partitions and restarts. The tier returns any line that was ever put
 * into it. Each read is checked against the guarantees. {@code -Dkeyline.histories=N} runs more of
 * them.
 */
final class PeersHistoryTest {
    /** A rule that is left out, so that the histories must find a violation. */
    private enum Flaw {
        NONE(false, false),
        WRITES_ARE_NOT_TOLD(false, false),
        DROPS_ARE_IGNORED(false, false),
        GAPS_ARE_IGNORED(false, false),
        LOADS_GO_ON(false, false),
        VOUCHED_ON_ARRIVAL(false, false),
        LINES_LIVE_FOR_A_TTL(false, false),
        ANY_LOAD_IS_JOINED(false, false),
        ACKNOWLEDGED_AT_ONCE(true, false),
        WAITED_FOR_HALF_THE_STALENESS(true, false),
        VALUES_ARE_AS_YOUNG_AS_THEIR_READ(false, true),
        VALUES_SAY_WHAT_WAS_HEARD_WHEN_THEY_WERE_PUT(false, true),
        FLOORS_ARE_IGNORED(false, true),
        UNDATED_VALUES_ARE_USED(false, true);

        private final boolean strict;
        private final boolean values;

        Flaw(boolean strict, boolean values) {
            this.strict = strict;
            this.values = values;
        }
    }

    private static final int GATEWAYS = 3;
    private static final long MS = 1_000_000;
    private static final long STALENESS = 200 * MS;
    private static final long TTL = 2_000 * MS;
    private static final long BEAT = 25 * MS;
    private static final long LENGTH = 4_000 * MS;
    private static final TableName TABLE = new TableName("db", "t");
    private static final byte[] KEY = {1};
    private static final Drop ROW = new Drop.Rows(TABLE, 1, KEY);

    /** One history. */
    private static final class World {
        private record Event(long atNanos, long order, Runnable task) {}

        /** A line in the tier. */
        private record Value(long version, VersionVector seen) {}

        private record Acknowledged(int gateway, long atNanos, long version) {}

        private final Random random;
        private final Flaw flaw;
        private final boolean strict;
        private final PriorityQueue<Event> events =
                new PriorityQueue<>(Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::order));
        private final List<Acknowledged> acknowledged = new ArrayList<>();
        private final Node[] nodes = new Node[GATEWAYS];
        /**
         * Whether the first gateway does not list the last one. Clients of the last one begin once
         * another gateway has received its entries.
         */
        private final boolean joining;

        private long nowNanos = 1_000 * MS;
        private long order;
        private long processes;
        private long version;
        private long hits;
        private long vouchedHits;
        private String wrong = "";

        /** Whether gateways use each other's lines, and any that were ever put. */
        private final boolean values;

        private final List<Value> put = new ArrayList<>();
        private long lent;
        private long refused;
        private long strictNanos;

        World(long seed, Flaw flaw, boolean strict, boolean values) {
            this.random = new Random(seed);
            this.flaw = flaw;
            this.strict = strict;
            this.values = values;
            joining = seed % 4 == 3;
            for (int g = 0; g < GATEWAYS; g++) {
                nodes[g] = new Node(this, g);
                beat(g);
                client(g);
            }
            if (!joining && random.nextInt(3) == 0) {
                in(random.nextInt(3_000) * MS, () -> {
                    int g = random.nextInt(GATEWAYS);
                    nodes[g].stopped = true;
                    nodes[g] = new Node(this, g);
                });
            }
            if (random.nextInt(2) == 0) {
                int g = random.nextInt(GATEWAYS);
                boolean in = random.nextBoolean();
                in(random.nextInt(3_000) * MS, () -> nodes[g].cut(in, true));
                in((3_000 + random.nextInt(1_000)) * MS, () -> nodes[g].cut(in, false));
            }
        }

        void in(long nanos, Runnable task) {
            events.add(new Event(nowNanos + nanos, order++, task));
        }

        String run() {
            long end = nowNanos + LENGTH;
            while (wrong.isEmpty() && !events.isEmpty() && events.peek().atNanos() < end) {
                Event event = events.remove();
                nowNanos = event.atNanos();
                event.task().run();
            }
            return wrong;
        }

        private void beat(int g) {
            nodes[g].link.beat();
            in(BEAT, () -> beat(g));
        }

        private void client(int g) {
            if (joining && g == GATEWAYS - 1 && nodes[1].peers.seen().of(GATEWAYS) == 0) {
                in(MS, () -> client(g));
                return;
            }
            if (random.nextInt(20) == 0) {
                nodes[g].write();
            } else {
                nodes[g].read();
            }
            in((1 + random.nextInt(random.nextInt(10) == 0 ? 300 : 15)) * MS, () -> client(g));
        }

        /** Most entries arrive soon. */
        long delay() {
            return switch (random.nextInt(40)) {
                case 0 -> random.nextInt(1_000) * MS;
                case 1, 2 -> random.nextInt(100) * MS;
                default -> random.nextInt(4) * MS;
            };
        }

        /**
         * A gateway has links only to those that it lists; the link of the last gateway to the
         * first one opens late.
         */
        private boolean isLinked(int from, int to) {
            boolean unlisted = joining && from == 0 && to == GATEWAYS - 1;
            boolean late = joining && from == GATEWAYS - 1 && to == 0 && nowNanos < 3_000 * MS;
            return !unlisted && !late;
        }

        void send(Node from, byte[] bytes) {
            for (Node to : nodes) {
                int copies = random.nextInt(50) == 0 ? 2 : 1;
                // An entry is lost if its link leads to the sender itself.
                boolean lost = from.g == to.g
                        || !isLinked(from.g, to.g)
                        || from.cutOut
                        || to.cutIn
                        || random.nextInt(100) == 0;
                for (int copy = 0; !lost && copy < copies; copy++) {
                    byte[] arrived = bytes.clone();
                    if (random.nextInt(200) == 0) {
                        arrived[random.nextInt(arrived.length)] ^= (byte) (1 << random.nextInt(8));
                    }
                    in(delay(), () -> to.link.received(arrived));
                }
            }
        }

        void answered(int g, long beganNanos, long answer) {
            for (Acknowledged write : acknowledged) {
                long slack = write.gateway() == g || strict ? 0 : STALENESS;
                if (write.version() > answer && write.atNanos() + slack < beganNanos) {
                    wrong = "a read at " + g + " that began at " + beganNanos / MS + " ms answered " + answer
                            + " after " + write;
                }
            }
        }
    }

    /** A gateway's process. */
    private static final class Node implements Peers.Listener {
        private record Line(long version, long beganNanos) {}

        private static final class Load {
            final long beganNanos;
            long version;
            boolean attached = true;
            final List<Long> readers = new ArrayList<>();

            Load(long beganNanos) {
                this.beganNanos = beganNanos;
            }
        }

        private final World world;
        private final int g;
        private final Peers peers;
        private final PeerLink link;
        private final Deque<Runnable> tasks = new ArrayDeque<>();
        private boolean cutIn;
        private boolean cutOut;
        private boolean stopped;
        private int closers;
        private long freshUpToNanos = Long.MIN_VALUE / 2;
        private Line line = new Line(0, Long.MIN_VALUE / 2);
        private Load load = new Load(Long.MIN_VALUE / 2);

        Node(World world, int g) {
            this.world = world;
            this.g = g;
            load.attached = false;
            peers = new Peers(
                    "g" + g,
                    world.joining && g == 0 ? Set.of("g0", "g1") : Set.of("g0", "g1", "g2"),
                    ++world.processes,
                    new Peers.Sizes(1024, 1),
                    () -> world.nowNanos,
                    this);
            Echoes echoes = world.strict ? new Echoes(this::afterStaleness) : null;
            link = new PeerLink(
                    peers, bytes -> world.send(this, bytes), this::execute, this::execute, echoes, 16 * ROW.weight());
        }

        /** Runs tasks in order, each a little later. */
        private void execute(Runnable task) {
            tasks.add(task);
            world.in(world.random.nextInt(20) == 0 ? 10 * MS : 0, () -> {
                Runnable next = tasks.remove();
                if (!stopped) {
                    next.run();
                }
            });
        }

        private void afterStaleness(Runnable task) {
            world.in(world.flaw == Flaw.WAITED_FOR_HALF_THE_STALENESS ? STALENESS / 2 : STALENESS + 1, () -> {
                if (!stopped) {
                    task.run();
                }
            });
        }

        void cut(boolean in, boolean cut) {
            cutOut = cut;
            cutIn = cut && in;
        }

        @Override
        public void drop(Drop drop) {
            boolean gap = drop instanceof Drop.Everything;
            if (world.flaw == (gap ? Flaw.GAPS_ARE_IGNORED : Flaw.DROPS_ARE_IGNORED)) {
                return;
            }
            line = new Line(0, Long.MIN_VALUE / 2);
            load.attached &= world.flaw == Flaw.LOADS_GO_ON;
        }

        @Override
        public void freshUpTo(long asOfNanos) {
            long nanos = world.flaw == Flaw.VOUCHED_ON_ARRIVAL ? world.nowNanos : asOfNanos;
            freshUpToNanos = Math.max(freshUpToNanos, nanos);
        }

        void write() {
            closers++;
            line = new Line(0, Long.MIN_VALUE / 2);
            load.attached = false;
            world.in(world.random.nextInt(5) * MS, () -> {
                long written = ++world.version;
                world.in(world.random.nextInt(5) * MS, () -> {
                    if (stopped) {
                        return;
                    }
                    if (world.flaw != Flaw.WRITES_ARE_NOT_TOLD) {
                        link.wrote(ROW);
                    }
                    closers--;
                    CompletionStage<Void> taken = world.flaw == Flaw.ACKNOWLEDGED_AT_ONCE ? null : link.taken();
                    long began = world.nowNanos;
                    (taken == null ? CompletableFuture.<Void>completedFuture(null) : taken).thenRun(() -> {
                        world.strictNanos += world.nowNanos - began;
                        world.acknowledged.add(new World.Acknowledged(g, world.nowNanos, written));
                    });
                });
            });
        }

        void read() {
            long now = world.nowNanos;
            if (closers > 0) {
                return;
            }
            long age = now - line.beganNanos();
            boolean vouched = now - freshUpToNanos <= STALENESS || world.flaw == Flaw.LINES_LIVE_FOR_A_TTL;
            if (age <= STALENESS || (vouched && age <= TTL)) {
                world.hits++;
                world.vouchedHits += age > STALENESS ? 1 : 0;
                world.answered(g, now, line.version());
            } else if (load.attached) {
                if (now - load.beganNanos <= STALENESS || world.flaw == Flaw.ANY_LOAD_IS_JOINED) {
                    load.readers.add(now);
                }
            } else {
                load(now);
            }
        }

        private void load(long now) {
            Load begun = new Load(now);
            begun.readers.add(now);
            load = begun;
            if (world.put.isEmpty()) {
                fromStore(begun);
                return;
            }
            // Most are the last one, as if it had replaced the others.
            int last = world.put.size() - 1;
            int behind = world.random.nextInt(4) == 0 ? world.random.nextInt(Math.min(last + 1, 30)) : 0;
            World.Value value = world.put.get(last - behind);
            world.in(world.random.nextInt(5) * MS, () -> {
                if (take(begun, value)) {
                    world.lent++;
                } else {
                    world.refused++;
                    fromStore(begun);
                }
            });
        }

        /** Applies the rules 6 to 9. */
        private boolean take(Load begun, World.Value value) {
            long now = world.nowNanos;
            OptionalLong dated = peers.beganNanos(value.seen());
            if (dated.isEmpty() && world.flaw != Flaw.UNDATED_VALUES_ARE_USED) {
                return false;
            }
            long began = dated.orElse(now);
            boolean vouched = now - freshUpToNanos <= STALENESS;
            boolean fresh = now - began <= STALENESS || (vouched && now - began <= TTL);
            boolean admitted = peers.mayUse(TABLE, KEY, began) || world.flaw == Flaw.FLOORS_ARE_IGNORED;
            if (stopped || !begun.attached || !fresh || !admitted) {
                return false;
            }
            boolean young = world.flaw == Flaw.VALUES_ARE_AS_YOUNG_AS_THEIR_READ;
            line = new Line(value.version(), young ? now : began);
            begun.attached = false;
            begun.readers.forEach(reader -> world.answered(g, reader, value.version()));
            return true;
        }

        private void fromStore(Load begun) {
            VersionVector seen = peers.seen();
            int slow = world.random.nextInt(8) == 0 ? 400 : 5;
            world.in(world.random.nextInt(slow) * MS, () -> {
                begun.version = world.version;
                world.in(world.random.nextInt(slow) * MS, () -> {
                    if (begun.attached) {
                        line = new Line(begun.version, begun.beganNanos);
                        begun.attached = false;
                        if (world.values && !stopped) {
                            boolean late = world.flaw == Flaw.VALUES_SAY_WHAT_WAS_HEARD_WHEN_THEY_WERE_PUT;
                            world.put.add(new World.Value(begun.version, late ? peers.seen() : seen));
                        }
                    }
                    if (!stopped) {
                        begun.readers.forEach(began -> world.answered(g, began, begun.version));
                    }
                });
            });
        }
    }

    @ParameterizedTest
    @CsvSource({"false,false", "true,false", "false,true", "true,true"})
    void read_ofAnyHistory_isNoOlderThanPromised(boolean strict, boolean values) {
        int histories = Integer.getInteger("keyline.histories", 300);
        long hits = 0;
        long vouched = 0;
        long writes = 0;
        long waited = 0;
        long lent = 0;
        long refused = 0;
        for (int seed = 0; seed < histories; seed++) {
            World world = new World(seed, Flaw.NONE, strict, values);
            assertThat(world.run()).as("seed %d", seed).isEmpty();
            hits += world.hits;
            vouched += world.vouchedHits;
            writes += world.acknowledged.size();
            waited += world.strictNanos;
            lent += world.lent;
            refused += world.refused;
        }
        System.out.printf(
                "%d histories: %d hits, %d of them vouched for; %d writes that waited %.1f ms on average; %d loads answered by"
                        + " the tier, %d values refused%n",
                histories, hits, vouched, writes, (double) waited / writes / MS, lent, refused);
        assertThat(vouched).isGreaterThan(hits / 50);
        assertThat(lent > histories).isEqualTo(values);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void read_ofHistoriesWithAFlaw_isFoundToBeTooOld(Flaw flaw) {
        String wrong = "";
        int seed = 0;
        for (; wrong.isEmpty() && seed < 2_000; seed++) {
            wrong = new World(seed, flaw, flaw.strict, flaw.values).run();
        }
        System.out.printf("%s: %d histories: %s%n", flaw, seed, wrong);
        assertThat(wrong).isNotEmpty();
    }
}
