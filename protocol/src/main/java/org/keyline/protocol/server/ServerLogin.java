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
 * A connection's login: the packets of the connection phase, then the opening of the session and
 * the OK. The subclasses differ in which server accepts or denies the login. Confined to the event
 * loop.
 */
// the callback handles an opened session and its failure
@SuppressWarnings("FutureReturnValueIgnored")
abstract class ServerLogin {
    /** The parts of a connection that its login uses. */
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

    abstract void greet();

    /** Handles a packet of the handshake or of COM_CHANGE_USER. */
    abstract void packet(ByteBuf payload);

    abstract void changeUser(ByteBuf payload, int replyId);

    abstract boolean passesChangeUser();

    /** Returns the name of the user; empty if unknown. */
    abstract String user();

    /**
     * Returns whether the client has not responded yet. Errors before the response have no
     * SQLSTATE.
     */
    abstract boolean isBeforeResponse();

    abstract boolean compresses();

    abstract void writeOk(ByteBuf out);

    void expired() {
        deny(ErrPacket.of(ErrorCode.ER_NET_READ_INTERRUPTED), "login took too long");
    }

    /** Called when the connection closes, possibly more than once. */
    abstract void abandon();

    /**
     * Denies the login.
     *
     * @param error the error for the client
     * @param reason the reason for the listener
     */
    final void deny(ErrPacket error, String reason) {
        context.listener().denied(reply.connectionId(), user(), reason);
        connection.fail(error);
    }

    final void sendHandshake(ByteBuf payload) {
        output.packet(payload);
        framer.expectSequenceId(output.nextId());
        connection.awaitHandshake();
    }

    final void startClientTls() {
        SslContext ssl = context.options().sslContext();
        if (ssl == null) {
            throw new IllegalStateException("TLS was not offered");
        }
        if (connection.take(ConnectionMemory.TLS_BYTES)) {
            connection.insertAfterPacket(ssl.newHandler(ctx.alloc()));
        }
    }

    final @Nullable CommandHandler session() {
        return session;
    }

    final void open(Login login) {
        boolean admitted = connection.takeSession(login.user())
                && (!compresses() || connection.take(ConnectionMemory.COMPRESSION_BYTES));
        if (!admitted) {
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
            // This OK is the last uncompressed packet.
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
