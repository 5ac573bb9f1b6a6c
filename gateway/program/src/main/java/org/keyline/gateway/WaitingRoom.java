package org.keyline.gateway;

import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.admin.AdminServer;
import org.keyline.gateway.admin.Health;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.config.HostPort;
import org.keyline.gateway.config.LiveConfig;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.server.LoginRefused;
import org.keyline.protocol.server.MySqlServer;
import org.keyline.protocol.server.ServerListener;
import org.keyline.stores.Store;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts connections while a start waits for an unreachable store. Logins get the error that the
 * store is unreachable, and {@code /ready} answers 503. Does not accept connections from a socket
 * of the service manager, so the clients of such a socket wait.
 */
final class WaitingRoom implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WaitingRoom.class);
    private static final long PAUSE_MS = 500;
    /** Drivers need a version, and the version of the store is not known yet. */
    private static final String VERSION = "8.0.0-keyline";

    private final @Nullable MySqlServer clients;
    private final @Nullable AdminServer admin;

    private WaitingRoom(LiveConfig live) throws StartException {
        GatewayConfig config = live.config();
        SecureRandom random = new SecureRandom();
        ServerTls tls = ServerTls.of(config, random);
        int passed = PassedSocket.descriptor(
                System.getenv(), ProcessHandle.current().pid(), config.get(ConfigKeys.TRANSPORT));
        ClientOptions upstream = Stores.connections(config);
        MySqlServer bound = null;
        try {
            bound = passed != PassedSocket.NONE
                    ? null
                    : MySqlServer.bind(
                            config.get(ConfigKeys.LISTEN).resolve(),
                            ClientServer.serverOptions(config, VERSION, tls, passed),
                            () -> upstream,
                            (login, peer) -> CompletableFuture.failedFuture(new LoginRefused(ErrPacket.of(
                                    ErrorCode.ER_CONNECT_TO_FOREIGN_DATA_SOURCE,
                                    "Keyline is starting, connect again in a moment"))),
                            ServerListener.NONE);
            HostPort http = config.get(ConfigKeys.HTTP).orElse(null);
            admin = http == null
                    ? null
                    : new AdminServer(
                            http.resolve(),
                            config.get(ConfigKeys.REUSE_PORT),
                            tls.http(),
                            Operations.access(live, http),
                            WaitingRoom::metrics,
                            statements -> "{}",
                            () -> CompletableFuture.completedFuture(new Health(0, false, null, false)));
        } catch (IOException e) {
            if (bound != null) {
                bound.close();
            }
            throw new StartException(StartException.describe(e), e);
        }
        clients = bound;
    }

    private static String metrics() {
        return "# TYPE keyline_build_info gauge\nkeyline_build_info{commit=\"" + Build.THIS.commit() + "\",version=\""
                + Build.THIS.version() + "\"} 1\n# TYPE keyline_store_up gauge\nkeyline_store_up 0\n";
    }

    /**
     * Opens the store. While it cannot be reached, retries for up to {@code store.startTimeout}.
     *
     * @throws StartException if the store cannot be used or reached within this time
     */
    static Store awaitStore(LiveConfig live) throws StartException {
        try {
            return Stores.open(live);
        } catch (StartException e) {
            if (!e.mayPass()) {
                throw e;
            }
            Duration most = live.get(ConfigKeys.STORE_START_TIMEOUT).orElse(null);
            LOG.warn(
                    "{}. Keyline waits for the store{}; logins get error {}.",
                    e.getMessage(),
                    most == null ? "" : " for " + most.toSeconds() + " s (store.startTimeout)",
                    ErrorCode.ER_CONNECT_TO_FOREIGN_DATA_SOURCE.number());
            try (WaitingRoom room = new WaitingRoom(live)) {
                return room.await(live, most);
            }
        }
    }

    private Store await(LiveConfig live, @Nullable Duration most) throws StartException {
        long began = System.nanoTime();
        while (true) {
            try {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
                Store store = Stores.open(live);
                LOG.info(
                        "Keyline reached the store {} after a wait of {} s",
                        live.get(ConfigKeys.STORE_URL),
                        TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began));
                return store;
            } catch (StartException e) {
                if (!e.mayPass() || (most != null && System.nanoTime() - began > most.toNanos())) {
                    throw e;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StartException("interrupted", e);
            }
        }
    }

    @Override
    public void close() {
        if (clients != null) {
            clients.close();
        }
        if (admin != null) {
            admin.close();
        }
    }
}
