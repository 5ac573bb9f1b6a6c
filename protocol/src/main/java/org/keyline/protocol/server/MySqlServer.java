package org.keyline.protocol.server;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.transport.ProxyProtocol;
import org.keyline.protocol.transport.Transport;
import org.keyline.protocol.transport.VanishedPeers;

/**
 * A listening socket and its event loops, on a {@link Transport} chosen by the options.
 * Thread-safe.
 *
 * <pre>{@code
 * try (MySqlServer server =
 *         MySqlServer.bind(address, options, authenticator, accounts, sessions, listener)) {
 *     ...
 * }
 * }</pre>
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close shows as channelInactive
public final class MySqlServer implements AutoCloseable {
    private static final int BACKLOG = 1024;
    private static final int PASSWORD_THREADS = 2;
    private static final int MAX_WAITING_PASSWORDS = 1_000;

    private final ServerContext context;
    private final ExecutorService passwordWork;
    private final EventLoopGroup acceptor;
    private final EventLoopGroup loops;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger lastConnectionId = new AtomicInteger();
    private final AcceptLimit acceptLimit;
    private final Channel listening;
    private volatile boolean stopping;

    private MySqlServer(
            InetSocketAddress address,
            ServerOptions options,
            Logins logins,
            SessionFactory sessions,
            ServerListener listener)
            throws IOException {
        passwordWork = new ThreadPoolExecutor(
                PASSWORD_THREADS,
                PASSWORD_THREADS,
                1,
                TimeUnit.MINUTES,
                new ArrayBlockingQueue<>(MAX_WAITING_PASSWORDS),
                new DefaultThreadFactory("keyline-password", true));
        context = new ServerContext(options, logins, sessions, listener, passwordWork);
        Transport transport = options.transport();
        acceptor =
                new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("keyline-accept"), transport.ioHandler());
        loops = new MultiThreadIoEventLoopGroup(
                options.eventLoops(), new DefaultThreadFactory("keyline-loop"), transport.ioHandler());
        acceptLimit = new AcceptLimit(context.newcomers(), options.memory(), options.sslContext() != null, loops);
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(acceptor, loops)
                .handler(acceptLimit)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accept(channel);
                    }
                });
        int passed = options.passedSocket();
        ChannelFuture bound = (passed >= 0
                        ? bootstrap
                                .channelFactory(() -> new EpollServerSocketChannel(passed))
                                .register()
                        : bootstrap
                                .channel(transport.listening())
                                .option(ChannelOption.SO_REUSEADDR, true)
                                .option(transport.reusePort(), options.reusePort())
                                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                                .bind(address))
                .awaitUninterruptibly();
        listening = bound.channel();
        if (!bound.isSuccess()) {
            stopThreads();
            throw new IOException("cannot listen on " + NetUtil.toSocketAddressString(address), bound.cause());
        }
    }

    /**
     * Listens for clients whose logins another server decides; port 0 selects a free port. The
     * greeting repeats that server's version, scramble, flags, collation and plugin.
     *
     * @param upstream returns the options of a client's connection to that server: address, TLS,
     *     timeout and limits. Called for each login. The client provides user, password, database
     *     and attributes. Of the flags in the options, only CLIENT_COMPRESS is used
     * @throws IOException if the address cannot be bound
     */
    public static MySqlServer bind(
            InetSocketAddress address,
            ServerOptions options,
            Supplier<ClientOptions> upstream,
            SessionFactory sessions,
            ServerListener listener)
            throws IOException {
        return new MySqlServer(address, options, new Logins.Relayed(upstream, new SecureRandom()), sessions, listener);
    }

    /**
     * Listens for clients whose logins this server decides; port 0 selects a free port.
     *
     * @throws IOException if the address cannot be bound
     */
    public static MySqlServer bind(
            InetSocketAddress address,
            ServerOptions options,
            ServerAuthenticator authenticator,
            Accounts accounts,
            SessionFactory sessions,
            ServerListener listener)
            throws IOException {
        return new MySqlServer(address, options, new Logins.Local(authenticator, accounts), sessions, listener);
    }

    private void accept(Channel channel) {
        acceptLimit.arrived(channel);
        channel.closeFuture().addListener(closed -> open.decrementAndGet());
        // The channel joins the group before serve() reads `stopping`. close() sets `stopping`
        // before it iterates over the group, so one of the two drains the connection.
        connections.add(channel);
        ServerOptions options = context.options();
        if (open.incrementAndGet() > options.maxConnections()) {
            reject(channel, ErrorCode.ER_CON_COUNT_ERROR);
        } else {
            VanishedPeers.watch(channel, options.peerTimeout());
            int id = nextConnectionId();
            Runnable serve = () -> serve(channel, id);
            if (options.proxies().contains(channel.remoteAddress())) {
                ProxyProtocol.await(channel, options.handshakeTimeout(), serve, cause -> {
                    context.listener().failed(id, cause);
                    String why = cause instanceof ProtocolException ? ": " + cause.getMessage() : "";
                    refuse(channel, ErrPacket.of(ErrorCode.ER_HANDSHAKE_ERROR, "Bad handshake" + why));
                });
            } else {
                serve.run();
            }
        }
    }

    private void serve(Channel channel, int id) {
        channel.pipeline().addLast(new ServerConnection(context, id));
        if (stopping) {
            channel.pipeline().fireUserEventTriggered(ServerConnection.DRAIN);
        }
    }

    private void reject(Channel channel, ErrorCode reason) {
        context.listener().rejected();
        refuse(channel, ErrPacket.of(reason));
    }

    private static void refuse(Channel channel, ErrPacket error) {
        ByteBuf out = channel.alloc().buffer(64);
        int begin = Packets.begin(out);
        error.encodeBeforeHandshake(out);
        Packets.end(out, begin, 0);
        channel.writeAndFlush(out).addListener(ChannelFutureListener.CLOSE);
    }

    /** Returns the next id. Ids start at 1 and skip 0 when they wrap. */
    private int nextConnectionId() {
        int id = lastConnectionId.incrementAndGet();
        return id == 0 ? lastConnectionId.incrementAndGet() : id;
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) listening.localAddress();
    }

    /**
     * Sets the limits of new connections, and the drain timeout of all connections. Open
     * connections retain their other limits.
     *
     * @see ServerOptions#withLimits
     * @see ServerOptions#withPeerTimeout
     */
    public void limits(int packetBytes, Duration login, Duration drain, Duration peer, int connections) {
        ServerOptions options = context.options();
        context.options(options.withLimits(packetBytes, login, options.idleTimeout(), drain, connections)
                .withPeerTimeout(peer));
    }

    public int connections() {
        return connections.size();
    }

    public EventLoopGroup loops() {
        return loops;
    }

    /**
     * Stops accepting, closes idle connections, and waits up to the drain timeout for running
     * commands and transactions. Blocks; must not be called on an event loop.
     *
     * @return whether all connections are closed
     */
    public boolean drain() {
        stopping = true;
        listening.close().awaitUninterruptibly();
        // A connection that was just accepted is possibly not registered with its loop yet. After
        // this task, it is in the group.
        for (EventExecutor loop : loops) {
            loop.submit(() -> {}).awaitUninterruptibly();
        }
        for (Channel connection : connections) {
            connection.pipeline().fireUserEventTriggered(ServerConnection.DRAIN);
        }
        return awaitEnd(context.options().drainTimeout());
    }

    public boolean awaitEnd(Duration most) {
        return connections.newCloseFuture().awaitUninterruptibly(most.toMillis());
    }

    /** {@linkplain #drain Drains}, then closes the server. Blocks; do not call on an event loop. */
    @Override
    public void close() {
        if (!stopping) {
            boolean unused = drain();
        }
        connections
                .close()
                .awaitUninterruptibly(context.options().drainTimeout().toMillis());
        stopThreads();
    }

    private void stopThreads() {
        passwordWork.shutdown();
        acceptor.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
    }
}
