package org.keyline.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.keyline.planner.Catalog;
import org.keyline.stores.ReplyListener;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.Store;
import org.keyline.stores.StoreSession;

/**
 * A store for the loops of embedded channels, which no other thread may call. The sessions of the
 * store run on their own loop. Replies wait until the channel's thread calls {@link #deliver}.
 * Thread-safe.
 */
final class HandedOver implements Store {
    private final Store store;
    private final EventLoop ownLoop = new DefaultEventLoop(new DefaultThreadFactory("handed-over", true));
    private final Map<EventLoop, Queue<Runnable>> replies = new ConcurrentHashMap<>();

    HandedOver(Store store) {
        this.store = store;
    }

    /** Registers the loop of an embedded channel, before anything opens on it. */
    void serve(EventLoop channelLoop) {
        replies.put(channelLoop, new ConcurrentLinkedQueue<>());
    }

    /** Delivers the store's replies so far, in the thread of that channel. */
    void deliver(EventLoop channelLoop) {
        Queue<Runnable> waiting = Objects.requireNonNull(replies.get(channelLoop), "channelLoop is not served");
        for (Runnable reply = waiting.poll(); reply != null; reply = waiting.poll()) {
            reply.run();
        }
    }

    @Override
    public Catalog catalog() {
        return store.catalog();
    }

    @Override
    public String serverVersion() {
        return store.serverVersion();
    }

    @Override
    public CompletionStage<StoreSession> open(SessionIdentity identity, EventLoop loop, Runnable onClosed) {
        Queue<Runnable> waiting = replies.get(loop);
        if (waiting == null) {
            return store.open(identity, loop, onClosed);
        }
        StoreSession opened = CompletableFuture.supplyAsync(
                        () -> store.open(identity, ownLoop, () -> waiting.add(onClosed)), ownLoop)
                .thenCompose(opening -> opening)
                .join();
        return CompletableFuture.completedFuture(new Session(opened, waiting));
    }

    @Override
    public void close() {
        store.close();
        ownLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private final class Session implements StoreSession {
        private final StoreSession session;
        private final Queue<Runnable> waiting;

        Session(StoreSession session, Queue<Runnable> waiting) {
            this.session = session;
            this.waiting = waiting;
        }

        @Override
        public int capabilities() {
            return session.capabilities();
        }

        @Override
        public int initialStatus() {
            return session.initialStatus();
        }

        @Override
        public void send(ByteBuf payload, ReplyListener listener) {
            ByteBuf copy = Unpooled.copiedBuffer(payload);
            ownLoop.execute(() -> session.send(copy, new ReplyListener() {
                @Override
                public void packets(ByteBuf framed) {
                    waiting.add(() -> listener.packets(framed));
                }

                @Override
                public void end() {
                    waiting.add(listener::end);
                }

                @Override
                public void lost(Throwable cause) {
                    waiting.add(() -> listener.lost(cause));
                }
            }));
        }

        @Override
        public void pause() {
            ownLoop.execute(session::pause);
        }

        @Override
        public void resume() {
            ownLoop.execute(session::resume);
        }

        @Override
        public void close() {
            ownLoop.execute(session::close);
        }
    }
}
