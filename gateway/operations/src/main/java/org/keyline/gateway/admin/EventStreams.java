package org.keyline.gateway.admin;

import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.Future;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.transport.OutOfMemory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The event streams of open pages: each browser receives the figures at once and then every second,
 * as server-sent events. While no page is open, nothing is computed. Confined to one event loop.
 *
 * @see <a href="https://html.spec.whatwg.org/multipage/server-sent-events.html">Server-sent
 * events</a>
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close shows as channelInactive
final class EventStreams {
    private static final Logger LOG = LoggerFactory.getLogger(EventStreams.class);

    private static final int MAX_STREAMS = 16;
    private static final int PERIOD_SECONDS = 1;

    private final Executor worker;
    private final Supplier<String> figures;
    private final Set<Channel> watching = new LinkedHashSet<>();
    private @Nullable Future<?> ticking;
    /** Whether the worker has a task that computes figures. */
    private boolean asked;

    /**
     * @param worker runs {@code figures}, never on the loop
     * @param figures returns the figures, on one line
     */
    EventStreams(Executor worker, Supplier<String> figures) {
        this.worker = worker;
        this.figures = figures;
    }

    boolean hasPlace() {
        return watching.size() < MAX_STREAMS;
    }

    /** Begins a response that ends when its reader disconnects. */
    void begin(ChannelHandlerContext context) {
        Channel channel = context.channel();
        // The reader sends nothing more, so the read timeout must not close its connection.
        if (channel.pipeline().get(ReadTimeoutHandler.class) != null) {
            channel.pipeline().remove(ReadTimeoutHandler.class);
        }
        HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        head.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/event-stream").set(HttpHeaderNames.CONNECTION, "close");
        Page.guard(head.headers());
        context.writeAndFlush(head);
        watching.add(channel);
        channel.closeFuture().addListener(closed -> left(channel));
        EventLoop loop = channel.eventLoop();
        if (ticking == null) {
            ticking = loop.scheduleAtFixedRate(() -> tick(loop), PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
        }
        tick(loop);
    }

    private void left(Channel channel) {
        watching.remove(channel);
        if (watching.isEmpty() && ticking != null) {
            ticking.cancel(false);
            ticking = null;
        }
    }

    private void tick(EventLoop loop) {
        if (asked) {
            return;
        }
        asked = true;
        try {
            worker.execute(() -> {
                String now = now();
                loop.execute(() -> report(now));
            });
        } catch (RejectedExecutionException busy) {
            // The worker rejected the task; the timer tries again in a second.
            asked = false;
        }
    }

    private @Nullable String now() {
        try {
            return figures.get();
        } catch (Throwable e) {
            OutOfMemory.report(e);
            LOG.warn(
                    "The figures of the live page could not be computed. The page continues to show the previous ones.",
                    e);
            return null;
        }
    }

    /** Sends the figures to each reader whose connection is writable. */
    private void report(@Nullable String now) {
        asked = false;
        for (Channel channel : watching) {
            if (now != null && channel.isWritable()) {
                channel.writeAndFlush(
                        new DefaultHttpContent(ByteBufUtil.writeUtf8(channel.alloc(), "data: " + now + "\n\n")));
            }
        }
    }
}
