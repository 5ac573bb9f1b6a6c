package org.keyline.protocol.compression;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ProtocolException;

/**
 * The compressed protocol (CLIENT_COMPRESS, zlib) of either side: it begins right behind the OK of the login, and wraps
 * the stream of packets into packets of its own, with ids of their own. Confined to one event loop.
 *
 * <p>Bytes are not inflated while the channel does not read: what a few of them may become waits as it came.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_compression.html">Compression</a>
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write shows as channelInactive
public final class CompressedProtocol extends ChannelDuplexHandler {
    /*
     * Ids count on from packet to packet and from side to side, and begin at 0 with each command. The server's side takes
     * them from the client's packets; the client's side begins anew when it is told. What a client pipelines may thus be
     * answered under ids that begin anew in the middle of a reply: no client that pipelines looks at them.
     */
    static final int HEADER_BYTES = 7;

    private final Deflation deflation = new Deflation();
    private final Inflation inflation = new Inflation();
    private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>(4);
    private boolean inflating;
    private boolean broken;
    /** That the peer sends no more, which is told when all it sent has been handed on. */
    private @Nullable Object end;

    /** A client's side: what is written next begins a command. */
    public void beginCommand() {
        deflation.nextId(0);
    }

    /** The id of the compressed packet that is written next. */
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
            // Not from within the call that asks for more.
            ctx.executor().execute(() -> guarded(ctx));
        }
    }

    /** What a task throws nobody hears, but what a handler throws ends the connection. */
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
        tellEnd(ctx);
        if (waiting.isEmpty() && ctx.channel().config().isAutoRead()) {
            ctx.read();
        }
    }

    /** Hands pieces on for as long as the channel reads, or all of them. */
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
        if (event == ChannelInputShutdownEvent.INSTANCE) {
            end = event;
            tellEnd(ctx);
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    private void tellEnd(ChannelHandlerContext ctx) {
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
