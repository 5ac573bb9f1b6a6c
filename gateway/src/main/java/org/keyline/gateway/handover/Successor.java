package org.keyline.gateway.handover;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The process that will serve after this one, which this one waits for at a unix socket. Thread-safe. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close shows as channelInactive
public final class Successor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Successor.class);

    private final Path path;
    private final Incumbent incumbent;
    private final EventLoopGroup loop = Handover.loop();
    private final CompletableFuture<Void> serving = new CompletableFuture<>();

    /** Who asked first, until it ends. Confined to the loop. */
    private @Nullable Channel next;

    /** What serves here. Its methods do not wait. */
    public interface Incumbent {
        /** The file descriptor of the socket where clients connect; negative: it ends by itself and has none. */
        int descriptor();

        /** Accepts no more and answers nothing from memory. Completes when that is so. */
        CompletionStage<Void> rest();

        /** Goes on after all. */
        void resume();
    }

    private Successor(Path path, Incumbent incumbent) {
        this.path = path;
        this.incumbent = incumbent;
    }

    /** Waits at a path, in the place of whoever waited there before. */
    public static Successor await(Path path, Incumbent incumbent) throws IOException {
        Successor successor = new Successor(path, incumbent);
        try {
            successor.listen();
        } catch (IOException | RuntimeException e) {
            successor.close();
            throw e;
        }
        return successor;
    }

    /** Under another name first: from the moment that the socket has its own, only this account reaches it. */
    private void listen() throws IOException {
        Path made = path.resolveSibling(path.getFileName() + ".new");
        Files.deleteIfExists(made);
        ChannelFuture bound = new ServerBootstrap()
                .group(loop)
                .channel(EpollServerDomainSocketChannel.class)
                .childHandler(new ChannelInitializer<EpollDomainSocketChannel>() {
                    @Override
                    protected void initChannel(EpollDomainSocketChannel channel) {
                        channel.pipeline().addLast(new Words());
                    }
                })
                .bind(new DomainSocketAddress(made.toFile()))
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException("cannot listen on " + made, bound.cause());
        }
        Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rw-------"));
        Files.move(made, path, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Completes when clients are served by the next process, so that this one is to end. */
    public CompletionStage<Void> serving() {
        return serving;
    }

    /** To be called when this process has nothing under way any more: the next one takes it for its end. The file stays, as it may be the next one's. */
    @Override
    public void close() {
        Handover.stop(loop);
    }

    private final class Words extends SimpleChannelInboundHandler<ByteBuf> {
        private boolean resting;

        @Override
        public void channelActive(ChannelHandlerContext context) {
            try {
                Handover.requireOwn(((EpollDomainSocketChannel) context.channel()).peerCredentials());
            } catch (IOException e) {
                LOG.warn("{}: nothing is handed over: {}", path, e.getMessage());
                context.close();
                return;
            }
            if (next != null || serving.isDone()) {
                context.close();
                return;
            }
            next = context.channel();
            int descriptor = incumbent.descriptor();
            if (descriptor >= 0) {
                LOG.info("{}: another process is about to take over", path);
                context.writeAndFlush(new FileDescriptor(descriptor));
            }
            // Else it waits for the end of this one, and opens a socket of its own.
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf words) {
            while (words.isReadable() && next == context.channel()) {
                byte word = words.readByte();
                if (word == Handover.TAKE && !resting) {
                    resting = true;
                    incumbent
                            .rest()
                            .thenRun(() -> context.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {Handover.YOURS})));
                } else if (word == Handover.SERVING && resting) {
                    serving.complete(null);
                } else {
                    LOG.warn("{}: the other process is of another version: {}", path, word);
                    context.close();
                }
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            if (next != context.channel()) {
                return;
            }
            next = null;
            if (serving.isDone()) {
                LOG.error("{}: the process that took over has ended before this one", path);
            } else {
                if (resting) {
                    incumbent.resume();
                }
                LOG.warn("{}: the other process has ended before it served; this one goes on", path);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            LOG.warn("{}: {}", path, cause.toString());
            context.close();
        }
    }
}
