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

/**
 * A client's connection to a MySQL server. Confined to one event loop: {@link #connect} may be called anywhere, all else
 * only on {@link #loop}, where all callbacks run as well.
 *
 * <p>Commands may be sent while others are unanswered; the server answers in order. Each listener hears of its end
 * exactly once: the reply's last packet, or the failure of the connection, which reaches all that wait, in order.
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
        this.replies = new ReplyQueue(options, capabilities, extendedCapabilities, () -> answer(Unpooled.EMPTY_BUFFER));
    }

    /**
     * Connects and logs in.
     *
     * @return completed on the loop; with a {@link ServerErrorException} if the server refuses, else with an {@link
     *     java.io.IOException} of another kind
     */
    public static CompletionStage<ClientConnection> connect(ClientOptions options, EventLoop loop) {
        CompletableFuture<ClientConnection> connected = new CompletableFuture<>();
        new ClientHandshake(options, connected).connect(loop);
        return connected;
    }

    /** The loop that this connection is confined to. */
    public EventLoop loop() {
        return channel.eventLoop();
    }

    /** What was connected to, as the options named it. */
    public SocketAddress address() {
        return options.address();
    }

    /** For buffers of this connection's packets. */
    public ByteBufAllocator alloc() {
        return channel.alloc();
    }

    /** What was negotiated; a bit set of {@link org.keyline.protocol.Capabilities}. */
    public int capabilities() {
        return capabilities;
    }

    /** MariaDB's flags that were negotiated; a bit set of {@link org.keyline.protocol.ExtendedCapabilities}. */
    public int extendedCapabilities() {
        return extendedCapabilities;
    }

    /** Whether the connection is under TLS. */
    public boolean isEncrypted() {
        return channel.pipeline().get(SslHandler.class) != null;
    }

    /** The server's version text. */
    public String serverVersion() {
        return greeting.serverVersion();
    }

    /** The server's end of the connection; null if the transport does not know it. */
    public @Nullable SocketAddress remoteAddress() {
        return channel.remoteAddress();
    }

    /** This end of the connection; null if the transport does not know it. */
    public @Nullable SocketAddress localAddress() {
        return channel.localAddress();
    }

    /** The server's id of this connection, which KILL takes; unsigned. */
    public int connectionId() {
        return greeting.connectionId();
    }

    /** The status flags of the OK that ended the login. */
    public int initialStatus() {
        return initialStatus;
    }

    /** What follows the reply at hand, always the same object; to be looked at only. */
    public ReplyScanner reply() {
        return replies.scanner();
    }

    /** Commands sent and not yet answered. */
    public int inFlight() {
        return replies.size();
    }

    /** Whether commands may be sent. */
    public boolean isOpen() {
        return replies.failure() == null;
    }

    /** Whether what was sent has mostly left; a sender of large commands should wait while it has not. */
    public boolean isWritable() {
        return channel.isWritable();
    }

    /** Runs {@code task} once, on the loop, when {@link #isWritable} is true again; at once if it is, or the connection is gone. */
    public void onWritable(Runnable task) {
        if (replies.failure() != null) {
            task.run();
        } else {
            output.onWritable(task);
        }
    }

    /** Completes with the cause when the connection is gone, after all listeners have heard of it. */
    public CompletionStage<Throwable> closed() {
        return closed.minimalCompletionStage();
    }

    /** Stops reading from the socket; what was read already may still come, some 100 KiB. */
    public void pause() {
        channel.config().setAutoRead(false);
    }

    /** Reads on. */
    public void resume() {
        channel.config().setAutoRead(true);
    }

    /**
     * Sends a command and relays its reply.
     *
     * @param payload command byte first; borrowed; split if 16 MiB or longer
     */
    public void send(ByteBuf payload, PacketListener listener) {
        send(payload, listener, null);
    }

    /** Sends a command and decodes its reply. */
    public void send(ByteBuf payload, ResultListener listener) {
        send(payload, null, listener);
    }

    private void send(ByteBuf payload, @Nullable PacketListener raw, @Nullable ResultListener decoded) {
        int command = payload.getUnsignedByte(payload.readerIndex());
        if (mayAdd(command, raw, decoded)) {
            output.beginCommand();
            replies.add(new InFlight(command, output.write(payload, 0), raw, decoded));
        }
    }

    private boolean mayAdd(int command, @Nullable PacketListener raw, @Nullable ResultListener decoded) {
        Throwable refused = replies.failure();
        if (refused == null && replies.size() >= options.maxInFlight()) {
            refused = new IllegalStateException("commands in flight: " + replies.size());
        }
        if (refused == null && replies.isMidCommand()) {
            refused = new IllegalStateException("a command is not yet whole");
        }
        if (refused != null) {
            new InFlight(command, 0, raw, decoded).failed(refused);
        }
        return refused == null;
    }

    /**
     * Sends the first wire packet of a command that goes on by {@link #continueCommand}; until its last packet no other
     * command can be sent. The server may answer, with an error, before that: then the rest must be sent all the same.
     *
     * @param first exactly 0xFFFFFF bytes, command byte first; borrowed
     */
    public void begin(ByteBuf first, PacketListener listener) {
        if (first.readableBytes() != Packets.MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException("first: " + first.readableBytes() + " bytes (expected: 16777215)");
        }
        int command = first.getUnsignedByte(first.readerIndex());
        if (mayAdd(command, listener, null)) {
            output.beginCommand();
            int next = output.writePacket(first, 0);
            replies.add(new InFlight(command, InFlight.UNKNOWN, listener, null));
            replies.begun(next);
        }
    }

    /**
     * Sends the next wire packet of the command that was {@linkplain #begin begun}.
     *
     * @param next at most 0xFFFFFF bytes; shorter, perhaps empty: the command's last. Borrowed
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

    /** COM_QUERY. */
    public void query(String sql, ResultListener listener) {
        sendText(CommandCode.COM_QUERY, sql, listener);
    }

    /** COM_STMT_PREPARE; the statement comes by {@link ResultListener#prepared}. */
    public void prepare(String sql, ResultListener listener) {
        sendText(CommandCode.COM_STMT_PREPARE, sql, listener);
    }

    /** COM_STMT_EXECUTE with all parameters. */
    public void execute(int statementId, StatementArguments arguments, ResultListener listener) {
        ByteBuf payload = channel.alloc().buffer();
        try {
            arguments.encode(payload, statementId, capabilities);
            send(payload, listener);
        } finally {
            payload.release();
        }
    }

    /** COM_STMT_FETCH: more rows of a statement that was executed with a cursor. */
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

    /** COM_STMT_CLOSE, which has no reply. */
    public void closeStatement(int statementId) {
        ByteBuf payload = channel.alloc().buffer(5);
        try {
            payload.writeByte(CommandCode.COM_STMT_CLOSE).writeIntLE(statementId);
            send(payload, IGNORE);
        } finally {
            payload.release();
        }
    }

    /** A command of its code and a text: COM_INIT_DB, or, with an empty text, COM_PING, COM_RESET_CONNECTION and others. */
    public void sendText(int command, String text, ResultListener listener) {
        ByteBuf payload = channel.alloc().buffer(3 + ByteBufUtil.utf8MaxBytes(text));
        try {
            payload.writeByte(command);
            if (command == CommandCode.COM_QUERY
                    && Capabilities.has(capabilities, Capabilities.CLIENT_QUERY_ATTRIBUTES)) {
                // No attributes, one set of them.
                payload.writeByte(0).writeByte(1);
            }
            payload.writeCharSequence(text, StandardCharsets.UTF_8);
            send(payload, listener);
        } finally {
            payload.release();
        }
    }

    /**
     * Sends one packet of what the reply at hand awaits: a piece of a file, an empty packet at its end, or an auth
     * response.
     *
     * @param payload at most 0xFFFFFF bytes; of exactly so many, continued by the next call. Borrowed
     */
    public void answer(ByteBuf payload) {
        if (replies.failure() != null) {
            return;
        }
        int next = output.writePacket(payload, replies.answerSequenceId());
        replies.answered(next, payload.readableBytes());
    }

    /** Closes as if the server had; from any thread. */
    public void abort() {
        var unused = channel.close();
    }

    /** Says good-bye, unless a reply is due, and closes; all that wait fail. */
    public void close() {
        if (replies.failure() == null) {
            // A server that looks after its client while a statement waits takes unread bytes for a sign of life.
            if (replies.size() == 0) {
                sayGoodBye();
            }
            fail(new ClosedChannelException());
        }
    }

    private void sayGoodBye() {
        ByteBuf quit = channel.alloc().buffer(1).writeByte(CommandCode.COM_QUIT);
        try {
            output.beginCommand();
            output.write(quit, 0);
            channel.flush();
        } finally {
            quit.release();
        }
    }

    /** The server speaks though nothing is due: it says why it will close the connection, or it is broken. */
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
            closed.complete(cause);
            var unused = channel.close();
            output.becameWritable();
        }
    }

    ChannelHandler handler() {
        return new Handler();
    }

    /** The connection's place in the pipeline. */
    private final class Handler extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            output.hold();
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
