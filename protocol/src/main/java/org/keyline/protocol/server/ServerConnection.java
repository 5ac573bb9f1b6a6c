package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.codec.PacketFramer;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.memory.MemoryAccount;
import org.keyline.protocol.memory.MemoryBudget.Level;
import org.keyline.protocol.transport.OutOfMemory;

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
     * What was read is looked at when the loop has read from all who have sent (Round), unless more of it follows at once. Output of
     * one such round leaves in one buffer by one flush (ConnectionOutput), after all of them have been answered: sockets are
     * written to one after the other then, and no client wakes up in between. On a shared processor that saves 0.2 to 0.4 µs a hit.
     *
     * While a command is in hand, packets of the client are looked at only if its handler asked for them, or if the rest
     * of a long command has to be dropped (FollowingPackets).
     *
     * The loop in process() is the only place that dispatches, and only a read, a round or a turn of the connection's own
     * starts it: never the end of a reply, the end of a flush, or a step of the login. A reply that ends within command() lets the loop
     * go on; one that ends later asks for a turn. So a command is done with, to the last return, before the next one is
     * looked at, and what arrives together is answered in one turn, as far as the connection's and the event loop's share of
     * commands go (LoopShare).
     *
     * Whatever runs for a connection outside its handler methods runs in run(): what it throws ends the connection.
     */

    /** User event: end soon, once the client has had its answers. */
    static final Object DRAIN = new Object();

    /** Longest packet before login: 64 KiB of connection attributes, and names and an answer, all of which MySQL bounds too. */
    static final int MAX_LOGIN_BYTES = 68 * 1024;

    /** Then other connections of the loop have their turn, however many commands a client has sent at once. */
    static final int PACKETS_PER_TURN = 128;

    /** Commands of one connection that its session sees ahead of their dispatch. */
    private static final int MAX_PACKETS_AHEAD = 32;

    private final ServerContext context;
    private final int number;
    private ConnectionState state = ConnectionState.SUSPENDED;
    private @Nullable CommandHandler handler;
    private boolean begun;
    private @Nullable ChannelHandler inserted;
    private boolean processing;
    private boolean reading;
    private boolean awaitsRound;
    private boolean flushing;
    private boolean inputEnded;
    private boolean streamBroken;

    // Made when the handler is added: they need the channel.
    private ChannelHandlerContext ctx;
    private ConnectionInput input;
    private ConnectionOutput output;
    private PacketFramer framer;
    private FollowingPackets following;
    private CommandReply reply;
    private ServerLogin login;
    private ConnectionMemory memory;
    private ConnectionTimers timers;
    private Turn turn;
    private LoopShare share;
    private Round round;

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
        input = new ConnectionInput(channel, this.context.reads(context.executor()), this::run);
        output = new ConnectionOutput(context);
        memory = new ConnectionMemory(this, this.context.options().memory().open(), this.context.newcomers());
        framer = new PacketFramer(context.alloc(), MAX_LOGIN_BYTES);
        following = new FollowingPackets(framer, output);
        reply = new CommandReply(this, context, output, following, number);
        login = this.context.logins().begin(this.context, new ServerLogin.Wires(this, context, output, framer, reply));
        timers = new ConnectionTimers(context);
        share = this.context.share(context.executor());
        round = this.context.round(context.executor());
        turn = new Turn(share, this, () -> {
            process();
            flushUnlessReading();
        });
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
        timers.startLogin(context.options().handshakeTimeout(), () -> run(login::expired));
        if (memory.accepted() == null) {
            login.greet();
            awaitedIfSilent();
        } else {
            fail(ErrPacket.of(ErrorCode.ER_CON_COUNT_ERROR));
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        input.arrived(bytes.readableBytes());
        if (isEnding()) {
            bytes.release();
            return;
        }
        reading = true;
        timers.heard();
        input.add(bytes);
        if (turn.isScheduled()) {
            input.regulate();
        } else if (awaitsRound) {
            // More than one buffer at once: a stream, which need not pile up.
            process();
        } else {
            awaitsRound = true;
            round.arrived(this);
        }
    }

    /**
     * Lets the session see commands that wait, if it can make use of that.
     *
     * @param others whether other connections do so too; else one command alone is not worth it
     */
    void lookAhead(boolean others) {
        CommandHandler session = handler;
        ByteBuf bytes = input.current();
        if (session != null
                && bytes != null
                && state == ConnectionState.COMMAND
                && !reply.pending()
                && following.areComplete()
                && !framer.isMidPacket()) {
            int begin = bytes.readerIndex();
            int end = bytes.writerIndex();
            try {
                lookAhead(session, bytes, begin, end, others);
            } catch (Throwable e) {
                failed(e);
            } finally {
                bytes.setIndex(begin, end);
            }
        }
    }

    private static void lookAhead(CommandHandler session, ByteBuf bytes, int begin, int end, boolean others) {
        int at = begin;
        for (int packets = 0; packets < MAX_PACKETS_AHEAD && end - at > Packets.HEADER_BYTES; packets++) {
            int payload = at + Packets.HEADER_BYTES;
            int next = payload + Packets.payloadLength(bytes, at);
            if (next > end || next == payload || (next == end && packets == 0 && !others)) {
                return;
            }
            session.ahead(bytes.setIndex(payload, next));
            bytes.setIndex(begin, end);
            at = next;
        }
    }

    /** The look at what was read that was asked for. */
    void serveInRound() {
        try {
            serve();
        } catch (Throwable e) {
            failed(e);
        }
    }

    private void serve() {
        if (!awaitsRound) {
            return;
        }
        awaitsRound = false;
        process();
        if (!reading) {
            readDone();
        }
    }

    private void readDone() {
        if (output.isEmpty()) {
            settle();
        } else {
            scheduleFlush();
        }
    }

    private void scheduleFlush() {
        if (!flushing) {
            flushing = true;
            round.flush(this);
        }
    }

    /** The flush that was asked for. */
    void flushInRound() {
        flushing = false;
        try {
            flush();
        } catch (Throwable e) {
            failed(e);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        reading = false;
        if (!awaitsRound) {
            readDone();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        settle();
        if (context.channel().isWritable() && !isEnding()) {
            reply.becameWritable();
            readOn();
        }
    }

    /** Dispatches packets for as long as there are any and nothing stands in the way. */
    private void process() {
        if (processing) {
            return;
        }
        processing = true;
        try {
            ByteBuf bytes = unread();
            for (int packets = 0; bytes != null && isReady(); packets++) {
                if (packets > 0 && (packets == PACKETS_PER_TURN || !share.take())) {
                    turn.schedule();
                    break;
                }
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
                bytes = unread();
            }
        } catch (Throwable e) {
            failed(e);
        } finally {
            processing = false;
        }
        if (inputEnded && input.current() == null && awaitsClient()) {
            closeAfterFlush();
        }
        if (isEnding()) {
            input.release();
            framer.close();
        } else {
            input.regulate();
        }
    }

    /** The bytes that are next. A buffer that was looked at to its end is none: who has sent no more needs no turn. */
    private @Nullable ByteBuf unread() {
        input.dropRead();
        return input.current();
    }

    /** Counts what has been left in buffers; a client that may not make the gateway keep as much is gone. */
    private void settle() {
        if (isEnding()) {
            return;
        }
        Level full = memory.buffers(input.heldBytes() + framer.heldCapacity() + output.heldBytes());
        if (full != null) {
            boolean unfinished = framer.isMidPacket() && state == ConnectionState.COMMAND;
            streamBroken = true;
            failed(new ProtocolException(
                    unfinished ? ErrorCode.ER_NET_PACKET_TOO_LARGE : ErrorCode.ER_OUT_OF_SORTMEMORY,
                    unfinished ? ErrorCode.ER_NET_PACKET_TOO_LARGE.text() : ErrorCode.ER_OUT_OF_SORTMEMORY.text()));
        }
    }

    /** Something that stood in the way is gone: what waits is looked at in a turn of its own; if nothing does, that was all. */
    void readOn() {
        if (processing) {
            return;
        }
        if (input.current() != null || inputEnded) {
            turn.schedule();
        } else {
            flushUnlessReading();
        }
    }

    /** Whether nothing happens before the client sends something. */
    private boolean awaitsClient() {
        return state == ConnectionState.HANDSHAKE
                || (state == ConnectionState.COMMAND && (!reply.pending() || following.areWanted()));
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
            memory.heard();
            login.packet(payload);
            awaitedIfSilent();
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
            Level full = memory.beginCommand(code, payload.readableBytes());
            if (full == null) {
                dispatch(payload);
            } else {
                reply.error(memory.account().refusal(full));
                reply.end();
            }
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
            scheduleFlush();
        }
    }

    void replyEnded() {
        timers.heard();
        memory.endCommand();
        CommandHandler session = handler;
        if (session != null) {
            session.answered();
        }
        if (!following.end()) {
            failed(new ProtocolException(
                    ErrorCode.ER_NET_PACKETS_OUT_OF_ORDER, ErrorCode.ER_NET_PACKETS_OUT_OF_ORDER.text()));
        } else if (timers.isLate() && !inTransaction()) {
            closeAfterFlush();
        } else {
            readOn();
        }
    }

    private boolean inTransaction() {
        return handler != null && handler.inTransaction();
    }

    private void flushUnlessReading() {
        if (!reading) {
            flush();
        }
    }

    /** Lets everything leave that is written. */
    void flush() {
        output.flush();
        settle();
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
        memory.awaitsClient();
    }

    private void awaitedIfSilent() {
        if (state == ConnectionState.HANDSHAKE) {
            memory.awaitsClient();
        }
    }

    /** Nothing is dispatched until {@link #resume}. */
    void suspend() {
        state = ConnectionState.SUSPENDED;
    }

    /** Puts a handler under the connection once the packet in hand is done with. */
    void insertAfterPacket(ChannelHandler handler) {
        inserted = handler;
    }

    /** What is kept for this client. */
    MemoryAccount memory() {
        return memory.account();
    }

    /** Takes a fixed part of its memory; false where there is no room: then the client has been told. */
    boolean keeps(long bytes) {
        return isKept(memory.takeFixed(bytes));
    }

    /** Counts the connection as this user's, with a session; false where there is no room: then the client has been told. */
    boolean keepsSession(String user) {
        return isKept(memory.loggedIn(user));
    }

    /** Counts the connection as another user's; false where there is no room: then the client has been told. */
    boolean becomes(String user) {
        return isKept(memory.account().login(user));
    }

    private boolean isKept(@Nullable Level full) {
        if (full == null) {
            return true;
        }
        ErrPacket told =
                full == Level.USER ? memory.account().refusal(full) : ErrPacket.of(ErrorCode.ER_CON_COUNT_ERROR);
        login.deny(told, "no memory for one more connection");
        return false;
    }

    /** Ends a login in favour of another one. Thread-safe. */
    void evict() {
        memory.account().close();
        ctx.executor()
                .execute(() -> run(() -> {
                    if (!isEnding()) {
                        login.deny(ErrPacket.of(ErrorCode.ER_CON_COUNT_ERROR), "too many others log in");
                    }
                }));
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
        timers.heard();
        run(step);
        readOn();
    }

    /** Runs a step of this connection's, from whatever task or callback; whatever it throws ends the connection. */
    void run(Runnable step) {
        try {
            step.run();
        } catch (Throwable cause) {
            failed(cause);
        }
    }

    /** The client is logged in: the next packet is a command. */
    void awaitCommand(CommandHandler session) {
        handler = session;
        state = ConnectionState.COMMAND;
        timers.loggedIn();
        framer.maxPayloadBytes(context.options().maxAllowedPacketBytes());
        framer.expectSequenceId(0);
        following.streaming(context.options().streamLongCommands());
        timers.startIdle(
                context.options().idleTimeout(),
                reply::pending,
                () -> run(() -> {
                    output.begin(0);
                    fail(ErrPacket.of(ErrorCode.ER_CLIENT_INTERACTION_TIMEOUT));
                }));
        if (inputEnded) {
            session.inputEnded();
        }
    }

    /** A breach of the protocol tells the client its code, anything else is a bug. */
    private void failed(Throwable cause) {
        OutOfMemory.report(cause);
        context.listener().failed(number, cause);
        try {
            fail(
                    cause instanceof ProtocolException breach
                            ? ErrPacket.of(breach.code(), String.valueOf(breach.getMessage()))
                            : ErrPacket.of(ErrorCode.ER_UNKNOWN_ERROR));
        } catch (Throwable inTheEnd) {
            context.listener().failed(number, inTheEnd);
            ctx.close();
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
        memory.awaitsClient();
        if (!processing) {
            input.release();
            framer.close();
        }
        output.flush();
        timers.startLinger(streamBroken);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        serve();
        if (event == DRAIN) {
            timers.startLeaving(this.context.options().drainTimeout(), this::isBusy, () -> run(this::closeAfterFlush));
        } else if (event == ChannelInputShutdownEvent.INSTANCE) {
            // What the client has sent is answered before the connection ends: it may have closed one direction only.
            inputEnded = true;
            CommandHandler session = handler;
            if (session != null) {
                run(session::inputEnded);
            }
            readOn();
        } else {
            context.fireUserEventTriggered(event);
        }
    }

    private boolean isBusy() {
        return state == ConnectionState.SUSPENDED
                || (state == ConnectionState.COMMAND && reply.pending())
                || inTransaction();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        serve();
        state = ConnectionState.CLOSED;
        memory.close();
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
            run(session::closed);
        }
        this.context.listener().closed(number);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        serve();
        // A reset by the peer is an ordinary way to leave.
        if (cause instanceof IOException) {
            context.close();
        } else {
            failed(cause);
        }
    }

    boolean isEnding() {
        return state == ConnectionState.CLOSING || state == ConnectionState.CLOSED;
    }
}
