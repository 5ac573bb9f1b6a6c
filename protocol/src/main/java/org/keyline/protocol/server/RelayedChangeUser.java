package org.keyline.protocol.server;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.auth.AuthenticationException;
import org.keyline.protocol.auth.RelayedExchange;
import org.keyline.protocol.codec.Packets;

/**
 * The relay of a COM_CHANGE_USER between a client and its upstream server, only one of which uses
 * TLS. It translates passwords as the login did. The session itself relays the command and its OK
 * or ERR. Handles one command at a time. Confined to the connection's event loop.
 */
public final class RelayedChangeUser {
    private static final int HEADER_BYTES = 4;

    private final RelayedExchange login;
    private final Executor passwordWork;
    private @Nullable RelayedExchange exchange;
    private @Nullable Reply client;
    private @Nullable Consumer<ByteBuf> server;
    private byte @Nullable [] answer;
    private boolean working;

    RelayedChangeUser(RelayedExchange login, Executor passwordWork) {
        this.login = login;
        this.passwordWork = passwordWork;
    }

    /**
     * Begins a COM_CHANGE_USER. Call before the server answers the command.
     *
     * @param plugin the plugin that the command names; null if it names none
     * @param toServer receives the packets for the server; borrowed
     */
    public void begin(@Nullable String plugin, Reply reply, Consumer<ByteBuf> toServer) {
        exchange = login.again(plugin == null ? "" : plugin);
        client = reply;
        server = toServer;
        answer = null;
        working = false;
    }

    /** Consumes whole packets of the server that are neither OK nor ERR. */
    public void fromServer(ByteBuf framed) {
        RelayedExchange running = requireNonNull(exchange, "no COM_CHANGE_USER is under way");
        try {
            while (framed.isReadable()) {
                int length = Packets.payloadLength(framed, framed.readerIndex());
                byte[] payload = ByteBufUtil.getBytes(framed, framed.readerIndex() + HEADER_BYTES, length);
                framed.skipBytes(HEADER_BYTES + length);
                take(() -> running.fromServer(payload));
            }
        } finally {
            framed.release();
        }
    }

    /** Call when the server awaits a packet. Sends the answer if known, or else asks the client. */
    public void awaited() {
        if (exchange == null) {
            return;
        }
        byte[] inHand = answer;
        answer = null;
        if (inHand != null) {
            requireNonNull(server, "server is null").accept(Unpooled.wrappedBuffer(inHand));
        } else {
            requireNonNull(client, "client is null").clientPackets(this::fromClient);
        }
    }

    private void fromClient(ByteBuf packet) {
        RelayedExchange running = requireNonNull(exchange, "no COM_CHANGE_USER is under way");
        Reply reply = requireNonNull(client, "client is null");
        if (working) {
            refuse(reply, ErrPacket.of(ErrorCode.ER_HANDSHAKE_ERROR));
            return;
        }
        byte[] payload = ByteBufUtil.getBytes(packet);
        if (!running.isHeavy()) {
            take(() -> running.fromClient(payload));
            sendAnswer();
            return;
        }
        working = true;
        try {
            passwordWork.execute(() -> {
                Supplier<RelayedExchange.Step> outcome = RelayedLogin.outcome(running, payload);
                reply.run(() -> {
                    if (exchange == running && working) {
                        working = false;
                        take(outcome);
                        sendAnswer();
                    }
                });
            });
        } catch (RejectedExecutionException e) {
            refuse(reply, ErrPacket.of(ErrorCode.ER_CON_COUNT_ERROR));
        }
    }

    private void take(Supplier<RelayedExchange.Step> next) {
        Reply reply = requireNonNull(client, "client is null");
        RelayedExchange.Step step;
        try {
            step = next.get();
        } catch (AuthenticationException e) {
            refuse(reply, ErrPacket.of(ErrorCode.ER_ACCESS_DENIED_ERROR, "Access denied: " + e.getMessage()));
            return;
        }
        if (step.to() == RelayedExchange.To.CLIENT) {
            reply.packet(Unpooled.wrappedBuffer(step.payload()));
        } else {
            answer = step.payload();
        }
    }

    private void sendAnswer() {
        if (answer != null) {
            awaited();
        }
    }

    private void refuse(Reply reply, ErrPacket error) {
        exchange = null;
        working = false;
        reply.error(error);
        reply.end();
        reply.closeConnection();
    }
}
