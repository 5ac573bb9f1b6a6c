package org.keyline.gateway;

import static java.util.Objects.requireNonNull;

import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.config.HostPort;
import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.session.CachedReads;
import org.keyline.gateway.session.ConfiguredAccounts;
import org.keyline.gateway.session.Sessions;
import org.keyline.gateway.session.state.OrphanedClients;
import org.keyline.gateway.session.state.TransactionChains;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.RsaKey;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.ServerTraits;
import org.keyline.protocol.server.MySqlServer;
import org.keyline.protocol.server.ServerOptions;
import org.keyline.protocol.server.SessionFactory;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.Store;

/** Accepts connections, runs sessions, and drains them when the gateway stops. Thread-safe. */
final class ClientServer implements AutoCloseable {
    private static final Duration END_AT_STORE = Duration.ofSeconds(2);
    private static final Duration LAST_REPLIES = Duration.ofSeconds(1);
    private static final int USER_CHECK_MS = 1_000;

    private final Environment environment;
    private final Operations operations;
    private final ServerTls tls;
    private final Sessions sessions;
    private final MySqlServer server;
    private final HostPort listening;

    /**
     * Listens for clients.
     *
     * @throws IOException if the address cannot be used
     * @throws StartException if a value of the configuration cannot be used, or the store refuses a
     * login
     */
    ClientServer(Environment environment, ReadPath path, Operations operations) throws IOException, StartException {
        this.environment = environment;
        this.operations = operations;
        LiveConfig live = environment.live();
        GatewayConfig config = live.config();
        int passed = PassedSocket.descriptor(
                System.getenv(), ProcessHandle.current().pid(), config.get(ConfigKeys.TRANSPORT));
        tls = ServerTls.of(config, environment.random());
        sessions = sessions(path);
        ConfiguredAccounts accounts = new ConfiguredAccounts(() -> live.config().users());
        server = bind(passed, accounts);
        listening = new HostPort(
                passed == PassedSocket.NONE
                        ? config.get(ConfigKeys.LISTEN).host()
                        : server.address().getHostString(),
                server.address().getPort());
        live.beforeChange(next -> tls.prepare(next, environment.random()));
        live.beforeChange(new UserChanges(live, operations.clients()));
        live.onChange(() -> {
            GatewayConfig now = live.config();
            server.limits(
                    now.get(ConfigKeys.LIMITS_PACKET),
                    now.get(ConfigKeys.LIMITS_LOGIN_TIMEOUT),
                    now.get(ConfigKeys.DRAIN_TIMEOUT),
                    now.get(ConfigKeys.LIMITS_PEER_TIMEOUT),
                    now.get(ConfigKeys.LIMITS_CONNECTIONS));
        });
        if (!config.get(ConfigKeys.RELAYS_LOGINS)) {
            // Closes the sessions of removed users whose login was still in progress at the change.
            environment
                    .background()
                    .every(
                            USER_CHECK_MS,
                            () -> operations
                                    .clients()
                                    .end(login -> accounts.find(login.user(), login.remote()) == null));
        }
    }

    private Sessions sessions(ReadPath path) {
        return new Sessions(
                environment.store(),
                new CachedReads(
                        path.reads(),
                        path.plans(),
                        new TransactionChains(TransactionChains.FIRST_NUMBER),
                        environment.ticker()),
                operations.insight(),
                new OrphanedClients(operations.probe()::accepts, environment.background()::soon),
                path.tier() == null ? null : path.tier()::received);
    }

    private MySqlServer bind(int passed, ConfiguredAccounts accounts) throws IOException, StartException {
        GatewayConfig config = environment.live().config();
        Store store = environment.store();
        InetSocketAddress address = config.get(ConfigKeys.LISTEN).resolve();
        ServerOptions options =
                serverOptions(config, store.serverVersion(), tls, passed).withMemory(operations.memory());
        if (config.get(ConfigKeys.RELAYS_LOGINS)) {
            ClientOptions upstream = Stores.connections(config);
            return MySqlServer.bind(
                    address,
                    options.withStreamLongCommands(true).withCompression(true),
                    () -> Stores.timed(upstream, environment.live())
                            .address(requireNonNull(store.address(), "a store that logs in has an address"))
                            .traits(traits(config))
                            .build(),
                    sessions,
                    operations.metrics());
        }
        options = options.withCapabilities(
                config.isRemote()
                        ? options.capabilities() & understood(config)
                        : options.capabilities() | Capabilities.CLIENT_LOCAL_FILES);
        return MySqlServer.bind(
                address,
                options,
                authenticator(config, environment.random()),
                accounts,
                sessions,
                operations.metrics());
    }

    /** Returns the address for clients, with the actual port. */
    HostPort listening() {
        return listening;
    }

    MySqlServer server() {
        return server;
    }

    ServerTls tls() {
        return tls;
    }

    /** Returns the session factory, for connections that bypass the listening socket. */
    SessionFactory sessions() {
        return sessions;
    }

    /** Stops. Running commands and transactions may finish within the drain timeout. */
    @Override
    public void close() {
        if (!server.drain() && sessions.endAtStore(environment.background().loop(), END_AT_STORE)) {
            // After the KILL of their statements, clients still receive the store's last replies.
            boolean unused = server.awaitEnd(LAST_REPLIES);
        }
        server.close();
    }

    private ServerTraits traits(GatewayConfig config) {
        ServerTraits traits = environment.store().traits();
        return config.get(ConfigKeys.REFUSES_UNGUARDED_LOGINS) ? traits : traits.guarded();
    }

    /** Returns the capability flags to offer. Flags of relayed replies need the store's support. */
    private int understood(GatewayConfig config) throws StartException {
        EventLoop loop = environment.background().loop();
        SessionIdentity asClients = new SessionIdentity(
                0,
                config.get(ConfigKeys.STORE_USER),
                "localhost",
                null,
                ClientOptions.DEFAULT_CAPABILITIES,
                Collation.UTF8MB4_GENERAL_CI,
                Map.of());
        try {
            return CompletableFuture.supplyAsync(() -> environment.store().open(asClients, loop, () -> {}), loop)
                            .thenCompose(opening -> opening)
                            .thenApply(session -> {
                                session.close();
                                return session.capabilities();
                            })
                            .get(config.get(ConfigKeys.LIMITS_LOGIN_TIMEOUT).toMillis(), TimeUnit.MILLISECONDS)
                    | ~ClientOptions.DEFAULT_CAPABILITIES;
        } catch (ExecutionException | TimeoutException e) {
            throw new StartException(
                    "the first login at " + config.get(ConfigKeys.STORE_URL) + " as "
                            + config.get(ConfigKeys.STORE_USER)
                            + " failed, so Keyline cannot determine which protocol features the store supports: "
                            + e.getMessage(),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartException("interrupted", e);
        }
    }

    static ServerOptions serverOptions(GatewayConfig config, String version, ServerTls tls, int passed) {
        return ServerOptions.of(version)
                .withLimits(
                        config.get(ConfigKeys.LIMITS_PACKET),
                        config.get(ConfigKeys.LIMITS_LOGIN_TIMEOUT),
                        Duration.ZERO,
                        config.get(ConfigKeys.DRAIN_TIMEOUT),
                        config.get(ConfigKeys.LIMITS_CONNECTIONS))
                .withPeerTimeout(config.get(ConfigKeys.LIMITS_PEER_TIMEOUT))
                .withEventLoops(config.get(ConfigKeys.EVENT_LOOPS))
                .withTransport(config.get(ConfigKeys.TRANSPORT).resolved(passed != PassedSocket.NONE))
                .withPassedSocket(passed)
                .withReusePort(config.get(ConfigKeys.REUSE_PORT))
                .withProxies(config.get(ConfigKeys.PROXIES))
                .withSslContext(tls.clients());
    }

    /**
     * Returns the authenticator of local users. The greeting names the plugin with which most
     * clients need no further round trip. An RSA key for passwords without TLS is created if the
     * configuration has users, because any user may need it after a change.
     */
    private static ServerAuthenticator authenticator(GatewayConfig config, SecureRandom random) {
        boolean sha2 = config.users().stream()
                .anyMatch(user -> user.credential().plugin() == AuthPlugin.CACHING_SHA2_PASSWORD);
        return new ServerAuthenticator(
                sha2 ? AuthPlugin.CACHING_SHA2_PASSWORD : AuthPlugin.NATIVE_PASSWORD,
                config.users().isEmpty() ? null : RsaKey.generate(random),
                random);
    }
}
