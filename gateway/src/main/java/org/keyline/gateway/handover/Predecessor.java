package org.keyline.gateway.handover;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.DomainSocketReadMode;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import io.netty.util.ReferenceCountUtil;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The process that serves until this one does, and its listening socket. Thread-safe. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close shows as channelInactive
public final class Predecessor implements AutoCloseable {
    private final Path path;
    private final EventLoopGroup loop;
    private final EpollDomainSocketChannel channel;
    private final Socket socket;
    private final Answers answers;

    private Predecessor(
            Path path, EventLoopGroup loop, EpollDomainSocketChannel channel, Socket socket, Answers answers) {
        this.path = path;
        this.loop = loop;
        this.channel = channel;
        this.socket = socket;
        this.answers = answers;
    }

    /**
     * Asks at a unix socket; null if no process is there, or one that hands nothing over, since it ends or another process asked before.
     *
     * @throws IOException if what is there is not to be trusted, or silent
     */
    public static @Nullable Predecessor find(Path path) throws IOException {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)
                && !Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                        .isOther()) {
            throw new IOException(path + " is a file (expected: a unix socket, or nothing)");
        }
        EventLoopGroup loop = Handover.loop();
        Predecessor found = null;
        try {
            Answers answers = new Answers();
            ChannelFuture connected = new Bootstrap()
                    .group(loop)
                    .channel(EpollDomainSocketChannel.class)
                    .option(EpollChannelOption.DOMAIN_SOCKET_READ_MODE, DomainSocketReadMode.FILE_DESCRIPTORS)
                    .handler(answers)
                    .connect(new DomainSocketAddress(path.toFile()))
                    .awaitUninterruptibly();
            if (!connected.isSuccess()) {
                if (connected.cause() instanceof ConnectException
                        || connected.cause() instanceof FileNotFoundException) {
                    return null;
                }
                throw new IOException(path + ": " + connected.cause().getMessage(), connected.cause());
            }
            EpollDomainSocketChannel channel = (EpollDomainSocketChannel) connected.channel();
            Socket socket = await(path, answers.socket);
            if (socket != null) {
                found = new Predecessor(path, loop, channel, socket, answers);
            }
            return found;
        } finally {
            if (found == null) {
                Handover.stop(loop);
            }
        }
    }

    /** Where its clients connect. */
    public InetSocketAddress address() {
        return socket.localAddress();
    }

    /** The file descriptor of the socket; whoever takes it closes it. */
    public int descriptor() {
        return socket.intValue();
    }

    /** Lets the socket be. */
    public void leaveSocket() throws IOException {
        socket.close();
    }

    /**
     * Has it accept no more, and answer nothing from memory; until {@link #serving} it can still go on. Waits for that, or for its end, after
     * which it does neither.
     */
    public void take() throws IOException {
        say(Handover.TAKE);
        Boolean unused = await(path, answers.yours);
    }

    /** Tells it that clients are served here, so that it ends. */
    public void serving() {
        say(Handover.SERVING);
    }

    /** Completes when it has ended, so that nobody writes through it any more. */
    public CompletionStage<Void> ended() {
        return answers.ended;
    }

    private void say(byte word) {
        channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {word}));
    }

    private static <T> @Nullable T await(Path path, CompletableFuture<@Nullable T> answer) throws IOException {
        try {
            return answer.get(Handover.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IOException(
                    "the process at " + path + " hands nothing over within " + Handover.PATIENCE.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            throw new IOException(
                    path + ": " + Objects.requireNonNullElse(e.getCause(), e).getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Says nothing more: one that has not heard that clients are served here goes on serving them. */
    @Override
    public void close() {
        answers.left = true;
        channel.close();
        Handover.stop(loop);
    }

    /** Confined to the loop; what others wait for is null where the other process has ended. */
    private static final class Answers extends ChannelInboundHandlerAdapter {
        private final CompletableFuture<@Nullable Socket> socket = new CompletableFuture<>();
        private final CompletableFuture<@Nullable Boolean> yours = new CompletableFuture<>();
        private final CompletableFuture<Void> ended = new CompletableFuture<>();

        /** Whether the end of the connection is this process's doing. */
        private volatile boolean left;

        @Override
        public void channelActive(ChannelHandlerContext context) {
            try {
                Handover.requireOwn(((EpollDomainSocketChannel) context.channel()).peerCredentials());
            } catch (IOException e) {
                exceptionCaught(context, e);
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (message instanceof FileDescriptor descriptor) {
                ((EpollDomainSocketChannel) context.channel()).config().setReadMode(DomainSocketReadMode.BYTES);
                socket.complete(new Socket(descriptor.intValue()));
                return;
            }
            try {
                if (message instanceof ByteBuf bytes && bytes.readByte() == Handover.YOURS) {
                    yours.complete(true);
                }
            } finally {
                ReferenceCountUtil.release(message);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            socket.complete(null);
            yours.complete(null);
            if (!left) {
                ended.complete(null);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            socket.completeExceptionally(cause);
            yours.completeExceptionally(cause);
            context.close();
        }
    }
}
