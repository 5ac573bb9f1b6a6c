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
 * Accepts no more connections than there is memory for in login; the others wait in the system's queue of the listening socket. Without it a
 * server that has just started would take in all who came meanwhile, faster than it can log them in, and have to send the eldest away
 * ({@link Newcomers}). In the pipeline of the listening channel, before whatever hands connections to their loops; {@link #arrived} is
 * thread-safe, the rest confined to the loop that accepts.
 */
final class AcceptLimit extends ChannelInboundHandlerAdapter {
    private static final int LOOK_AGAIN_MS = 5;
    /** Long enough for a loop to read what has come before it runs the task. */
    private static final int ROUND_MS = 1;

    private final Newcomers newcomers;
    private final MemoryBudget memory;
    private final boolean offersTls;
    private final List<EventExecutor> loops = new ArrayList<>();
    private final AtomicBoolean asking = new AtomicBoolean();
    /** What clients had sent by then has been read: a loop that gets no processor leaves none of them silent. */
    private volatile long readNanos;
    /** On their way to their loops. */
    private final Set<Channel> coming = ConcurrentHashMap.newKeySet();

    private boolean waiting;

    /** @param loops those of all connections */
    AcceptLimit(Newcomers newcomers, MemoryBudget memory, boolean offersTls, Iterable<EventExecutor> loops) {
        this.newcomers = newcomers;
        this.memory = memory;
        this.offersTls = offersTls;
        loops.forEach(this.loops::add);
        readNanos = newcomers.now();
    }

    /** A connection is with its loop, which greets it before it ends what it is at. */
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
            // Its file descriptor may be another socket's by now, which must not be touched.
            return;
        }
        boolean room = true;
        try {
            room = hasRoom();
        } finally {
            // Whatever goes wrong, the server goes on accepting.
            waiting = !room;
            if (room) {
                context.channel().config().setAutoRead(true);
            } else {
                lookLater(context);
            }
        }
    }

    /**
     * Clients that leave the server waiting keep nobody out: the next ones crowd them out. But not while the loops have
     * yet to greet many, since then it is the server that leaves them waiting.
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

    /** Finds out up to when all loops have read, unless that is under way. */
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
