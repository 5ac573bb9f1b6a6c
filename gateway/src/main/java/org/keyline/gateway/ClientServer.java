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
import org.keyline.gateway.config.LiveConfig;
import org.keyline.gateway.metrics.GatewayMetrics;
import org.keyline.gateway.session.ConfiguredAccounts;
import org.keyline.gateway.session.Sessions;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.auth.AuthPlugin;
import org.keyline.protocol.auth.RsaKey;
import org.keyline.protocol.auth.ServerAuthenticator;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.ServerTraits;
import org.keyline.protocol.memory.MemoryBudget;
import org.keyline.protocol.server.MySqlServer;
import org.keyline.protocol.server.ServerOptions;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.Store;

/** Binds the server for clients. Keyline's own users authenticate clients, or the store does. */
final class ClientServer {
    private final Store store;
    private final EventLoop loop;
    private final MemoryBudget memory;
    private final GatewayMetrics metrics;

    /** @param loop runs the questions to the store */
    ClientServer(Store store, EventLoop loop, MemoryBudget memory, GatewayMetrics metrics) {
        this.store = store;
        this.loop = loop;
        this.memory = memory;
        this.metrics = metrics;
    }

    /**
     * Starts to listen.
     *
     * @param passed descriptor of a socket that already listens, or {@link PassedSocket#NONE}
     */
    MySqlServer listen(
            LiveConfig live,
            ConfiguredAccounts accounts,
            Sessions sessions,
            ServerTls tls,
            int passed,
            SecureRandom random)
            throws IOException, StartException {
        GatewayConfig config = live.config();
        InetSocketAddress address = config.get(ConfigKeys.LISTEN).resolve();
        ServerOptions options =
                serverOptions(config, store.serverVersion(), tls, passed).withMemory(memory);
        if (config.get(ConfigKeys.STORE_LOGIN) == GatewayConfig.LoginMode.RELAY) {
            ClientOptions upstream = Stores.connections(config);
            return MySqlServer.bind(
                    address,
                    options.withStreamLongCommands(true).withCompression(true),
                    () -> Stores.timed(upstream, live)
                            .address(requireNonNull(store.address(), "a store that logs in has an address"))
                            .traits(traits(config))
                            .build(),
                    sessions,
                    metrics);
        }
        options = options.withCapabilities(
                config.isRemote()
                        ? options.capabilities() & understood(config)
                        : options.capabilities() | Capabilities.CLIENT_LOCAL_FILES);
        return MySqlServer.bind(address, options, authenticator(config, random), accounts, sessions, metrics);
    }

    private ServerTraits traits(GatewayConfig config) {
        ServerTraits traits = store.traits();
        return config.get(ConfigKeys.STORE_UNGUARDED_LOGINS) == GatewayConfig.UnguardedLogins.ALLOW
                ? traits.guarded()
                : traits;
    }

    /**
     * Returns the capability flags that the server offers. Replies pass as the store formats them,
     * so clients are offered only the formats that the store supports.
     */
    private int understood(GatewayConfig config) throws StartException {
        SessionIdentity asClients = new SessionIdentity(
                0,
                config.get(ConfigKeys.STORE_USER),
                "localhost",
                null,
                ClientOptions.DEFAULT_CAPABILITIES,
                Collation.UTF8MB4_GENERAL_CI,
                Map.of());
        try {
            return CompletableFuture.supplyAsync(() -> store.open(asClients, loop, () -> {}), loop)
                            .thenCompose(opening -> opening)
                            .thenApply(session -> {
                                session.close();
                                return session.capabilities();
                            })
                            .get(config.get(ConfigKeys.LIMITS_LOGIN_TIMEOUT).toMillis(), TimeUnit.MILLISECONDS)
                    | ~ClientOptions.DEFAULT_CAPABILITIES;
        } catch (ExecutionException | TimeoutException e) {
            throw new StartException(
                    "a first login at " + config.get(ConfigKeys.STORE_URL) + " as "
                            + config.get(ConfigKeys.STORE_USER)
                            + " did not succeed, so Keyline cannot offer clients what the store offers: "
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
     * Returns the authenticator for logins. The greeting names the plugin that saves most clients a
     * round trip. The RSA key for passwords without TLS exists only if there are users, since any
     * of them may need it, also after a change.
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
