package org.keyline.protocol.server;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.keyline.protocol.memory.MemoryBudget;

/**
 * Pauses accepting while the memory for logins is used up. Without this limit, a server under load
 * would accept clients faster than it can log them in, and evict the clients that have been silent
 * longest ({@link Newcomers}). {@link #arrived} is thread-safe; all other methods are confined to
 * the loop that accepts.
 */
final class AcceptLimit extends ChannelInboundHandlerAdapter {
    private static final int LOOK_AGAIN_MS = 5;
    /** Delay of the tasks of {@link #askLoops}. Each loop reads pending bytes before its task. */
    private static final int ROUND_MS = 1;

    private final Newcomers newcomers;
    private final MemoryBudget memory;
    private final boolean offersTls;
    private final List<EventExecutor> loops = new ArrayList<>();
    private final AtomicBoolean asking = new AtomicBoolean();
    /**
     * All bytes that arrived before this time have been read. A client's silence is measured up to
     * this time. Later bytes may be unread because a loop waited for a processor.
     */
    private volatile long readNanos;
    /** Accepted connections that their loops have not registered yet. */
    private final Set<Channel> coming = ConcurrentHashMap.newKeySet();

    private boolean waiting;

    AcceptLimit(Newcomers newcomers, MemoryBudget memory, boolean offersTls, Iterable<EventExecutor> loops) {
        this.newcomers = newcomers;
        this.memory = memory;
        this.offersTls = offersTls;
        loops.forEach(this.loops::add);
        readNanos = newcomers.now();
    }

    /** Called when the loop has registered the connection and is greeting it. */
    void arrived(Channel connection) {
        coming.remove(connection);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Channel connection = (Channel) message;
        coming.add(connection);
        connection.closeFuture().addListener(closed -> coming.remove(connection));
        context.fireChannelRead(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (!waiting && !hasRoom()) {
            waiting = true;
            context.channel().config().setAutoRead(false);
            lookLater(context);
        }
        context.fireChannelReadComplete();
    }

    private void lookLater(ChannelHandlerContext context) {
        var unused = context.executor().schedule(() -> look(context), LOOK_AGAIN_MS, TimeUnit.MILLISECONDS);
    }

    private void look(ChannelHandlerContext context) {
        if (!context.channel().isOpen()) {
            // The file descriptor can now belong to another socket, which this handler must not
            // affect.
            return;
        }
        boolean room = true;
        try {
            room = hasRoom();
        } finally {
            // The server must continue to accept after any failure.
            waiting = !room;
            if (room) {
                context.channel().config().setAutoRead(true);
            } else {
                lookLater(context);
            }
        }
    }

    /**
     * Returns whether to accept a connection. Clients that are silent for too long are no obstacle,
     * because new clients evict them. But if many connections still wait for their greeting, the
     * server is slow, and accepts no more.
     */
    private boolean hasRoom() {
        long places = Math.max(1, memory.perLogins() / ConnectionMemory.ofLogin(offersTls));
        int onTheirWay = coming.size();
        if (onTheirWay + newcomers.size() < places) {
            return true;
        }
        askLoops();
        return onTheirWay <= places / 2 && newcomers.eldestIsSlow(readNanos);
    }

    private void askLoops() {
        if (!asking.compareAndSet(false, true)) {
            return;
        }
        long began = newcomers.now();
        AtomicInteger left = new AtomicInteger(loops.size());
        for (EventExecutor loop : loops) {
            var unused = loop.schedule(
                    () -> {
                        if (left.decrementAndGet() == 0) {
                            readNanos = began;
                            asking.set(false);
                        }
                    },
                    ROUND_MS,
                    TimeUnit.MILLISECONDS);
        }
    }
}
