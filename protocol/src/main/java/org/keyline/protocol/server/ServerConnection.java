package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
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
 * One client's connection: sends the greeting, handles the login, then dispatches commands one
 * after the other to the {@link CommandHandler}. Confined to the event loop.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_lifecycle.html">Connection
 * lifecycle</a>
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close shows as channelInactive
public final class ServerConnection extends ChannelInboundHandlerAdapter {
    /*
     * The connection dispatches no command while a reply is pending, or while the client does not
     * read its output. Input is processed when the loop has read from all clients that sent
     * something (Round). One flush sends the output of a round after all connections have been
     * served (ConnectionOutput). The sockets are then written one after the other, and no client
     * wakes up in between. On a shared processor that saves 0.2 to 0.4 µs per hit.
     *
     * Only process() dispatches commands. It runs only in a read, a Round or a Turn of the
     * connection. A reply that ends outside process() schedules a Turn. So the handler has always
     * returned from a command before the next one is dispatched. LoopShare limits the commands of
     * one turn.
     *
     * Code outside the handler methods runs in run(), which closes the connection if the code
     * throws.
     */

    /** A user event that closes the connection soon, after the client has its replies. */
    static final Object DRAIN = new Object();

    /**
     * Maximum size of a login: 64 KiB of connection attributes, as in MySQL, plus names and an auth
     * response.
     */
    static final int MAX_LOGIN_BYTES = 68 * 1024;

    static final int PACKETS_PER_TURN = 128;

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

    /** @param number the id for the listener, and for the greeting if this server decides logins */
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
        timers.restartIdle();
        input.add(bytes);
        if (turn.isScheduled()) {
            input.regulate();
        } else if (awaitsRound) {
            // Several buffers before the round mean a stream, whose bytes must not accumulate.
            process();
        } else {
            awaitsRound = true;
            round.arrived(this);
        }
    }

    /**
     * Announces waiting commands to the session. Does not announce a single command if no other
     * connection has input, because that does not pay off.
     *
     * @param others whether other connections have input in this round
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
            countBuffers();
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
        countBuffers();
        if (context.channel().isWritable() && !isEnding()) {
            reply.becameWritable();
            readOn();
        }
    }

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

    /** Releases buffers without unread bytes. Returns the next buffer; null if no input waits. */
    private @Nullable ByteBuf unread() {
        input.dropRead();
        return input.current();
    }

    private void countBuffers() {
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

    /** Schedules a {@link Turn} for waiting input. Processing it here would nest calls. */
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

    private boolean awaitsClient() {
        return state == ConnectionState.HANDSHAKE
                || (state == ConnectionState.COMMAND && (!reply.pending() || following.areWanted()));
    }

    /** Returns the next payload; null if bytes are missing, or if the stream is invalid. */
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
            memory.packetReceived();
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

    /** Schedules a flush. During a read, does nothing, because the end of the read flushes. */
    void replyWritten() {
        if (!processing && !reading) {
            scheduleFlush();
        }
    }

    void replyEnded() {
        timers.restartIdle();
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

    void flush() {
        output.flush();
        countBuffers();
    }

    private void insert() {
        ChannelHandler handler = inserted;
        if (handler != null) {
            inserted = null;
            input.insert(ctx.pipeline(), handler);
        }
    }

    void awaitHandshake() {
        state = ConnectionState.HANDSHAKE;
        memory.awaitsClient();
    }

    private void awaitedIfSilent() {
        if (state == ConnectionState.HANDSHAKE) {
            memory.awaitsClient();
        }
    }

    void suspend() {
        state = ConnectionState.SUSPENDED;
    }

    void insertAfterPacket(ChannelHandler handler) {
        inserted = handler;
    }

    MemoryAccount memory() {
        return memory.account();
    }

    /**
     * Takes memory. Returns false, after sending the error to the client, if the budget is
     * exceeded.
     */
    boolean take(long bytes) {
        return admitted(memory.takeFixed(bytes));
    }

    /**
     * Takes the memory of a session. Returns false, after sending the error to the client, if the
     * budget is exceeded.
     */
    boolean takeSession(String user) {
        return admitted(memory.loggedIn(user));
    }

    /**
     * Assigns the memory to another user. Returns false, after sending the error to the client, if
     * the budget is exceeded.
     */
    boolean changeUser(String user) {
        return admitted(memory.account().login(user));
    }

    private boolean admitted(@Nullable Level full) {
        if (full == null) {
            return true;
        }
        ErrPacket error =
                full == Level.USER ? memory.account().refusal(full) : ErrPacket.of(ErrorCode.ER_CON_COUNT_ERROR);
        login.deny(error, "no memory for one more connection (limits.memory)");
        return false;
    }

    /** Denies this connection's login, to make room for another one. Thread-safe. */
    void evict() {
        memory.account().close();
        ctx.executor()
                .execute(() -> run(() -> {
                    if (!isEnding()) {
                        login.deny(
                                ErrPacket.of(ErrorCode.ER_CON_COUNT_ERROR),
                                "evicted, because too many other clients are logging in");
                    }
                }));
    }

    boolean isDispatching() {
        return ctx.executor().inEventLoop() && processing;
    }

    void resume(Runnable step) {
        if (isEnding()) {
            return;
        }
        timers.restartIdle();
        run(step);
        readOn();
    }

    /** Closes the connection if the step throws. */
    void run(Runnable step) {
        try {
            step.run();
        } catch (Throwable cause) {
            failed(cause);
        }
    }

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

    /**
     * Closes the connection after an exception. After a protocol breach, the client gets the
     * breach's error code. Any other exception is a bug.
     */
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

    void fail(ErrPacket error) {
        if (isEnding()) {
            return;
        }
        output.endWithError(error, login.isBeforeResponse());
        closeAfterFlush();
    }

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
        } else if (!inputEnded
                && (event == ChannelInputShutdownEvent.INSTANCE
                        || event == ChannelInputShutdownReadComplete.INSTANCE)) {
            // The client has possibly closed only its sending direction, so its commands are
            // answered before the connection closes.
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
        // An IOException, such as a reset by the peer, is an ordinary way to close.
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
