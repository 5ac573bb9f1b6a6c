package org.keyline.gateway.signal;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.protocol.Lenenc;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.ReplySummary;
import org.keyline.protocol.client.ResultListener;
import org.keyline.protocol.client.ServerErrorException;

/**
 * One connection to another gateway, as a client of it, which asks again and again what its signal told: {@code KEYLINE HEAR 'question'}.
 * Whatever fails ends it. Confined to its event loop.
 */
final class SignalLink {
    /** Hears what comes, on the event loop. */
    interface Listener {
        void heard(List<SignalMessage> messages);

        /** Nothing more comes; once. */
        void ended(Throwable cause);
    }

    /** Much longer than a question waits for news. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** News of so long go together. */
    private static final long GATHER_MS = 2;

    private static final int MAX_ASKED = 1 << 13;
    /** As many as a signal asks the store about; others live for their ttl where it is told by tables. */
    private static final int MAX_TABLES = 1_000;

    private record Asked(long number, long nanos) {}

    private final EventLoop loop;
    private final long id;
    private final String store;
    private final Supplier<Collection<TableName>> tables;
    private final LongSupplier clock;
    private final Listener listener;
    private final Deque<Asked> asked = new ArrayDeque<>();

    private @Nullable ClientConnection connection;
    private @Nullable Set<TableName> told;
    private long number;
    private long waitingSinceNanos;
    private boolean ended;

    /**
     * One that is not connected.
     *
     * @param id at random
     * @param store as {@code store.url} has it
     * @param tables those that may have rows in this gateway's memory
     * @param clock {@link System#nanoTime}
     */
    SignalLink(
            EventLoop loop,
            long id,
            String store,
            Supplier<Collection<TableName>> tables,
            LongSupplier clock,
            Listener listener) {
        this.loop = loop;
        this.id = id;
        this.store = store;
        this.tables = tables;
        this.clock = clock;
        this.listener = listener;
        this.waitingSinceNanos = clock.getAsLong();
    }

    /**
     * Connects; the listener may hear of a failure before this returns.
     *
     * @param options to log in at the other gateway
     */
    void connect(ClientOptions options) {
        var unused = ClientConnection.connect(options, loop).whenComplete((made, failure) -> {
            if (made != null) {
                begin(made);
            } else {
                failed(failure);
            }
        });
    }

    private void begin(ClientConnection made) {
        if (ended) {
            made.close();
            return;
        }
        connection = made;
        var unused = made.closed().thenAccept(this::failed);
        ask();
    }

    private void ask() {
        ClientConnection to = connection;
        if (ended || to == null) {
            return;
        }
        Set<TableName> now = tables.get().stream().limit(MAX_TABLES).collect(Collectors.toUnmodifiableSet());
        Set<TableName> news = now.equals(told) ? null : now;
        told = now;
        number++;
        waitingSinceNanos = clock.getAsLong();
        if (asked.size() >= MAX_ASKED) {
            asked.remove();
        }
        asked.add(new Asked(number, waitingSinceNanos));
        byte[] question = SignalCodec.encode(new SignalQuestion(id, number, store, news));
        to.query("KEYLINE HEAR '" + Base64.getEncoder().encodeToString(question) + "'", new ResultListener() {
            private @Nullable String reply;

            @Override
            public void row(ByteBuf row) {
                reply = Lenenc.readString(row);
            }

            @Override
            public void end(ReplySummary summary) {
                if (summary.error() != null) {
                    SignalLink.this.failed(new ServerErrorException(summary.error()));
                } else {
                    heard(reply == null ? "" : reply);
                }
            }

            @Override
            public void failed(Throwable cause) {
                SignalLink.this.failed(cause);
            }
        });
    }

    private void heard(String reply) {
        if (ended) {
            return;
        }
        try {
            listener.heard(SignalCodec.messages(Base64.getDecoder().decode(reply)));
        } catch (IOException | RuntimeException e) {
            failed(e);
            return;
        }
        if (!ended) {
            var unused = loop.schedule(this::askAgain, GATHER_MS, TimeUnit.MILLISECONDS);
        }
    }

    private void askAgain() {
        try {
            ask();
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    /** When a question was asked; empty if that is not known any more. Questions before it are forgotten. */
    OptionalLong askedNanos(long question) {
        while (!asked.isEmpty() && asked.element().number() < question) {
            asked.remove();
        }
        Asked first = asked.peek();
        return first != null && first.number() == question ? OptionalLong.of(first.nanos()) : OptionalLong.empty();
    }

    /** Ends it where the other gateway is silent; to be called now and then. */
    void watch() {
        if (clock.getAsLong() - waitingSinceNanos > SILENCE_NANOS) {
            failed(new IOException("no reply within two seconds"));
        }
    }

    private void failed(Throwable cause) {
        if (ended) {
            return;
        }
        close();
        listener.ended(cause);
    }

    /** Ends it without a word. */
    void close() {
        ended = true;
        ClientConnection was = connection;
        connection = null;
        if (was != null) {
            was.close();
        }
    }
}
