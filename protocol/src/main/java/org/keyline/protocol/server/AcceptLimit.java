package org.keyline.protocol.server;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.keyline.protocol.memory.MemoryBudget;

/**
 * Accepts no more connections than there is memory for in login; the others wait in the system's queue of the listening socket. Without it a
 * server that has just started would take in all who came meanwhile, faster than it can log them in, and have to send the eldest away
 * ({@link Newcomers}). In the pipeline of the listening channel, before whatever hands connections to their loops; {@link #arrived} is
 * thread-safe, the rest confined to the loop that accepts.
 */
final class AcceptLimit extends ChannelInboundHandlerAdapter {
    private static final int LOOK_AGAIN_MS = 5;

    private final Newcomers newcomers;
    private final MemoryBudget memory;
    private final boolean offersTls;
    /** On their way to their loops. */
    private final Set<Channel> coming = ConcurrentHashMap.newKeySet();

    private boolean accepting = true;
    private boolean waiting;
    /** Whether the look before found a client slow. */
    private boolean slowBefore;

    AcceptLimit(Newcomers newcomers, MemoryBudget memory, boolean offersTls) {
        this.newcomers = newcomers;
        this.memory = memory;
        this.offersTls = offersTls;
    }

    /** A connection is with its loop, which greets it before it ends what it is at. */
    void arrived(Channel connection) {
        coming.remove(connection);
    }

    /** Goes on accepting, as far as there is memory, or does not. */
    void accepting(Channel listening, boolean on) {
        accepting = on;
        if (listening.isOpen()) {
            listening.config().setAutoRead(on && !waiting);
        }
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
        if (!waiting && !hasRoom(newcomers.eldestIsSlow())) {
            waiting = true;
            slowBefore = false;
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
            // All loops stand still while the collector does: what came meanwhile is heard before the next look.
            boolean slow = newcomers.eldestIsSlow();
            room = hasRoom(slow && slowBefore);
            slowBefore = slow;
        } finally {
            // Whatever goes wrong, the server goes on accepting.
            waiting = !room;
            if (room) {
                context.channel().config().setAutoRead(accepting);
            } else {
                lookLater(context);
            }
        }
    }

    /**
     * Clients that leave the server waiting keep nobody out: the next ones crowd them out. But not while the loops have
     * yet to greet many, since then it is the server that leaves them waiting.
     *
     * @param slow whether a client leaves the server waiting
     */
    private boolean hasRoom(boolean slow) {
        long places = Math.max(1, memory.perLogins() / ConnectionMemory.ofLogin(offersTls));
        int onTheirWay = coming.size();
        return onTheirWay + newcomers.size() < places || (slow && onTheirWay <= places / 2);
    }
}
