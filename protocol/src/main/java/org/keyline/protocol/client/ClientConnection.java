package org.keyline.protocol.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.HandshakeV10;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.compression.CompressedProtocol;
import org.keyline.protocol.transport.OutOfMemory;
import org.keyline.protocol.transport.PausedInput;

/**
 * A client's connection to a MySQL server. Confined to one event loop. Only {@link #connect} and
 * {@link #abort} may be called from any thread; all callbacks run on {@link #loop}.
 *
 * <p>Commands can be pipelined; the server answers in order. If the server can reorder commands,
 * each command is sent after the end of the previous reply. Each listener is notified exactly once
 * of the end of its command: by the reply's last packet, or by the failure of the connection. A
 * failure notifies all waiting listeners in order.
 */
public final class ClientConnection {
    private static final ResultListener IGNORE = new ResultListener() {
        @Override
        public void end(ReplySummary summary) {}

        @Override
        public void failed(Throwable cause) {}
    };

    private final Channel channel;
    private final ClientOptions options;
    private final HandshakeV10 greeting;
    private final int capabilities;
    private final int extendedCapabilities;
    private final int initialStatus;
    private final ClientOutput output;
    private final ReplyQueue replies;
    private final PacketAligner aligner = new PacketAligner();
    private final CompletableFuture<Throwable> closed = new CompletableFuture<>();

    ClientConnection(
            Channel channel,
            @Nullable CompressedProtocol compression,
            ClientOptions options,
            HandshakeV10 greeting,
            int capabilities,
            int extendedCapabilities,
            int initialStatus) {
        this.channel = channel;
        this.options = options;
        this.greeting = greeting;
        this.capabilities = capabilities;
        this.extendedCapabilities = extendedCapabilities;
        this.initialStatus = initialStatus;
        this.output = new ClientOutput(channel, compression);
        this.replies = new ReplyQueue(
                options, capabilities, extendedCapabilities, () -> answer(Unpooled.EMPTY_BUFFER), output::sendDeferred);
    }

    /**
     * Connects and logs in.
     *
     * @return a stage that completes on the loop. It fails with a {@link ServerErrorException} if
     *     the server refuses the login, and with another {@link java.io.IOException} for other
     *     failures
     */
    public static CompletionStage<ClientConnection> connect(ClientOptions options, EventLoop loop) {
        CompletableFuture<ClientConnection> connected = new CompletableFuture<>();
        new ClientHandshake(options, connected).connect(loop);
        return connected;
    }

    public EventLoop loop() {
        return channel.eventLoop();
    }

    public SocketAddress address() {
        return options.address();
    }

    public ByteBufAllocator alloc() {
        return channel.alloc();
    }

    /** Returns the negotiated flags, a bit set of {@link org.keyline.protocol.Capabilities}. */
    public int capabilities() {
        return capabilities;
    }

    /** Returns MariaDB's flags, a bit set of {@link org.keyline.protocol.ExtendedCapabilities}. */
    public int extendedCapabilities() {
        return extendedCapabilities;
    }

    public boolean isEncrypted() {
        return channel.pipeline().get(SslHandler.class) != null;
    }

    public String serverVersion() {
        return greeting.serverVersion();
    }

    /** Returns the server's address; null if the transport does not know it. */
    public @Nullable SocketAddress remoteAddress() {
        return channel.remoteAddress();
    }

    /** Returns this end's address; null if the transport does not know it. */
    public @Nullable SocketAddress localAddress() {
        return channel.localAddress();
    }

    /** Returns this connection's id at the server, which KILL accepts; unsigned. */
    public int connectionId() {
        return greeting.connectionId();
    }

    public int initialStatus() {
        return initialStatus;
    }

    /** Returns the scanner of the current reply, always the same object. Do not modify it. */
    public ReplyScanner reply() {
        return replies.scanner();
    }

    public int inFlight() {
        return replies.size();
    }

    public boolean isOpen() {
        return replies.failure() == null;
    }

    /**
     * Returns whether the output buffer has room. A sender of large commands should wait while this
     * method returns false.
     */
    public boolean isWritable() {
        return output.isWritable();
    }

    /**
     * Runs {@code task} once, on the loop, when {@link #isWritable} becomes true. Runs {@code task}
     * at once if the buffer has room already or the connection is closed.
     */
    public void onWritable(Runnable task) {
        if (replies.failure() != null) {
            task.run();
        } else {
            output.onWritable(task);
        }
    }

    /** Returns a stage that completes with the cause of the close after all listeners have it. */
    public CompletionStage<Throwable> closed() {
        return closed.minimalCompletionStage();
    }

    /** Stops reading. Listeners can still receive some 100 KiB that were already read. */
    public void pause() {
        channel.config().setAutoRead(false);
    }

    public void resume() {
        PausedInput.resume(channel);
    }

    /**
     * Sends a command, in several packets from 16 MiB on. Borrows {@code payload}, which starts
     * with the command byte.
     */
    public void send(ByteBuf payload, PacketListener listener) {
        send(payload, listener, null);
    }

    /** Buffers a command. The caller must at once send the next one, which flushes both. */
    public void sendAhead(ByteBuf payload, PacketListener listener) {
        boolean held = output.hold();
        send(payload, listener, null);
        if (!held) {
            output.release();
        }
    }

    /** Sends a command and decodes its reply. */
    public void send(ByteBuf payload, ResultListener listener) {
        send(payload, null, listener);
    }

    private void send(ByteBuf payload, @Nullable PacketListener raw, @Nullable ResultListener decoded) {
        int command = payload.getUnsignedByte(payload.readerIndex());
        if (mayAdd(command, raw, decoded)) {
            boolean deferred = beginCommand();
            replies.add(new InFlight(command, output.write(payload, 0), raw, decoded, deferred));
        }
    }

    /** Returns whether the command is deferred. */
    private boolean beginCommand() {
        boolean deferred = options.traits().reordersCommands() && replies.size() > 0;
        output.beginCommand(deferred);
        return deferred;
    }

    private boolean mayAdd(int command, @Nullable PacketListener raw, @Nullable ResultListener decoded) {
        Throwable refused = replies.failure();
        if (refused == null && replies.size() >= options.maxInFlight()) {
            refused = new IllegalStateException("commands in flight: " + replies.size());
        }
        if (refused == null && replies.isMidCommand()) {
            refused = new IllegalStateException("the previous command is not sent completely");
        }
        if (refused != null) {
            new InFlight(command, 0, raw, decoded, false).failed(refused);
        }
        return refused == null;
    }

    /**
     * Sends the first packet of a command that {@link #continueCommand} continues. The caller must
     * send all packets of the command before another command, even if the server replies earlier
     * with an error.
     *
     * @param first exactly 0xFFFFFF bytes, of which the first is the command byte; borrowed
     */
    public void begin(ByteBuf first, PacketListener listener) {
        if (first.readableBytes() != Packets.MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException("first: " + first.readableBytes() + " bytes (expected: 16777215)");
        }
        int command = first.getUnsignedByte(first.readerIndex());
        if (mayAdd(command, listener, null)) {
            boolean deferred = beginCommand();
            int next = output.writePacket(first, 0);
            replies.add(new InFlight(command, InFlight.UNKNOWN, listener, null, deferred));
            replies.begun(next);
        }
    }

    /**
     * Sends the next packet of the command that {@link #begin} began.
     *
     * @param next borrowed, at most 0xFFFFFF bytes; a shorter packet, possibly empty, is the
     *     command's last
     */
    public void continueCommand(ByteBuf next) {
        if (replies.failure() != null) {
            return;
        }
        if (!replies.isMidCommand()) {
            throw new IllegalStateException("no command to continue");
        }
        int id = output.writePacket(next, replies.commandSequenceId());
        replies.continued(id, next.readableBytes() < Packets.MAX_PAYLOAD_BYTES);
    }

    public void query(String sql, ResultListener listener) {
        sendText(CommandCode.COM_QUERY, sql, listener);
    }

    /** Prepares a statement. {@link ResultListener#prepared} receives it. */
    public void prepare(String sql, ResultListener listener) {
        sendText(CommandCode.COM_STMT_PREPARE, sql, listener);
    }

    public void execute(int statementId, StatementArguments arguments, ResultListener listener) {
        ByteBuf payload = channel.alloc().buffer();
        try {
            arguments.encode(payload, statementId, capabilities);
            send(payload, listener);
        } finally {
            payload.release();
        }
    }

    /** Requests more rows of a statement that was executed with a cursor. */
    public void fetch(int statementId, int maxRows, ResultListener listener) {
        ByteBuf payload = channel.alloc().buffer(9);
        try {
            payload.writeByte(CommandCode.COM_STMT_FETCH)
                    .writeIntLE(statementId)
                    .writeIntLE(maxRows);
            send(payload, listener);
        } finally {
            payload.release();
        }
    }

    /** Closes a statement by COM_STMT_CLOSE, which has no reply. */
    public void closeStatement(int statementId) {
        ByteBuf payload = channel.alloc().buffer(5);
        try {
            payload.writeByte(CommandCode.COM_STMT_CLOSE).writeIntLE(statementId);
            send(payload, IGNORE);
        } finally {
            payload.release();
        }
    }

    /** Sends a command of a code and a text, such as COM_INIT_DB. COM_PING has an empty text. */
    public void sendText(int command, String text, ResultListener listener) {
        ByteBuf payload = channel.alloc().buffer(3 + ByteBufUtil.utf8MaxBytes(text));
        try {
            payload.writeByte(command);
            if (command == CommandCode.COM_QUERY
                    && Capabilities.has(capabilities, Capabilities.CLIENT_QUERY_ATTRIBUTES)) {
                // The number of query attributes, and the number of parameter sets.
                payload.writeByte(0).writeByte(1);
            }
            payload.writeCharSequence(text, StandardCharsets.UTF_8);
            send(payload, listener);
        } finally {
            payload.release();
        }
    }

    /**
     * Sends a packet that the server awaits within its reply: a part of a file, the empty packet
     * after a file, or an auth response.
     *
     * @param payload borrowed, at most 0xFFFFFF bytes; the next call continues a payload of exactly
     *     this length
     */
    public void answer(ByteBuf payload) {
        if (replies.failure() != null) {
            return;
        }
        int next = output.writeAnswer(payload, replies.answerSequenceId());
        replies.answered(next, payload.readableBytes());
    }

    /** Closes the socket as if the server had closed it. Thread-safe. */
    public void abort() {
        var unused = channel.close();
    }

    /** Fails waiting commands and closes the connection. If no command waits, sends COM_QUIT. */
    public void close() {
        if (replies.failure() == null) {
            // While a statement waits, some servers poll the client's socket, and interpret unread
            // bytes as a sign of life. A COM_QUIT would therefore prolong the statement.
            if (replies.size() == 0) {
                sayGoodBye();
            }
            fail(new ClosedChannelException());
        }
    }

    private void sayGoodBye() {
        ByteBuf quit = channel.alloc().buffer(1).writeByte(CommandCode.COM_QUIT);
        try {
            output.beginCommand(false);
            output.write(quit, 0);
            channel.flush();
        } finally {
            quit.release();
        }
    }

    /** Handles packets that no command awaits. They are a last error or violate the protocol. */
    private void unsolicited(ByteBuf packets) {
        packets.skipBytes(Packets.HEADER_BYTES);
        boolean error = packets.isReadable() && packets.getUnsignedByte(packets.readerIndex()) == ErrPacket.HEADER;
        fail(
                error
                        ? new ServerErrorException(ErrPacket.decode(packets))
                        : new ProtocolException("bytes from the server though no reply is due"));
    }

    private void fail(Throwable cause) {
        if (replies.failure() == null) {
            replies.fail(cause);
            output.discard();
            closed.complete(cause);
            var unused = channel.close();
            output.becameWritable();
        }
    }

    ChannelHandler handler() {
        return new Handler();
    }

    private final class Handler extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            var unused = output.hold();
            try {
                for (ByteBuf packets = aligner.next(bytes, ctx.alloc());
                        packets != null;
                        packets = aligner.next(bytes, ctx.alloc())) {
                    try {
                        ByteBuf rest = replies.received(packets);
                        if (rest.isReadable() && replies.failure() == null) {
                            unsolicited(rest);
                        }
                    } finally {
                        packets.release();
                    }
                }
            } catch (ProtocolException e) {
                fail(e);
            } finally {
                output.release();
                bytes.release();
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            output.flush();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            if (ctx.channel().isWritable()) {
                output.becameWritable();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            fail(new ClosedChannelException());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            OutOfMemory.report(cause);
            fail(cause);
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext ctx) {
            aligner.release();
        }
    }
}
