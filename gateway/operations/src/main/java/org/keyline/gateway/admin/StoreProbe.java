package org.keyline.gateway.admin;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrorCode;
import org.keyline.stores.ReplyListener;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.Store;
import org.keyline.stores.StoreException;
import org.keyline.stores.StoreSession;

/** Sends COM_PING to the store on a separate session. Callers during a ping share its result. */
public final class StoreProbe {
    private static final byte[] PING = {CommandCode.COM_PING};

    private final Store store;
    private final SessionIdentity identity;
    private final EventLoop loop;
    private final Duration timeout;
    private final List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
    private @Nullable StoreSession session;
    private @Nullable Future<?> deadline;
    private long round;
    private boolean closed;

    public StoreProbe(Store store, SessionIdentity identity, EventLoop loop, Duration timeout) {
        this.store = store;
        this.identity = identity;
        this.loop = loop;
        this.timeout = timeout;
    }

    /** Returns whether the store answers. Thread-safe; never completes exceptionally. */
    public CompletionStage<Boolean> reachable() {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        loop.execute(() -> ask(answer));
        return answer;
    }

    /** Returns false if a login fails for a reason other than too many connections. Thread-safe. */
    public CompletionStage<Boolean> accepts() {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        loop.execute(() -> store.open(identity, loop, () -> {}).whenComplete((opened, failure) -> {
            if (failure == null) {
                opened.close();
            }
            answer.complete(failure == null || isFull(failure));
        }));
        return answer;
    }

    private static boolean isFull(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof StoreException refused
                && (refused.error().code() == ErrorCode.ER_CON_COUNT_ERROR.number()
                        || refused.error().code() == ErrorCode.ER_TOO_MANY_USER_CONNECTIONS.number());
    }

    /** Closes the session. Thread-safe. */
    public void close() {
        loop.execute(() -> {
            closed = true;
            finish(false);
        });
    }

    private void ask(CompletableFuture<Boolean> answer) {
        if (closed) {
            answer.complete(false);
            return;
        }
        waiting.add(answer);
        if (waiting.size() > 1) {
            return;
        }
        long asked = ++round;
        deadline = loop.schedule(() -> finishRound(asked, false), timeout.toMillis(), TimeUnit.MILLISECONDS);
        if (session != null) {
            ping(session, asked);
            return;
        }
        store.open(identity, loop, () -> session = null).whenComplete((opened, failure) -> {
            if (failure != null) {
                finishRound(asked, false);
            } else if (asked != round || waiting.isEmpty()) {
                opened.close();
            } else {
                session = opened;
                ping(opened, asked);
            }
        });
    }

    private void ping(StoreSession pinged, long asked) {
        ByteBuf payload = Unpooled.wrappedBuffer(PING);
        pinged.send(payload, new ReplyListener() {
            @Override
            public void packets(ByteBuf framed) {
                framed.release();
            }

            @Override
            public void end() {
                finishRound(asked, true);
            }

            @Override
            public void lost(Throwable cause) {
                session = null;
                finishRound(asked, false);
            }
        });
    }

    private void finishRound(long asked, boolean reachable) {
        if (asked == round && !waiting.isEmpty()) {
            finish(reachable);
        }
    }

    private void finish(boolean reachable) {
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
        if (!reachable && session != null) {
            StoreSession unanswering = session;
            session = null;
            unanswering.close();
        }
        List<CompletableFuture<Boolean>> answered = List.copyOf(waiting);
        waiting.clear();
        answered.forEach(answer -> answer.complete(reachable));
    }
}
