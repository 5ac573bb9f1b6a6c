package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.codec.PacketFramer;
import org.keyline.protocol.compression.CompressedProtocol;

/**
 * A connection's way to a session: the packets of the connection phase, whoever decides on them, then the opening of the
 * session and its answer. Confined to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // an opened session is taken in by the callback, its failure too
abstract class ServerLogin {
    /** The parts of a connection that its login works with. */
    record Wires(
            ServerConnection connection,
            ChannelHandlerContext ctx,
            ConnectionOutput output,
            PacketFramer framer,
            CommandReply reply) {}

    final ServerContext context;
    final ServerConnection connection;
    final ChannelHandlerContext ctx;
    final ConnectionOutput output;
    final PacketFramer framer;
    final CommandReply reply;
    private @Nullable CommandHandler session;

    ServerLogin(ServerContext context, Wires wires) {
        this.context = context;
        this.connection = wires.connection;
        this.ctx = wires.ctx;
        this.output = wires.output;
        this.framer = wires.framer;
        this.reply = wires.reply;
    }

    /** Sends the greeting, now or when it is known. */
    abstract void greet();

    /** A packet of the handshake, or of the exchange of COM_CHANGE_USER. */
    abstract void packet(ByteBuf payload);

    /** COM_CHANGE_USER, unless it {@linkplain #passesChangeUser passes}. */
    abstract void changeUser(ByteBuf payload, int replyId);

    /** Whether COM_CHANGE_USER is the session's business, like any other command. */
    abstract boolean passesChangeUser();

    /** Name the client gave, or empty. */
    abstract String user();

    /** Whether the client has not yet said that it reads errors with SQLSTATE. */
    abstract boolean isBeforeResponse();

    /** Whether what follows the OK is compressed. */
    abstract boolean compresses();

    /** Writes the payload of the OK that ends the login. */
    abstract void writeOk(ByteBuf out);

    /** The time for the login is over. */
    void expired() {
        deny(ErrPacket.of(ErrorCode.ER_NET_READ_INTERRUPTED), "login took too long");
    }

    /** The connection is ending; called more than once. */
    abstract void abandon();

    /** Refuses the client: what it is told, and what the operator reads. */
    final void deny(ErrPacket error, String reason) {
        context.listener().denied(reply.connectionId(), user(), reason);
        connection.fail(error);
    }

    /** Sends a packet of the handshake. The client's answer follows on. */
    final void sendHandshake(ByteBuf payload) {
        output.packet(payload);
        framer.expectSequenceId(output.nextId());
        connection.awaitHandshake();
    }

    /** Puts TLS under the connection; the client's answer comes through it. */
    final void startClientTls() {
        SslContext ssl = context.options().sslContext();
        if (ssl == null) {
            throw new IllegalStateException("TLS was not offered");
        }
        if (connection.keeps(ConnectionMemory.TLS_BYTES)) {
            connection.insertAfterPacket(ssl.newHandler(ctx.alloc()));
        }
    }

    /** The session of the connection, once it is there. */
    final @Nullable CommandHandler session() {
        return session;
    }

    /** Opens the session of a client that was authenticated. */
    final void open(Login login) {
        boolean kept = connection.keepsSession(login.user())
                && (!compresses() || connection.keeps(ConnectionMemory.COMPRESSION_BYTES));
        if (!kept) {
            if (login.upstream() != null) {
                login.upstream().close();
            }
            return;
        }
        connection.suspend();
        CompletionStage<CommandHandler> opening;
        try {
            opening = context.sessions().open(login, reply);
        } catch (RuntimeException e) {
            opening = CompletableFuture.failedStage(e);
        }
        opening.whenComplete((opened, failure) -> {
            Runnable step = () -> opened(login, opened, failure);
            if (connection.isDispatching()) {
                connection.run(step);
            } else {
                ctx.executor().execute(() -> connection.run(step));
            }
        });
    }

    private void opened(Login login, @Nullable CommandHandler opened, @Nullable Throwable failure) {
        if (opened == null && login.upstream() != null) {
            login.upstream().close();
        }
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
        writeOk(output.buffer());
        output.endPacket(begin);
        if (compresses()) {
            // This OK is the last in clear.
            output.flush();
            CompressedProtocol compression = new CompressedProtocol();
            output.compressedBy(compression);
            framer.ignoreSequenceIds();
            ctx.pipeline().addBefore(ctx.name(), "compression", compression);
        }
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
}
