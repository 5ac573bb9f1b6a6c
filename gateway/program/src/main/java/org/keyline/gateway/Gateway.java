package org.keyline.gateway;

import com.github.benmanes.caffeine.cache.Ticker;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.ConfigKeys;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.config.HostPort;
import org.keyline.gateway.config.LiveConfig;
import org.keyline.protocol.server.SessionFactory;
import org.keyline.stores.Store;
import org.keyline.stores.duckdb.Demo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running gateway. It starts {@link Background}, {@link ReadPath}, {@link Operations}, and
 * {@link ClientServer} in this order, because each part uses the parts before it. Thread-safe.
 * <pre>{@code
 * try (Gateway gateway = Gateway.start(config)) {
 *     connect(gateway.listening());
 * }
 * }</pre>
 */
public final class Gateway implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);

    /** The tasks that close the started parts, the last part first. */
    private final Deque<Runnable> closing = new ArrayDeque<>();

    private final LiveConfig live;
    private final ClientServer clients;
    private final Operations operations;

    private volatile boolean draining;

    public static Gateway start(GatewayConfig config) throws StartException {
        return start(LiveConfig.fixed(config));
    }

    /** Starts a gateway whose configuration may change while it runs. */
    public static Gateway start(LiveConfig config) throws StartException {
        return start(config, () -> {});
    }

    public static Gateway start(LiveConfig config, Ticker ticker) throws StartException {
        return new Gateway(config, WaitingRoom.awaitStore(config), () -> {}, ticker);
    }

    /** Starts a gateway. The task runs after the store is open, before clients can connect. */
    static Gateway start(LiveConfig config, Runnable beforeListening) throws StartException {
        return new Gateway(config, WaitingRoom.awaitStore(config), beforeListening, Ticker.systemTicker());
    }

    /** Starts a gateway. The store is closed with the gateway. */
    Gateway(GatewayConfig config, Store store) throws StartException {
        this(LiveConfig.fixed(config), store, () -> {}, Ticker.systemTicker());
    }

    /** Starts a gateway. The store is closed with the gateway, or when the start fails. */
    Gateway(LiveConfig live, Store store, Runnable beforeListening, Ticker ticker) throws StartException {
        this.live = live;
        closing.push(store::close);
        try {
            Background background = new Background();
            closing.push(background::close);
            Environment environment = new Environment(live, store, background, ticker, new SecureRandom());
            ReadPath path = new ReadPath(environment);
            closing.push(path::close);
            operations = new Operations(environment, path);
            closing.push(operations::close);
            if (live.get(ConfigKeys.DEMO)) {
                DemoSample.load(store, CacheOptions.ownIdentity(live.config()), background.loop(), Demo.statements());
            }
            beforeListening.run();
            clients = new ClientServer(environment, path, operations);
            closing.push(clients::close);
            operations.listen(clients.tls(), clients.server(), () -> draining);
        } catch (IOException e) {
            closeParts();
            throw new StartException(StartException.describe(e), e);
        } catch (StartException | RuntimeException e) {
            closeParts();
            throw e;
        }
        LOG.info("serving {} on {}", live.get(ConfigKeys.STORE_URL), clients.listening());
    }

    private void closeParts() {
        while (!closing.isEmpty()) {
            closing.pop().run();
        }
    }

    /** Returns the address for clients, with the actual port. */
    public HostPort listening() {
        return clients.listening();
    }

    /** Returns the address for metrics and health; null if none is configured. */
    public @Nullable InetSocketAddress http() {
        return operations.http();
    }

    EventLoopGroup loops() {
        return clients.server().loops();
    }

    /** Returns the session factory, for connections that bypass the listening socket. */
    SessionFactory sessions() {
        return clients.sessions();
    }

    /**
     * Drains and stops. First, {@code /ready} fails for the drain delay. Then the gateway accepts
     * no new connection, and running commands and transactions may finish within the drain timeout.
     * Last, it closes the store. Blocks until the store is closed. Further calls do nothing.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (draining) {
                return;
            }
            draining = true;
        }
        LOG.info("draining");
        awaitBalancers();
        closeParts();
        LOG.info("stopped");
    }

    /** Waits, so that load balancers notice that the gateway is not ready. */
    private void awaitBalancers() {
        try {
            TimeUnit.NANOSECONDS.sleep(live.get(ConfigKeys.DRAIN_DELAY).toNanos());
        } catch (InterruptedException e) {
            // An interrupt ends the wait.
            Thread.currentThread().interrupt();
        }
    }
}
