package org.keyline.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.keyline.gateway.store.ReplyListener;
import org.keyline.gateway.store.SessionIdentity;
import org.keyline.gateway.store.Store;
import org.keyline.gateway.store.StoreSession;
import org.keyline.planner.Catalog;

/**
 * A store seen from the loop of an embedded channel, which no other thread may call: its sessions run on a loop of their
 * own, and their replies wait until the channel's thread comes for them by {@link #deliver}.
 */
final class HandedOver implements Store {
    private final Store store;
    private final EventLoop channelLoop;
    private final EventLoop ownLoop = new DefaultEventLoop(new DefaultThreadFactory("handed-over", true));
    private final Queue<Runnable> replies = new ConcurrentLinkedQueue<>();

    HandedOver(Store store, EventLoop channelLoop) {
        this.store = store;
        this.channelLoop = channelLoop;
    }

    /** Hands over what the store has answered so far. */
    void deliver() {
        for (Runnable reply = replies.poll(); reply != null; reply = replies.poll()) {
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
        if (loop != channelLoop) {
            return store.open(identity, loop, onClosed);
        }
        StoreSession opened = CompletableFuture.supplyAsync(
                        () -> store.open(identity, ownLoop, () -> replies.add(onClosed)), ownLoop)
                .thenCompose(opening -> opening)
                .join();
        return CompletableFuture.completedFuture(new Session(opened));
    }

    @Override
    public void close() {
        store.close();
        ownLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private final class Session implements StoreSession {
        private final StoreSession session;

        Session(StoreSession session) {
            this.session = session;
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
                    replies.add(() -> listener.packets(framed));
                }

                @Override
                public void end() {
                    replies.add(listener::end);
                }

                @Override
                public void lost(Throwable cause) {
                    replies.add(() -> listener.lost(cause));
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
