package org.keyline.stores.duckdb;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Clock;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.Credential;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.server.Account;
import org.keyline.protocol.server.CommandHandler;
import org.keyline.protocol.server.Login;
import org.keyline.protocol.server.LoginRefused;
import org.keyline.protocol.server.MySqlServer;
import org.keyline.protocol.server.Peer;
import org.keyline.protocol.server.Reply;
import org.keyline.protocol.server.ServerListener;
import org.keyline.protocol.server.ServerOptions;
import org.keyline.stores.ReplyListener;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.StoreException;
import org.keyline.stores.StoreSession;
import org.keyline.stores.duckdb.engine.EngineOptions;

/**
 * An embedded store behind a socket without a gateway: every command goes to the store's session.
 */
final class StoreServer implements AutoCloseable {
    private final DuckDbStore store;
    private final MySqlServer server;

    private StoreServer(DuckDbStore store, MySqlServer server) {
        this.store = store;
        this.server = server;
    }

    static StoreServer inMemory() {
        return start(EngineOptions.of(null));
    }

    static StoreServer onFile(Path file) {
        return start(EngineOptions.of(file));
    }

    static StoreServer start(EngineOptions options) {
        return start(options, 0);
    }

    /** @param more added to each connection id */
    static StoreServer start(EngineOptions options, int more) {
        DuckDbStore store = DuckDbStore.open(options, Clock.systemUTC());
        Account root = new Account("root@%", Credential.empty(AuthPlugin.NATIVE_PASSWORD));
        try {
            MySqlServer server = MySqlServer.bind(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    ServerOptions.of(store.serverVersion())
                            .withCapabilities(ServerOptions.DEFAULT_CAPABILITIES | Capabilities.CLIENT_LOCAL_FILES),
                    new ServerAuthenticator(AuthPlugin.NATIVE_PASSWORD, null, new SecureRandom()),
                    (user, from) -> root,
                    (login, peer) -> open(store, login, peer, more),
                    ServerListener.NONE);
            return new StoreServer(store, server);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static CompletionStage<CommandHandler> open(DuckDbStore store, Login login, Peer peer, int more) {
        SessionIdentity identity = new SessionIdentity(
                login.connectionId() + more,
                login.user(),
                login.remote().getHostAddress(),
                login.database(),
                login.capabilities(),
                login.collation(),
                login.attributes());
        return store.open(identity, peer.loop(), peer::closeConnection)
                .<CommandHandler>thenApply(Relay::new)
                .exceptionally(failure -> {
                    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
                    throw cause instanceof StoreException refused
                            ? new LoginRefused(refused.error())
                            : new IllegalStateException(cause);
                });
    }

    /** One client, one session. */
    private static final class Relay implements CommandHandler {
        private final StoreSession session;
        private boolean paused;

        private Relay(StoreSession session) {
            this.session = session;
        }

        private void resume() {
            paused = false;
            session.resume();
        }

        @Override
        public void command(ByteBuf payload, Reply reply) {
            session.send(payload, new ReplyListener() {
                @Override
                public void packets(ByteBuf framed) {
                    reply.framed(framed);
                    if (!reply.writable() && !paused) {
                        paused = true;
                        session.pause();
                        reply.onWritable(Relay.this::resume);
                    }
                }

                @Override
                public boolean awaited() {
                    reply.clientPackets(packet -> {
                        session.answer(packet);
                        if (!session.writable()) {
                            reply.pauseClient();
                            session.onWritable(reply::resumeClient);
                        }
                    });
                    return true;
                }

                @Override
                public void end() {
                    reply.end();
                }

                @Override
                public void lost(Throwable cause) {
                    reply.closeConnection();
                }
            });
        }

        @Override
        public void changeUser(Login login, Reply reply) {
            reply.closeConnection();
        }

        @Override
        public void closed() {
            session.close();
        }
    }

    DuckDbStore store() {
        return store;
    }

    int port() {
        return server.address().getPort();
    }

    /** Returns a connection through Connector/J; a missing reply is an error. */
    Connection connect(@Nullable String database, String parameters) throws SQLException {
        return connect("root", database, parameters);
    }

    Connection connect(String user, @Nullable String database, String parameters) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mysql://127.0.0.1:" + port() + "/" + (database == null ? "" : database)
                        + "?sslMode=DISABLED&socketTimeout=120000" + parameters,
                user,
                "");
    }

    Connection connect(@Nullable String database) throws SQLException {
        return connect(database, "");
    }

    @Override
    public void close() {
        server.close();
        store.close();
    }
}
