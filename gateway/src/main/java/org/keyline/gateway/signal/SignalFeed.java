package org.keyline.gateway.signal;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.stores.ChangeListener;
import org.keyline.stores.ChangeSignal;
import org.keyline.stores.ResumableSignal;
import org.keyline.stores.RowImage;

/**
 * Tells what this gateway's own signal tells, to the gateway and to others that ask for it. For each of them it keeps what was told since
 * their last question. Thread-safe.
 */
final class SignalFeed implements ChangeListener {
    private static final String FORGOTTEN = "it keeps nothing for this gateway any more";

    private static final int MAX_FOLLOWERS = 256;
    /** Of what one other gateway has not fetched yet; it reads for itself then. */
    private static final int MAX_KEPT_BYTES = 8 << 20;

    /** Some seconds of questions; older ones are not answered. */
    private static final int MAX_ASKED = 1 << 12;

    private static final int MAX_REPLY_BYTES = 1 << 20;
    /** How long a question waits for news. */
    private static final long HOLD_MS = 500;

    private static final long GONE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long POSITION_NANOS = TimeUnit.SECONDS.toNanos(1);

    private record Asked(long number, long nanos) {}

    /** Another gateway. Guarded by the feed. */
    private static final class Follower {
        final Deque<byte[]> kept = new ArrayDeque<>();
        long keptBytes;
        boolean behind;
        Set<TableName> tables = Set.of();
        /** The last questions, from the last one on that came before all that was said to be complete. */
        final Deque<Asked> asked = new ArrayDeque<>();

        @Nullable
        CompletableFuture<@Nullable Void> waiting;

        @Nullable
        String position;

        long positionNanos;
        long heardNanos;

        /** The last question that had come by then; 0: none had. */
        long askedBy(long nanos) {
            long number = 0;
            while (!asked.isEmpty() && asked.peek().nanos() - nanos <= 0) {
                number = asked.remove().number();
            }
            if (number != 0) {
                asked.addFirst(new Asked(number, nanos));
            }
            return number;
        }
    }

    private final ChangeListener own;
    private final ResumableSignal signal;
    private final String store;
    private final LongSupplier clock;
    private final Executor executor;
    private final SchemaHashes hashes = new SchemaHashes();

    // Guarded by this.
    private final Map<Long, Follower> followers = new HashMap<>();
    private @Nullable String refusal;

    /**
     * @param own this gateway's listener
     * @param signal whose listener this is
     * @param store as {@code store.url} has it
     * @param clock that of {@link #complete}
     * @param executor makes replies
     */
    SignalFeed(ChangeListener own, ResumableSignal signal, String store, LongSupplier clock, Executor executor) {
        this.own = own;
        this.signal = signal;
        this.store = store;
        this.clock = clock;
        this.executor = executor;
    }

    /**
     * Leaves all followers and takes no others.
     *
     * @param why it is so, for these; null: takes followers again
     */
    synchronized void refuse(@Nullable String why) {
        refusal = why;
        if (why != null) {
            followers.values().forEach(SignalFeed::wake);
            followers.clear();
        }
    }

    /** How many gateways follow this one. */
    synchronized int followers() {
        forget();
        return followers.size();
    }

    /**
     * Takes a question of another gateway; the reply comes when there is news, or after a while.
     *
     * @return fails with a {@link NotHeardException} where it is not answered
     */
    CompletionStage<byte[]> ask(byte[] bytes) {
        SignalQuestion question;
        Follower follower;
        CompletableFuture<@Nullable Void> ready;
        try {
            question = SignalCodec.question(bytes);
            if (!question.store().equals(store)) {
                throw new NotHeardException(
                        "store.url of the other gateway: " + question.store() + " (expected: " + store + ")");
            }
            synchronized (this) {
                follower = follower(question);
                ready = new CompletableFuture<>();
                if (!follower.kept.isEmpty() || follower.behind || follower.position == null) {
                    ready.complete(null);
                } else {
                    follower.waiting = ready;
                }
            }
        } catch (IOException e) {
            return CompletableFuture.failedFuture(new NotHeardException(String.valueOf(e.getMessage())));
        } catch (NotHeardException e) {
            return CompletableFuture.failedFuture(e);
        }
        return ready.completeOnTimeout(null, HOLD_MS, TimeUnit.MILLISECONDS)
                .thenComposeAsync(unused -> reply(question.follower(), follower), executor);
    }

    private Follower follower(SignalQuestion question) throws NotHeardException {
        if (refusal != null) {
            throw new NotHeardException(refusal);
        }
        forget();
        Follower follower = followers.get(question.follower());
        if (follower == null) {
            if (question.number() != 1) {
                throw new NotHeardException(FORGOTTEN);
            }
            if (followers.size() >= MAX_FOLLOWERS) {
                throw new NotHeardException("it has " + MAX_FOLLOWERS + " followers");
            }
            follower = new Follower();
            followers.put(question.follower(), follower);
        }
        wake(follower);
        follower.heardNanos = clock.getAsLong();
        if (follower.asked.size() >= MAX_ASKED) {
            follower.asked.remove();
        }
        follower.asked.add(new Asked(question.number(), follower.heardNanos));
        if (question.tables() != null) {
            follower.tables = question.tables();
        }
        return follower;
    }

    private CompletionStage<byte[]> reply(long id, Follower follower) {
        // Before what is kept is taken: that may go further, but not less far.
        String position = signal.position();
        if (position == null || signal.state() != ChangeSignal.State.FOLLOWING) {
            return CompletableFuture.failedFuture(new NotHeardException("its change signal is not live"));
        }
        List<byte[]> messages = new ArrayList<>();
        synchronized (this) {
            if (followers.get(id) != follower) {
                return CompletableFuture.failedFuture(new NotHeardException(refusal == null ? FORGOTTEN : refusal));
            }
            if (follower.behind) {
                followers.remove(id);
                return CompletableFuture.failedFuture(
                        new NotHeardException("this gateway is more than " + MAX_KEPT_BYTES + " bytes behind"));
            }
            long bytes = 0;
            while (!follower.kept.isEmpty() && bytes < MAX_REPLY_BYTES) {
                byte[] message = follower.kept.remove();
                bytes += message.length;
                messages.add(message);
            }
            follower.keptBytes -= bytes;
            if (follower.kept.isEmpty() && isNews(follower, position)) {
                messages.add(SignalCodec.encode(new SignalMessage.Told(position)));
                follower.position = position;
                follower.positionNanos = clock.getAsLong();
            }
        }
        return CompletableFuture.completedFuture(SignalCodec.reply(messages));
    }

    private boolean isNews(Follower follower, String position) {
        if (follower.position == null) {
            return true;
        }
        return !position.equals(follower.position) && clock.getAsLong() - follower.positionNanos > POSITION_NANOS;
    }

    /** Those that ask no more. */
    private void forget() {
        long now = clock.getAsLong();
        followers.values().removeIf(follower -> now - follower.heardNanos > GONE_NANOS);
    }

    private static void wake(Follower follower) {
        CompletableFuture<@Nullable Void> waiting = follower.waiting;
        follower.waiting = null;
        if (waiting != null) {
            // What depends on it runs elsewhere.
            waiting.complete(null);
        }
    }

    private synchronized void tell(SignalMessage message) {
        if (followers.isEmpty()) {
            return;
        }
        forget();
        byte[] encoded = SignalCodec.encode(message);
        followers.values().forEach(follower -> keep(follower, encoded));
    }

    private static void keep(Follower follower, byte[] message) {
        follower.keptBytes += message.length;
        if (follower.keptBytes > MAX_KEPT_BYTES || follower.behind) {
            follower.behind = true;
            follower.kept.clear();
        } else {
            follower.kept.add(message);
        }
        wake(follower);
    }

    private synchronized boolean isFollowed() {
        return !followers.isEmpty();
    }

    @Override
    public void row(TableSchema schema, List<byte @Nullable []> key, List<RowImage> images) {
        own.row(schema, key, images);
        if (isFollowed()) {
            List<List<byte @Nullable []>> cells = new ArrayList<>();
            for (RowImage image : images) {
                List<byte @Nullable []> row = new ArrayList<>();
                for (int ordinal = 0; ordinal < schema.columns().size(); ordinal++) {
                    row.add(image.cell(ordinal));
                }
                cells.add(row);
            }
            tell(new SignalMessage.Row(schema.name(), hashes.of(schema), key, cells));
        }
    }

    @Override
    public void table(TableName table) {
        own.table(table);
        tell(new SignalMessage.Table(table));
    }

    @Override
    public void definitions(Collection<TableName> tables) {
        own.definitions(tables);
        tell(new SignalMessage.Definitions(List.copyOf(tables)));
    }

    @Override
    public void everything() {
        own.everything();
        tell(new SignalMessage.Everything());
    }

    @Override
    public void allDefinitions() {
        own.allDefinitions();
        tell(new SignalMessage.AllDefinitions());
    }

    @Override
    public void privileges() {
        own.privileges();
        tell(new SignalMessage.Privileges());
    }

    @Override
    public void complete(long asOfNanos) {
        own.complete(asOfNanos);
        answer(null, asOfNanos);
    }

    @Override
    public void complete(TableName table, long asOfNanos) {
        own.complete(table, asOfNanos);
        answer(table, asOfNanos);
    }

    private synchronized void answer(@Nullable TableName table, long asOfNanos) {
        for (Follower follower : followers.values()) {
            long question = follower.askedBy(asOfNanos);
            if (question != 0 && (table == null || follower.tables.contains(table))) {
                keep(follower, SignalCodec.encode(new SignalMessage.Complete(table, question)));
            }
        }
    }

    /** Those of all gateways. */
    @Override
    public Collection<TableName> tables() {
        Set<TableName> all = new HashSet<>(own.tables());
        synchronized (this) {
            followers.values().forEach(follower -> all.addAll(follower.tables));
        }
        return all;
    }
}
