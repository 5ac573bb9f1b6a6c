package org.keyline.protocol.compression;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ProtocolException;

/**
 * The compressed protocol (CLIENT_COMPRESS, zlib) of a client or a server. It begins directly after
 * the OK of the login. It wraps the stream of packets into compressed packets, which have their own
 * sequence ids. Confined to one event loop.
 *
 * <p>While reading is paused, received bytes wait in compressed form, because a few bytes can
 * inflate to many.
 *
 * @see
 * <a
 * href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_compression.html">Compression</a>
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write shows as channelInactive
public final class CompressedProtocol extends ChannelDuplexHandler {
    /*
     * Both sides share one sequence of ids, which restarts at 0 with each command. A server
     * continues the ids of the client's packets. A client restarts the sequence by beginCommand().
     * If a client pipelines commands, the ids can therefore restart in the middle of a reply. This
     * is harmless, because no client that pipelines checks the ids.
     */
    static final int HEADER_BYTES = 7;

    private final Deflation deflation = new Deflation();
    private final Inflation inflation = new Inflation();
    private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>(4);
    private boolean inflating;
    private boolean broken;
    /** The event for the end of the peer's stream, withheld until all its bytes are passed on. */
    private @Nullable Object end;

    public void beginCommand() {
        deflation.nextId(0);
    }

    public int nextId() {
        return deflation.nextId();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        waiting.add((ByteBuf) message);
        inflate(ctx, false);
    }

    @Override
    public void read(ChannelHandlerContext ctx) {
        if (waiting.isEmpty()) {
            ctx.read();
        } else if (!inflating) {
            // Runs in a task, not within the call that requested the read.
            ctx.executor().execute(() -> guarded(ctx));
        }
    }

    /**
     * Inflates waiting input. Passes any exception to the next handler, because an exception thrown
     * in a task of the loop is lost.
     */
    private void guarded(ChannelHandlerContext ctx) {
        try {
            inflateOn(ctx);
        } catch (Throwable cause) {
            broken = true;
            drop();
            ctx.fireExceptionCaught(cause);
        }
    }

    private void inflateOn(ChannelHandlerContext ctx) {
        inflate(ctx, false);
        ctx.fireChannelReadComplete();
        fireEnd(ctx);
        if (waiting.isEmpty() && ctx.channel().config().isAutoRead()) {
            ctx.read();
        }
    }

    private void inflate(ChannelHandlerContext ctx, boolean all) {
        if (inflating) {
            return;
        }
        inflating = true;
        try {
            ByteBuf bytes = waiting.peek();
            while (bytes != null && !broken && (all || ctx.channel().config().isAutoRead())) {
                ByteBuf piece = next(ctx, bytes);
                if (piece != null) {
                    ctx.fireChannelRead(piece);
                } else {
                    waiting.remove().release();
                }
                bytes = waiting.peek();
            }
        } finally {
            inflating = false;
        }
        if (broken) {
            drop();
        }
    }

    private @Nullable ByteBuf next(ChannelHandlerContext ctx, ByteBuf bytes) {
        long before = inflation.packets();
        try {
            ByteBuf piece = inflation.next(bytes, ctx.alloc());
            if (inflation.packets() > before) {
                deflation.nextId(inflation.id() + 1);
            }
            return piece;
        } catch (ProtocolException e) {
            broken = true;
            ctx.fireExceptionCaught(e);
            return null;
        }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        ByteBuf bytes = (ByteBuf) message;
        try {
            if (bytes.isReadable()) {
                ctx.write(deflation.wrap(bytes, ctx.alloc()), promise);
            } else {
                ctx.write(bytes.retain(), promise);
            }
        } finally {
            bytes.release();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE || event == ChannelInputShutdownReadComplete.INSTANCE) {
            end = event;
            fireEnd(ctx);
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    private void fireEnd(ChannelHandlerContext ctx) {
        Object event = end;
        if (event != null && waiting.isEmpty()) {
            end = null;
            ctx.fireUserEventTriggered(event);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        inflate(ctx, true);
        ctx.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        drop();
        broken = true;
        deflation.close();
        inflation.close();
    }

    private void drop() {
        for (ByteBuf bytes = waiting.poll(); bytes != null; bytes = waiting.poll()) {
            bytes.release();
        }
    }
}
