package org.keyline.gateway.signal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.stores.ChangeListener;
import org.keyline.stores.ResumableSignal;
import org.keyline.stores.RowImage;

/**
 * What carries a change signal from one gateway to another, in histories by seeds: the reader's and the follower's signals, questions, replies
 * and loads go on step by step in any order, connections are lost, signals begin anew. Nobody may vouch for a line as of a moment when the
 * store showed another one. {@code -Dkeyline.histories=N} runs more than those of every build.
 */
final class SignalHistoryTest {
    private static final int HISTORIES = Integer.getInteger("keyline.histories", 3_000);
    private static final int STEPS = 400;
    /** Positions are told once a second, and who asks nothing for five is left. */
    private static final long STEP_NANOS = 40_000_000;

    private static final int TABLES = 3;
    private static final String STORE = "mysql://db:3306";

    /** One history. */
    private static final class History {
        final Random random;
        /** The table of each write. */
        final List<TableName> log = new ArrayList<>();
        /** How long the log was at each moment. */
        final TreeMap<Long, Integer> lengths = new TreeMap<>(Map.of(0L, 0));

        long now = 1;
        int vouched;
        int joined;

        final Gateway reader = new Gateway();
        final Gateway other = new Gateway();
        final LogSignal readers = new LogSignal();
        final LogSignal others = new LogSignal();
        final Queue<Runnable> replies = new ConcurrentLinkedQueue<>();
        final SignalFeed feed = new SignalFeed(reader, readers, STORE, () -> now, replies::add);
        final SignalFollower follower = new SignalFollower(others, other, table -> null);

        // The connection.
        long connection;
        long asked;
        final Map<Long, Long> askedNanos = new HashMap<>();
        byte @Nullable [] question;

        @Nullable
        CompletionStage<byte[]> reply;

        boolean readerFollows;

        History(long seed) {
            random = new Random(seed);
            readers.start(feed);
            others.start(other);
        }

        void run() throws IOException {
            for (int i = 0; i < STEPS; i++) {
                now += STEP_NANOS;
                step();
                lengths.put(now, log.size());
            }
        }

        private void step() throws IOException {
            switch (random.nextInt(100)) {
                case 0, 1, 2, 3, 4, 5 -> log.add(named(random.nextInt(TABLES)));
                case 6 -> lose();
                case 7 -> {
                    if (random.nextInt(4) == 0 && !readers.paused) {
                        readers.resume(null);
                    }
                }
                case 8 -> turn();
                default -> {
                    switch (random.nextInt(8)) {
                        case 0 -> reader.load();
                        case 1, 2 -> other.load();
                        case 3, 4 -> readers.step();
                        case 5 -> others.step();
                        default -> converse();
                    }
                }
            }
        }

        /** The reader follows a third gateway for a while. */
        private void turn() {
            if (random.nextInt(4) != 0) {
                return;
            }
            if (readerFollows) {
                readers.resume(String.valueOf(readers.told));
                feed.refuse(null);
            } else {
                feed.refuse("it follows a third gateway");
                readers.pause();
            }
            readerFollows = !readerFollows;
        }

        private void converse() throws IOException {
            CompletionStage<byte[]> waiting = reply;
            if (question == null && waiting == null) {
                if (connection == 0) {
                    connection = random.nextLong();
                    asked = 0;
                    askedNanos.clear();
                }
                asked++;
                askedNanos.put(asked, now);
                question = SignalCodec.encode(new SignalQuestion(connection, asked, STORE, null));
            } else if (question != null) {
                reply = feed.ask(question);
                question = null;
            } else if (waiting != null && waiting.toCompletableFuture().isDone()) {
                reply = null;
                if (waiting.toCompletableFuture().isCompletedExceptionally()) {
                    lose();
                    return;
                }
                follower.take(SignalCodec.messages(waiting.toCompletableFuture().join()), now, this::asOf);
                joined += follower.join() ? 1 : 0;
            } else {
                Runnable making = replies.poll();
                if (making != null) {
                    making.run();
                }
                joined += follower.join() ? 1 : 0;
            }
        }

        private OptionalLong asOf(long number) {
            Long nanos = askedNanos.get(number);
            return nanos == null ? OptionalLong.empty() : OptionalLong.of(nanos);
        }

        private void lose() {
            connection = 0;
            question = null;
            reply = null;
            replies.clear();
            boolean unused = follower.leave();
        }

        /** How many writes of a table were visible at a moment. */
        private long version(TableName table, int length) {
            return log.subList(0, length).stream().filter(table::equals).count();
        }

        /** A signal that tells a log, an entry a step, and how far it has told a step later. */
        private final class LogSignal implements ResumableSignal {
            private @Nullable ChangeListener listener;
            private int next;
            private int told;
            private boolean paused;
            private int mark = -1;
            private long asOf;
            private long completeNanos = -1;

            void step() {
                ChangeListener to = listener;
                if (paused || to == null) {
                    return;
                }
                if (told < next) {
                    told = next;
                } else if (next < log.size() && random.nextInt(3) != 0) {
                    to.table(log.get(next));
                    next++;
                } else if (mark < 0) {
                    mark = log.size();
                    asOf = now;
                }
                if (mark >= 0 && told >= mark) {
                    mark = -1;
                    to.complete(asOf);
                    completeNanos = asOf;
                }
            }

            @Override
            public void start(ChangeListener to) {
                listener = to;
            }

            @Override
            public void pause() {
                paused = true;
                mark = -1;
                completeNanos = -1;
            }

            @Override
            public void resume(@Nullable String from) {
                paused = false;
                mark = -1;
                next = from == null ? log.size() : Integer.parseInt(from);
                told = next;
                if (from == null && listener != null) {
                    listener.everything();
                }
            }

            @Override
            public String position() {
                return String.valueOf(told);
            }

            @Override
            public boolean hasTold(long nanos) {
                return completeNanos >= nanos;
            }

            @Override
            public boolean isEarly() {
                return false;
            }

            @Override
            public void serverChanged() {}

            @Override
            public State state() {
                return State.FOLLOWING;
            }

            @Override
            public long events() {
                return next;
            }

            @Override
            public void close() {}
        }

        /** The lines of a gateway: one a table, with the version that it was read at. */
        private final class Gateway implements ChangeListener {
            private final Map<TableName, Long> lines = new HashMap<>();
            private final Map<TableName, Long> loads = new HashMap<>();

            void load() {
                TableName table = named(random.nextInt(TABLES));
                Long read = loads.remove(table);
                if (read != null) {
                    lines.put(table, read);
                } else {
                    loads.put(table, version(table, log.size()));
                }
            }

            @Override
            public void table(TableName table) {
                lines.remove(table);
                loads.remove(table);
            }

            @Override
            public void everything() {
                lines.clear();
                loads.clear();
            }

            @Override
            public void complete(long asOfNanos) {
                int length = lengths.floorEntry(asOfNanos - 1).getValue();
                lines.forEach((table, version) -> {
                    vouched++;
                    assertThat(version)
                            .as("%s as of %d, now %d", table, asOfNanos, now)
                            .isGreaterThanOrEqualTo(version(table, length));
                });
            }

            @Override
            public void row(TableSchema table, List<byte @Nullable []> key, List<RowImage> images) {
                table(table.name());
            }

            @Override
            public void definitions(Collection<TableName> tables) {
                tables.forEach(this::table);
            }

            @Override
            public void allDefinitions() {}

            @Override
            public void privileges() {}

            @Override
            public void complete(TableName table, long asOfNanos) {
                throw new AssertionError("not told");
            }

            @Override
            public Collection<TableName> tables() {
                return List.of();
            }
        }
    }

    private static TableName named(int number) {
        return new TableName("shop", "t" + number);
    }

    @Test
    void histories_ofAReaderAndAFollower_haveNoOldLineVouchedFor() throws IOException {
        int vouched = 0;
        int joined = 0;
        for (long seed = 0; seed < HISTORIES; seed++) {
            History history = new History(seed);
            try {
                history.run();
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
            vouched += history.vouched;
            joined += history.joined;
        }
        System.out.printf("%d histories: %d lines vouched for, joined %d times%n", HISTORIES, vouched, joined);
        assertThat(vouched).isGreaterThan(HISTORIES);
        assertThat(joined).isGreaterThan(HISTORIES / 4);
    }
}
