package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ChangeUser;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.HandshakeResponse41;
import org.keyline.protocol.HandshakeV10;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.auth.AuthStep;
import org.keyline.protocol.auth.ServerExchange;

/**
 * The connection phase of one connection: greeting, TLS request, the client's response, and the
 * exchange of an authentication plugin. Also performs the exchange of COM_CHANGE_USER. Independent
 * of the channel: it receives packets and calls its {@link Steps}. Confined to the event loop.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase.html">Connection
 * phase</a>
 */
final class ServerHandshake {
    interface Steps {
        void send(byte[] payload);

        void startTls();

        void suspend();

        void authenticated(Login login);

        /** Called when the login is denied. The connection must send the error and close. */
        void denied(String user, ErrPacket error, String reason);

        Executor loop();
    }

    private final ServerContext context;
    private final Logins.Local logins;
    private final int connectionId;
    private final InetAddress remote;
    private final Steps steps;
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

    ServerHandshake(ServerContext context, Logins.Local logins, int connectionId, InetAddress remote, Steps steps) {
        this.context = context;
        this.logins = logins;
        this.connectionId = connectionId;
        this.remote = remote;
        this.steps = steps;
        this.exchange = logins.authenticator().exchange();
    }

    /** Returns the name of the user; empty if unknown. */
    String user() {
        return user;
    }

    /** Returns the negotiated flags; 0 before the client's response. */
    int capabilities() {
        return capabilities;
    }

    void greet(ByteBuf out) {
        ServerOptions options = context.options();
        new HandshakeV10(
                        options.serverVersion(),
                        connectionId,
                        exchange.scramble(),
                        options.offered(),
                        options.collation(),
                        ServerStatus.SERVER_STATUS_AUTOCOMMIT,
                        logins.authenticator().defaultPlugin().wireName())
                .encode(out);
    }

    void packet(ByteBuf payload) {
        if (begun) {
            proceed(ByteBufUtil.getBytes(payload));
        } else if (!tls
                && Capabilities.has(context.options().offered(), Capabilities.CLIENT_SSL)
                && HandshakeResponse41.isSslRequest(payload)) {
            tls = true;
            steps.startTls();
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
    void changeUser(ByteBuf payload) {
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
        steps.suspend();
        ServerExchange running = exchange;
        try {
            context.passwordWork().execute(() -> compute(running, answer));
        } catch (RejectedExecutionException e) {
            steps.denied(user, ErrPacket.of(ErrorCode.ER_CON_COUNT_ERROR), "too many logins at once");
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
        steps.loop().execute(() -> {
            if (done != null) {
                take(done);
            } else {
                deny(reason);
            }
        });
    }

    private void take(AuthStep step) {
        byte[] payload = step.payload();
        switch (step.kind()) {
            case SEND -> steps.send(payload);
            case OK -> {
                if (payload.length > 0) {
                    steps.send(payload);
                }
                steps.authenticated(login());
            }
            case DENIED -> deny(step.reason());
            case UNSUPPORTED -> steps.denied(user, ErrPacket.of(ErrorCode.ER_NOT_SUPPORTED_AUTH_MODE), step.reason());
        }
    }

    private void deny(String reason) {
        String message = "Access denied for user '" + user + "'@'" + remote.getHostAddress() + "' (using password: "
                + (passwordGiven ? "YES" : "NO") + ")";
        steps.denied(user, ErrPacket.of(ErrorCode.ER_ACCESS_DENIED_ERROR, message), reason);
    }

    private Login login() {
        Account matched = account;
        return new Login(
                connectionId,
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
}
