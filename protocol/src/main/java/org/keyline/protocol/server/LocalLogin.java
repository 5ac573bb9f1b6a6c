package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ChangeUser;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.HandshakeResponse41;
import org.keyline.protocol.HandshakeV10;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.auth.AuthStep;
import org.keyline.protocol.auth.ServerExchange;
import org.keyline.protocol.transport.ProxyProtocol;

/**
 * A login that this server accepts or denies. Handles the greeting, the TLS request, the client's
 * response, and the exchange of an authentication plugin, also for COM_CHANGE_USER. Confined to the
 * event loop.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase.html">Connection
 * phase</a>
 */
final class LocalLogin extends ServerLogin {
    private final Logins.Local logins;
    private final InetAddress remote;
    private ServerExchange exchange;
    private boolean begun;
    private boolean tls;
    private int capabilities;
    private int collation;
    private String user = "";
    private boolean passwordGiven;
    private @Nullable String database;
    private Map<String, String> attributes = Map.of();
    private @Nullable Account account;

    LocalLogin(ServerContext context, Logins.Local logins, Wires wires) {
        super(context, wires);
        this.logins = logins;
        this.remote = address(ctx.channel());
        this.exchange = logins.authenticator().exchange();
    }

    @Override
    void greet() {
        output.begin(0);
        int begin = output.beginPacket();
        ServerOptions options = context.options();
        new HandshakeV10(
                        options.serverVersion(),
                        reply.connectionId(),
                        exchange.scramble(),
                        options.offered(),
                        Collation.UTF8MB4_GENERAL_CI,
                        ServerStatus.SERVER_STATUS_AUTOCOMMIT,
                        logins.authenticator().defaultPlugin().wireName())
                .encode(output.buffer());
        output.endPacket(begin);
        output.flush();
        framer.expectSequenceId(output.nextId());
    }

    @Override
    void packet(ByteBuf payload) {
        output.begin(framer.nextSequenceId());
        if (begun) {
            proceed(ByteBufUtil.getBytes(payload));
        } else if (!tls
                && Capabilities.has(context.options().offered(), Capabilities.CLIENT_SSL)
                && HandshakeResponse41.isSslRequest(payload)) {
            tls = true;
            startClientTls();
        } else {
            answer(HandshakeResponse41.decode(payload));
        }
    }

    private void answer(HandshakeResponse41 response) {
        capabilities = response.capabilities() & context.options().offered();
        collation = response.collation();
        attributes = response.attributes();
        begin(response.user(), response.database(), response.authPlugin(), response.authResponse());
    }

    /**
     * Begins a COM_CHANGE_USER. The login has used the greeting's scramble, so the exchange creates
     * a new scramble.
     */
    @Override
    void changeUser(ByteBuf payload, int replyId) {
        output.begin(replyId);
        ChangeUser command = ChangeUser.decode(payload, capabilities, Collation.charsetOf(collation));
        exchange = logins.authenticator().exchangeAgain(exchange);
        if (command.collation() != 0) {
            collation = command.collation();
        }
        attributes = command.attributes();
        begin(command.user(), command.database(), command.authPlugin(), command.authResponse());
    }

    private void begin(String name, @Nullable String schema, @Nullable String plugin, byte[] answer) {
        begun = true;
        user = name;
        database = schema;
        passwordGiven = answer.length > 0;
        account = logins.accounts().find(name, remote);
        boolean pluginAuth = Capabilities.has(capabilities, Capabilities.CLIENT_PLUGIN_AUTH);
        take(exchange.begin(tls, pluginAuth, plugin, answer, account == null ? null : account.credential()));
    }

    private void proceed(byte[] answer) {
        passwordGiven |= answer.length > 0;
        if (!exchange.isHeavy()) {
            take(exchange.next(answer));
            return;
        }
        connection.suspend();
        ServerExchange running = exchange;
        try {
            context.passwordWork().execute(() -> compute(running, answer));
        } catch (RejectedExecutionException e) {
            deny(ErrPacket.of(ErrorCode.ER_CON_COUNT_ERROR), "too many logins at once; the client must log in again");
        }
    }

    /** Computes the next step of an exchange. Runs outside the loop. */
    private void compute(ServerExchange running, byte[] answer) {
        AuthStep step = null;
        RuntimeException failure = null;
        try {
            step = running.next(answer);
        } catch (RuntimeException e) {
            failure = e;
        }
        AuthStep done = step;
        String reason = String.valueOf(failure);
        onLoop(() -> {
            if (done != null) {
                take(done);
            } else {
                denyAccess(reason);
            }
        });
    }

    private void take(AuthStep step) {
        byte[] payload = step.payload();
        switch (step.kind()) {
            case SEND -> send(payload);
            case OK -> {
                if (payload.length > 0) {
                    send(payload);
                }
                authenticated(login());
            }
            case DENIED -> denyAccess(step.reason());
            case UNSUPPORTED -> deny(ErrPacket.of(ErrorCode.ER_NOT_SUPPORTED_AUTH_MODE), step.reason());
        }
    }

    private void denyAccess(String reason) {
        String message = "Access denied for user '" + user + "'@'" + remote.getHostAddress() + "' (using password: "
                + (passwordGiven ? "YES" : "NO") + ")";
        deny(ErrPacket.of(ErrorCode.ER_ACCESS_DENIED_ERROR, message), reason);
    }

    private Login login() {
        Account matched = account;
        return new Login(
                reply.connectionId(),
                user,
                matched == null ? user : matched.name(),
                database,
                capabilities,
                collation,
                attributes,
                remote,
                tls,
                null,
                null,
                System.nanoTime());
    }

    private void send(byte[] payload) {
        sendHandshake(Unpooled.wrappedBuffer(payload));
    }

    private void authenticated(Login login) {
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

    /** Runs a task on the event loop unless the connection is closed, then reads waiting input. */
    private void onLoop(Runnable task) {
        ctx.executor().execute(() -> connection.resume(task));
    }

    @Override
    boolean passesChangeUser() {
        return false;
    }

    @Override
    String user() {
        return user;
    }

    @Override
    boolean isBeforeResponse() {
        return capabilities == 0;
    }

    @Override
    boolean compresses() {
        return Capabilities.has(capabilities, Capabilities.CLIENT_COMPRESS);
    }

    @Override
    void writeOk(ByteBuf out) {
        OkPacket.of(ServerStatus.SERVER_STATUS_AUTOCOMMIT).encode(out);
    }

    @Override
    void abandon() {}

    static InetAddress address(Channel channel) {
        InetSocketAddress client = ProxyProtocol.client(channel);
        return client == null ? InetAddress.getLoopbackAddress() : client.getAddress();
    }
}
