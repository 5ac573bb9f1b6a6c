package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.codec.PacketFramer;

/**
 * A connection's way to a session: carries the packets of its {@link ServerHandshake}, opens the session of a client that
 * was authenticated, and answers it. Confined to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // an opened session is taken in by the callback, its failure too
final class ServerLogin implements ServerHandshake.Steps {
    private final ServerContext context;
    private final ServerConnection connection;
    private final ChannelHandlerContext ctx;
    private final ConnectionOutput output;
    private final PacketFramer framer;
    private final CommandReply reply;
    private final ServerHandshake handshake;
    private @Nullable CommandHandler session;

    ServerLogin(
            ServerContext context,
            ServerConnection connection,
            ChannelHandlerContext ctx,
            ConnectionOutput output,
            PacketFramer framer,
            CommandReply reply) {
        this.context = context;
        this.connection = connection;
        this.ctx = ctx;
        this.output = output;
        this.framer = framer;
        this.reply = reply;
        this.handshake = new ServerHandshake(context, reply.connectionId(), address(ctx.channel()), this);
    }

    /** Sends the greeting. */
    void greet() {
        output.begin(0);
        int begin = output.beginPacket();
        handshake.greet(output.buffer());
        output.endPacket(begin);
        output.flush();
        framer.expectSequenceId(output.nextId());
    }

    /** A packet of the handshake, or of the exchange of COM_CHANGE_USER. */
    void packet(ByteBuf payload) {
        output.begin(framer.nextSequenceId());
        handshake.packet(payload);
    }

    /** COM_CHANGE_USER. */
    void changeUser(ByteBuf payload, int replyId) {
        output.begin(replyId);
        handshake.changeUser(payload);
    }

    /** Whether the client has not yet said that it reads errors with SQLSTATE. */
    boolean isBeforeResponse() {
        return handshake.capabilities() == 0;
    }

    /** Refuses the client: what it is told, and what the operator reads. */
    void deny(ErrPacket error, String reason) {
        context.listener().denied(reply.connectionId(), handshake.user(), reason);
        connection.fail(error);
    }

    @Override
    public void send(byte[] payload) {
        int begin = output.beginPacket();
        output.buffer().writeBytes(payload);
        output.endPacket(begin);
        framer.expectSequenceId(output.nextId());
        connection.awaitHandshake();
    }

    @Override
    public void startTls() {
        connection.startTlsAfterPacket();
    }

    @Override
    public void suspend() {
        connection.suspend();
    }

    @Override
    public void denied(String user, ErrPacket error, String reason) {
        deny(error, reason);
    }

    @Override
    public void authenticated(Login login) {
        reply.negotiated(login.capabilities());
        CommandHandler current = session;
        if (current == null) {
            open(login);
        } else {
            connection.awaitCommand(current);
            reply.begin(output.nextId());
            current.changeUser(login, reply);
        }
    }

    /** Runs a task on the loop if the connection is still there, then goes on with what waits. */
    @Override
    public Executor loop() {
        return task -> ctx.executor().execute(() -> connection.resume(task));
    }

    private void open(Login login) {
        connection.suspend();
        context.sessions().open(login, reply).whenComplete((opened, failure) -> {
            if (connection.isDispatching()) {
                opened(opened, failure);
            } else {
                ctx.executor().execute(() -> opened(opened, failure));
            }
        });
    }

    private void opened(@Nullable CommandHandler opened, @Nullable Throwable failure) {
        if (connection.isEnding()) {
            if (opened != null) {
                opened.closed();
            }
            return;
        }
        connection.resume(() -> {
            if (opened != null) {
                accept(opened);
            } else {
                refuse(failure);
            }
        });
    }

    private void accept(CommandHandler opened) {
        session = opened;
        connection.awaitCommand(opened);
        int begin = output.beginPacket();
        OkPacket.of(ServerStatus.SERVER_STATUS_AUTOCOMMIT).encode(output.buffer());
        output.endPacket(begin);
        connection.endIfDraining();
    }

    private void refuse(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof LoginRefused refused) {
            deny(refused.error(), refused.error().message());
        } else {
            Throwable bug = cause == null ? new IllegalStateException("no session") : cause;
            context.listener().failed(reply.connectionId(), bug);
            connection.fail(ErrPacket.of(ErrorCode.ER_UNKNOWN_ERROR));
        }
    }

    private static InetAddress address(Channel channel) {
        return channel.remoteAddress() instanceof InetSocketAddress socket && socket.getAddress() != null
                ? socket.getAddress()
                : InetAddress.getLoopbackAddress();
    }
}
