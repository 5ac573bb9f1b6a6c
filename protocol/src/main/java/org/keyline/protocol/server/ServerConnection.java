package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.ProtocolException;
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
     * While a command is in hand, packets of the client are looked at only if its handler asked for them, or if the rest
     * of a long command has to be dropped (FollowingPackets).
     *
     * The loop in process() is the only place that dispatches. A reply that ends within command() lets the loop go on;
     * one that ends later starts the loop again. So commands never nest, however many arrive together.
     */

    /** User event: end as soon as the command in hand is answered. */
    static final Object DRAIN = new Object();

    /** Longest packet before login: names, attributes and an RSA block, not statements. */
    static final int MAX_LOGIN_BYTES = 128 * 1024;

    private final ServerContext context;
    private final int number;
    private ConnectionState state = ConnectionState.SUSPENDED;
    private @Nullable CommandHandler handler;
    private boolean begun;
    private @Nullable ChannelHandler inserted;
    private boolean processing;
    private boolean reading;
    private boolean draining;
    private boolean streamBroken;

    // Made when the handler is added: they need the channel.
    private ChannelHandlerContext ctx;
    private ConnectionInput input;
    private ConnectionOutput output;
    private PacketFramer framer;
    private FollowingPackets following;
    private CommandReply reply;
    private ServerLogin login;
    private ConnectionTimers timers;

    /** A connection of this number: told to the listener, and in the greeting unless that is another server's. */
    @SuppressWarnings("NullAway.Init")
    public ServerConnection(ServerContext context, int number) {
        this.context = context;
        this.number = number;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        ctx = context;
        Channel channel = context.channel();
        input = new ConnectionInput(channel.config());
        output = new ConnectionOutput(context);
        framer = new PacketFramer(context.alloc(), MAX_LOGIN_BYTES);
        following = new FollowingPackets(framer, output);
        reply = new CommandReply(this, context, output, following, number);
        login = this.context.logins().begin(this.context, new ServerLogin.Wires(this, context, output, framer, reply));
        timers = new ConnectionTimers(context);
        if (channel.isActive()) {
            greet();
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        if (!begun) {
            greet();
        }
    }

    private void greet() {
        begun = true;
        state = ConnectionState.HANDSHAKE;
        context.listener().accepted(number);
        timers.startLogin(context.options().handshakeTimeout(), login::expired);
        login.greet();
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
                    insert();
                } else if (!isEnding()) {
                    input.advance();
                }
                bytes = input.current();
            }
        } catch (RuntimeException e) {
            failed(e);
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

    /** Something that stood in the way is gone; what waits is looked at in a turn of its own. */
    void readOn() {
        if (input.current() != null && !processing) {
            ctx.executor().execute(() -> {
                process();
                flushUnlessReading();
            });
        }
    }

    /** The next payload; null where more bytes are needed, or the stream broke and the connection is ending. */
    private @Nullable ByteBuf next(ByteBuf bytes) {
        try {
            return framer.next(bytes);
        } catch (ProtocolException e) {
            output.begin(Packets.next(framer.nextSequenceId()));
            streamBroken = true;
            failed(e);
            return null;
        }
    }

    private boolean isReady() {
        if (state == ConnectionState.COMMAND && following.areWanted()) {
            following.expect();
            return true;
        }
        boolean waits = state == ConnectionState.HANDSHAKE || (state == ConnectionState.COMMAND && !reply.pending());
        return waits && ctx.channel().isWritable();
    }

    private void packet(ByteBuf payload) {
        if (state == ConnectionState.HANDSHAKE) {
            login.packet(payload);
            return;
        }
        if (!following.areComplete()) {
            following.packet(payload);
            return;
        }
        int replyId = framer.nextSequenceId();
        int code = payload.isReadable() ? payload.getUnsignedByte(payload.readerIndex()) : CommandCode.COM_SLEEP;
        if (code == CommandCode.COM_QUIT) {
            closeAfterFlush();
        } else if (code == CommandCode.COM_CHANGE_USER && !login.passesChangeUser()) {
            state = ConnectionState.HANDSHAKE;
            login.changeUser(payload, replyId);
        } else {
            reply.begin(replyId);
            following.begin(payload);
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
        timers.heard();
        if (!following.end()) {
            failed(new ProtocolException(
                    ErrorCode.ER_NET_PACKETS_OUT_OF_ORDER, ErrorCode.ER_NET_PACKETS_OUT_OF_ORDER.text()));
        } else if (draining) {
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

    private void insert() {
        ChannelHandler handler = inserted;
        if (handler != null) {
            inserted = null;
            input.insert(ctx.pipeline(), handler);
        }
    }

    /** The next packet is the handshake's. */
    void awaitHandshake() {
        state = ConnectionState.HANDSHAKE;
    }

    /** Nothing is dispatched until {@link #resume}. */
    void suspend() {
        state = ConnectionState.SUSPENDED;
    }

    /** Puts a handler under the connection once the packet in hand is done with. */
    void insertAfterPacket(ChannelHandler handler) {
        inserted = handler;
    }

    /** Whether this runs within the dispatch of a packet, on the loop. */
    boolean isDispatching() {
        return ctx.executor().inEventLoop() && processing;
    }

    /** Runs a step that the connection was waiting for, then goes on with what waits. */
    void resume(Runnable step) {
        if (isEnding()) {
            return;
        }
        try {
            step.run();
        } catch (RuntimeException e) {
            failed(e);
        }
        process();
        flushUnlessReading();
    }

    /** The client is logged in: the next packet is a command. */
    void awaitCommand(CommandHandler session) {
        handler = session;
        state = ConnectionState.COMMAND;
        framer.maxPayloadBytes(context.options().maxAllowedPacketBytes());
        framer.expectSequenceId(0);
        following.streaming(context.options().streamLongCommands());
        timers.startIdle(context.options().idleTimeout(), reply::pending, () -> {
            output.begin(0);
            fail(ErrPacket.of(ErrorCode.ER_CLIENT_INTERACTION_TIMEOUT));
        });
    }

    void endIfDraining() {
        if (draining) {
            closeAfterFlush();
        }
    }

    /** A breach of the protocol tells the client its code, anything else is a bug. */
    private void failed(RuntimeException cause) {
        context.listener().failed(number, cause);
        if (cause instanceof ProtocolException breach) {
            fail(ErrPacket.of(breach.code(), String.valueOf(breach.getMessage())));
        } else {
            fail(ErrPacket.of(ErrorCode.ER_UNKNOWN_ERROR));
        }
    }

    /** The last words: an ERR packet, then the end. */
    void fail(ErrPacket error) {
        if (isEnding()) {
            return;
        }
        output.lastWords(error, login.isBeforeResponse());
        closeAfterFlush();
    }

    /** Takes no more input; closes when the output has left, or soon in any case. */
    void closeAfterFlush() {
        if (isEnding()) {
            return;
        }
        state = ConnectionState.CLOSING;
        reply.die();
        login.abandon();
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
            boolean busy = state == ConnectionState.SUSPENDED || (state == ConnectionState.COMMAND && reply.pending());
            if (!busy) {
                closeAfterFlush();
            }
        } else {
            context.fireUserEventTriggered(event);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        state = ConnectionState.CLOSED;
        reply.die();
        login.abandon();
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
        this.context.listener().closed(number);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // A reset by the peer is an ordinary way to leave.
        if (!(cause instanceof IOException)) {
            this.context.listener().failed(number, cause);
        }
        context.close();
    }

    boolean isEnding() {
        return state == ConnectionState.CLOSING || state == ConnectionState.CLOSED;
    }
}
