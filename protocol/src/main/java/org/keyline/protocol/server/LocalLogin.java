package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.transport.ProxyProtocol;

/** A login that this server decides, by a {@link ServerHandshake}. Confined to the event loop. */
final class LocalLogin extends ServerLogin implements ServerHandshake.Steps {
    private final ServerHandshake handshake;

    LocalLogin(ServerContext context, Logins.Local logins, Wires wires) {
        super(context, wires);
        this.handshake = new ServerHandshake(context, logins, reply.connectionId(), address(ctx.channel()), this);
    }

    @Override
    void greet() {
        output.begin(0);
        int begin = output.beginPacket();
        handshake.greet(output.buffer());
        output.endPacket(begin);
        output.flush();
        framer.expectSequenceId(output.nextId());
    }

    @Override
    void packet(ByteBuf payload) {
        output.begin(framer.nextSequenceId());
        handshake.packet(payload);
    }

    @Override
    void changeUser(ByteBuf payload, int replyId) {
        output.begin(replyId);
        handshake.changeUser(payload);
    }

    @Override
    boolean passesChangeUser() {
        return false;
    }

    @Override
    String user() {
        return handshake.user();
    }

    @Override
    boolean isBeforeResponse() {
        return handshake.capabilities() == 0;
    }

    @Override
    boolean compresses() {
        return Capabilities.has(handshake.capabilities(), Capabilities.CLIENT_COMPRESS);
    }

    @Override
    void writeOk(ByteBuf out) {
        OkPacket.of(ServerStatus.SERVER_STATUS_AUTOCOMMIT).encode(out);
    }

    @Override
    void abandon() {}

    @Override
    public void send(byte[] payload) {
        sendHandshake(Unpooled.wrappedBuffer(payload));
    }

    @Override
    public void startTls() {
        startClientTls();
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
        CommandHandler current = session();
        if (current == null) {
            open(login);
        } else if (connection.changeUser(login.user())) {
            connection.awaitCommand(current);
            reply.begin(output.nextId());
            current.changeUser(login, reply);
        }
    }

    /**
     * Returns an executor for the event loop. It skips tasks of a closed connection, and continues
     * with waiting input after each task.
     */
    @Override
    public Executor loop() {
        return task -> ctx.executor().execute(() -> connection.resume(task));
    }

    static InetAddress address(Channel channel) {
        InetSocketAddress client = ProxyProtocol.client(channel);
        return client == null ? InetAddress.getLoopbackAddress() : client.getAddress();
    }
}
