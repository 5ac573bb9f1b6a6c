package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.codec.PacketFramer;
import org.keyline.protocol.codec.Packets;

/**
 * One client's connection: greets it, logs it in, then dispatches its commands one after the other to its
 * {@link CommandHandler}. Confined to the event loop.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_lifecycle.html">Connection lifecycle</a>
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close shows as channelInactive
public final class ServerConnection extends ChannelInboundHandlerAdapter {
    /*
     * Input is read packet by packet from the socket's own buffers (ConnectionInput, PacketFramer). While a reply is
     * pending, or the client does not take what it is sent, nothing is dispatched and input waits within a bound.
     * Output of one read batch leaves in one buffer by one flush (ConnectionOutput).
     *
     * The loop in process() is the only place that dispatches. A reply that ends within command() lets the loop go on;
     * one that ends later starts the loop again. So commands never nest, however many arrive together.
     */

    /** User event: end as soon as the command in hand is answered. */
    static final Object DRAIN = new Object();

    /** Longest packet before login: names, attributes and an RSA block, not statements. */
    static final int MAX_LOGIN_BYTES = 128 * 1024;

    private enum State {
        /** The next packet belongs to the handshake, or to the exchange of COM_CHANGE_USER. */
        HANDSHAKE,
        /** Something else comes first: a slow digest, the session's opening. */
        SUSPENDED,
        /** The next packet is a command. */
        COMMAND,
        /** The last packet was written; what comes in is dropped. */
        CLOSING,
        /** The channel is closed. */
        CLOSED
    }

    private final ServerContext context;
    private final int connectionId;
    private State state = State.SUSPENDED;
    private @Nullable CommandHandler handler;
    private boolean tlsStarting;
    private boolean processing;
    private boolean reading;
    private boolean draining;
    private boolean streamBroken;

    // Made when the handler is added: they need the channel.
    private ChannelHandlerContext ctx;
    private ConnectionInput input;
    private ConnectionOutput output;
    private PacketFramer framer;
    private CommandReply reply;
    private ServerHandshake handshake;
    private ConnectionTimers timers;

    /** A connection that tells this id in its greeting. */
    @SuppressWarnings("NullAway.Init")
    public ServerConnection(ServerContext context, int connectionId) {
        this.context = context;
        this.connectionId = connectionId;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        ctx = context;
        Channel channel = context.channel();
        input = new ConnectionInput(channel.config());
        output = new ConnectionOutput(context);
        framer = new PacketFramer(context.alloc(), MAX_LOGIN_BYTES);
        reply = new CommandReply(this, context, output, connectionId);
        handshake = new ServerHandshake(this.context, connectionId, address(channel), new Steps());
        timers = new ConnectionTimers(context);
        if (channel.isActive()) {
            greet();
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        if (state == State.SUSPENDED) {
            greet();
        }
    }

    private void greet() {
        state = State.HANDSHAKE;
        context.listener().accepted(connectionId);
        timers.startLogin(
                context.options().handshakeTimeout(),
                () -> deny(ErrPacket.of(ErrorCode.ER_NET_READ_INTERRUPTED), "login took too long"));
        output.begin(0);
        int begin = output.beginPacket();
        handshake.greet(output.buffer());
        output.endPacket(begin);
        output.flush();
        framer.expectSequenceId(1);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        if (isEnding()) {
            bytes.release();
            return;
        }
        reading = true;
        timers.heard();
        input.add(bytes);
        process();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        reading = false;
        output.flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable() && !isEnding()) {
            reply.becameWritable();
            process();
            flushUnlessReading();
        }
    }

    /** Dispatches packets for as long as there are any and nothing stands in the way. */
    private void process() {
        if (processing) {
            return;
        }
        processing = true;
        try {
            ByteBuf bytes = input.current();
            while (bytes != null && isReady()) {
                ByteBuf payload = next(bytes);
                if (payload != null) {
                    try {
                        packet(payload);
                    } finally {
                        framer.finish();
                    }
                    output.spill();
                    if (tlsStarting) {
                        startTls();
                    }
                } else if (!isEnding()) {
                    input.advance();
                }
                bytes = input.current();
            }
        } catch (ProtocolException e) {
            context.listener().failed(connectionId, e);
            fail(ErrPacket.of(e.code(), String.valueOf(e.getMessage())));
        } catch (RuntimeException e) {
            context.listener().failed(connectionId, e);
            fail(ErrPacket.of(ErrorCode.ER_UNKNOWN_ERROR));
        } finally {
            processing = false;
        }
        if (isEnding()) {
            input.release();
            framer.close();
        } else {
            input.regulate();
        }
    }

    /** The next payload; null where more bytes are needed, or the stream broke and the connection is ending. */
    private @Nullable ByteBuf next(ByteBuf bytes) {
        try {
            return framer.next(bytes);
        } catch (ProtocolException e) {
            context.listener().failed(connectionId, e);
            output.begin(Packets.next(framer.nextSequenceId()));
            streamBroken = true;
            fail(ErrPacket.of(e.code(), String.valueOf(e.getMessage())));
            return null;
        }
    }

    private boolean isReady() {
        boolean waits = state == State.HANDSHAKE || (state == State.COMMAND && !reply.pending());
        return waits && ctx.channel().isWritable();
    }

    private void packet(ByteBuf payload) {
        int replyId = framer.nextSequenceId();
        if (state == State.HANDSHAKE) {
            output.begin(replyId);
            handshake.packet(payload);
            return;
        }
        framer.expectSequenceId(0);
        int code = payload.isReadable() ? payload.getUnsignedByte(payload.readerIndex()) : CommandCode.COM_SLEEP;
        if (code == CommandCode.COM_QUIT) {
            closeAfterFlush();
        } else if (code == CommandCode.COM_CHANGE_USER) {
            state = State.HANDSHAKE;
            output.begin(replyId);
            handshake.changeUser(payload);
        } else {
            reply.begin(replyId);
            dispatch(payload);
        }
    }

    private void dispatch(ByteBuf payload) {
        CommandHandler session = handler;
        if (session == null || !payload.isReadable()) {
            reply.error(ErrPacket.of(ErrorCode.ER_UNKNOWN_COM_ERROR));
            reply.end();
        } else {
            session.command(payload, reply);
        }
    }

    /** The reply wrote something; outside a read batch nobody else would flush it. */
    void replyWritten() {
        if (!processing && !reading) {
            output.scheduleFlush();
        }
    }

    void replyEnded() {
        if (draining) {
            closeAfterFlush();
        } else if (!processing) {
            process();
            flushUnlessReading();
        }
    }

    private void flushUnlessReading() {
        if (!reading) {
            output.flush();
        }
    }

    private void startTls() {
        tlsStarting = false;
        var sslContext = context.options().sslContext();
        if (sslContext == null) {
            throw new IllegalStateException("TLS was not offered");
        }
        // What came in behind the request is TLS already: it goes back to the head, never to the framer.
        ctx.pipeline().addFirst(sslContext.newHandler(ctx.alloc()));
        for (ByteBuf rest = input.take(); rest != null; rest = input.take()) {
            ctx.pipeline().fireChannelRead(rest);
        }
    }

    /** What the handshake asks of its connection. */
    private final class Steps implements ServerHandshake.Steps {
        @Override
        public void send(byte[] payload) {
            int begin = output.beginPacket();
            output.buffer().writeBytes(payload);
            output.endPacket(begin);
            framer.expectSequenceId(output.nextId());
            state = State.HANDSHAKE;
        }

        @Override
        public void startTls() {
            tlsStarting = true;
        }

        @Override
        public void suspend() {
            state = State.SUSPENDED;
        }

        @Override
        public void authenticated(Login login) {
            reply.negotiated(login.capabilities());
            CommandHandler session = handler;
            if (session == null) {
                open(login);
            } else {
                commandPhase();
                reply.begin(output.nextId());
                session.changeUser(login, reply);
            }
        }

        @Override
        public void denied(String user, ErrPacket error, String reason) {
            context.listener().denied(connectionId, user, reason);
            fail(error);
        }

        @Override
        public Executor loop() {
            return ServerConnection.this::later;
        }
    }

    /** Runs a task on the loop, then goes on with what waits. */
    private void later(Runnable task) {
        ctx.executor().execute(() -> {
            if (isEnding()) {
                return;
            }
            try {
                task.run();
            } catch (RuntimeException e) {
                context.listener().failed(connectionId, e);
                fail(ErrPacket.of(ErrorCode.ER_UNKNOWN_ERROR));
            }
            process();
            flushUnlessReading();
        });
    }

    private void open(Login login) {
        state = State.SUSPENDED;
        context.sessions().open(login, reply).whenComplete((session, failure) -> {
            if (ctx.executor().inEventLoop() && processing) {
                opened(session, failure);
            } else {
                ctx.executor().execute(() -> {
                    opened(session, failure);
                    process();
                    flushUnlessReading();
                });
            }
        });
    }

    private void opened(@Nullable CommandHandler session, @Nullable Throwable failure) {
        if (isEnding()) {
            if (session != null) {
                session.closed();
            }
        } else if (session != null) {
            handler = session;
            commandPhase();
            int begin = output.beginPacket();
            OkPacket.of(ServerStatus.SERVER_STATUS_AUTOCOMMIT).encode(output.buffer());
            output.endPacket(begin);
            if (draining) {
                closeAfterFlush();
            }
        } else {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            if (cause instanceof LoginRefused refused) {
                deny(refused.error(), refused.error().message());
            } else {
                Throwable bug = cause == null ? new IllegalStateException("no session") : cause;
                context.listener().failed(connectionId, bug);
                fail(ErrPacket.of(ErrorCode.ER_UNKNOWN_ERROR));
            }
        }
    }

    private void commandPhase() {
        state = State.COMMAND;
        framer.maxPayloadBytes(context.options().maxAllowedPacketBytes());
        framer.expectSequenceId(0);
        timers.startIdle(context.options().idleTimeout(), reply::pending, () -> {
            output.begin(0);
            fail(ErrPacket.of(ErrorCode.ER_CLIENT_INTERACTION_TIMEOUT));
        });
    }

    private void deny(ErrPacket error, String reason) {
        context.listener().denied(connectionId, handshake.user(), reason);
        fail(error);
    }

    /** The last words: an ERR packet, then the end. */
    private void fail(ErrPacket error) {
        if (isEnding()) {
            return;
        }
        output.discardIncomplete();
        int begin = output.beginPacket();
        if (handshake.capabilities() == 0) {
            error.encodeBeforeHandshake(output.buffer());
        } else {
            error.encode(output.buffer());
        }
        output.endPacket(begin);
        closeAfterFlush();
    }

    /** Takes no more input; closes when the output has left, or soon in any case. */
    void closeAfterFlush() {
        if (isEnding()) {
            return;
        }
        state = State.CLOSING;
        reply.die();
        if (!processing) {
            input.release();
            framer.close();
        }
        output.flush();
        timers.startLinger(streamBroken);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == DRAIN) {
            draining = true;
            boolean busy = state == State.SUSPENDED || (state == State.COMMAND && reply.pending());
            if (!busy) {
                closeAfterFlush();
            }
        } else {
            context.fireUserEventTriggered(event);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        ended();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        ended();
    }

    private void ended() {
        if (state == State.CLOSED) {
            return;
        }
        state = State.CLOSED;
        reply.die();
        timers.stop();
        output.release();
        if (!processing) {
            input.release();
            framer.close();
        }
        CommandHandler session = handler;
        handler = null;
        if (session != null) {
            session.closed();
        }
        context.listener().closed(connectionId);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // A reset by the peer is an ordinary way to leave.
        if (!(cause instanceof IOException)) {
            this.context.listener().failed(connectionId, cause);
        }
        context.close();
    }

    private boolean isEnding() {
        return state == State.CLOSING || state == State.CLOSED;
    }

    private static InetAddress address(Channel channel) {
        return channel.remoteAddress() instanceof InetSocketAddress socket && socket.getAddress() != null
                ? socket.getAddress()
                : InetAddress.getLoopbackAddress();
    }
}
