package org.keyline.stores.mysql;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.client.ClientConnection;
import org.keyline.stores.mysql.catalog.CatalogOptions;
import org.keyline.stores.mysql.catalog.CatalogUnavailableException;
import org.keyline.stores.mysql.catalog.Dialect;
import org.keyline.stores.mysql.catalog.ReadFailure;
import org.keyline.stores.mysql.catalog.StoreConnection;
import org.keyline.stores.mysql.server.ServerAddress;
import org.keyline.stores.mysql.server.StoreServers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the server in use. If it fails, moves to another server of the store. Thread-safe.
 *
 * <p>The next server must show every write that any server has acknowledged. After {@code SYNC},
 * every frontend of Doris and StarRocks shows all these writes. In MySQL and MariaDB, only the
 * primary (the server with {@code read_only} off) shows them. A move first closes every session at
 * the old server, so that the old server acknowledges no more writes.
 */
public final class Failover implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Failover.class);
    private static final long PERIOD_MS = 1_000;

    interface Moves {
        /** Called when the old server's sessions are closed. Cached rows and rights are invalid. */
        void left();

        /** Called when a server is in use again. This is the old one if no other is usable. */
        void arrived();
    }

    private final CatalogOptions options;
    private final StoreServers servers;
    private final Duration silence;
    private final Dialect dialect;
    private final Set<ClientConnection> sessions = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean suspected = new AtomicBoolean();
    private final ScheduledThreadPoolExecutor watching = new ScheduledThreadPoolExecutor(1, task -> {
        Thread made = new Thread(task, "keyline-failover");
        made.setDaemon(true);
        return made;
    });

    private volatile Runnable suspects = () -> {};

    // Confined to the watching thread.
    private @Nullable StoreConnection watched;
    private boolean stuck;

    private Failover(CatalogOptions options, Duration silence, Dialect dialect) {
        this.options = options;
        this.servers = options.servers();
        // A silent server gets a second attempt, so each attempt has half of the time.
        this.silence = silence.dividedBy(2);
        this.dialect = dialect;
        watching.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    }

    /**
     * Chooses the first usable server. Blocks.
     *
     * @param silence the time after which a silent server is replaced
     * @return null if the store has only one server
     * @throws CatalogUnavailableException if no server is usable; the message has a reason for each
     * server
     */
    public static @Nullable Failover begin(CatalogOptions options, Duration silence) {
        StoreServers servers = options.servers();
        if (servers.all().size() == 1) {
            return null;
        }
        List<String> reasons = new ArrayList<>();
        ReadFailure unreachable = null;
        for (ServerAddress server : servers.all()) {
            try (StoreConnection opened = StoreConnection.open(options.at(server, options.connectTimeout()))) {
                Dialect dialect = opened.dialect();
                if (!dialect.isKnown()) {
                    throw new ReadFailure(
                            "store.url names several servers. Keyline supports this only for Doris, StarRocks, MySQL and"
                                    + " MariaDB, and does not recognise this store (version " + opened.serverVersion()
                                    + "). Name one server");
                }
                requireUsable(opened);
                servers.use(server);
                LOG.info(
                        "Keyline uses the server {} of the store; the configured servers are {}",
                        server,
                        servers.all());
                return new Failover(options, silence, dialect);
            } catch (ReadFailure e) {
                reasons.add(server + ": " + e.getMessage());
                unreachable = e.unreachable() ? e : unreachable;
            }
        }
        throw new CatalogUnavailableException(
                "no server of store.url can be used: " + String.join("; ", reasons), unreachable);
    }

    void start(Moves moves) {
        ScheduledFuture<?> unused =
                watching.scheduleWithFixedDelay(() -> check(moves), PERIOD_MS, PERIOD_MS, TimeUnit.MILLISECONDS);
        suspects = () -> {
            if (suspected.compareAndSet(false, true)) {
                watching.execute(() -> check(moves));
            }
        };
    }

    void suspect() {
        suspects.run();
    }

    /**
     * Registers an open session, so that a move closes it.
     *
     * @return false, without effect, if the session's server is no longer in use
     */
    boolean admit(ClientConnection connection) {
        sessions.add(connection);
        if (!servers.serves(connection.address())) {
            sessions.remove(connection);
            return false;
        }
        connection.closed().thenRun(() -> {
            sessions.remove(connection);
            suspect();
        });
        return true;
    }

    private void check(Moves moves) {
        suspected.set(false);
        try {
            String failure = failure();
            if (failure != null) {
                move(failure, moves);
            } else if (stuck) {
                stuck = false;
                LOG.info("The server {} of the store is usable again", servers.current());
            }
        } catch (RuntimeException e) {
            LOG.error(
                    "The servers of the store could not be checked, because of an error in Keyline. Please report it.",
                    e);
        }
    }

    /** Returns why another server should replace the server in use; null if none should. */
    private @Nullable String failure() {
        if (watched != null) {
            try {
                return replica(watched);
            } catch (ReadFailure e) {
                if (e.refused()) {
                    return null;
                }
                unwatch();
            }
        }
        try {
            watched = StoreConnection.open(options.at(servers.current(), silence));
            return replica(watched);
        } catch (ReadFailure e) {
            // A server that answers with an error is alive.
            return e.refused() ? null : e.getMessage();
        }
    }

    private void unwatch() {
        StoreConnection open = watched;
        watched = null;
        if (open != null) {
            open.abort();
        }
    }

    private void move(String failure, Moves moves) {
        ServerAddress before = servers.current();
        List<String> reasons = new ArrayList<>();
        boolean left = false;
        for (ServerAddress next : servers.all()) {
            if (next.equals(before)) {
                continue;
            }
            try (StoreConnection opened = StoreConnection.open(options.at(next, silence))) {
                if (opened.dialect() != dialect) {
                    throw new ReadFailure("the server is " + opened.dialect() + " instead of " + dialect);
                }
                requireUsable(opened);
                int ended = left ? 0 : leave(moves);
                left = true;
                // The new server is checked again, because the old server may have acknowledged
                // writes until its sessions were closed.
                requireUsable(opened);
                servers.use(next);
                stuck = false;
                LOG.warn(
                        "Keyline uses the server {} of the store instead of {} ({}). It closed {} sessions at the old server.",
                        next,
                        before,
                        failure,
                        ended);
                moves.arrived();
                return;
            } catch (ReadFailure e) {
                reasons.add(next + ": " + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
        if (left) {
            servers.use(before);
            moves.arrived();
        }
        if (!stuck) {
            stuck = true;
            LOG.warn(
                    "The server {} is not usable ({}), and no other server of store.url is usable: {}. Keyline continues with {} and tries again.",
                    before,
                    failure,
                    reasons,
                    before);
        }
    }

    /** Closes all sessions, waits until none can acknowledge a write, and returns their number. */
    private int leave(Moves moves) throws InterruptedException {
        servers.leave();
        List<CompletableFuture<?>> ended = new ArrayList<>();
        for (ClientConnection session : sessions) {
            session.abort();
            ended.add(session.closed().toCompletableFuture());
        }
        try {
            CompletableFuture.allOf(ended.toArray(CompletableFuture[]::new)).get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("closed() never fails", e);
        }
        unwatch();
        moves.left();
        return ended.size();
    }

    /** Makes the server catch up with all acknowledged writes. Throws if it is a replica. */
    private static void requireUsable(StoreConnection server) throws ReadFailure {
        String catchUp = server.dialect().catchUp();
        if (catchUp != null) {
            server.run(catchUp);
        }
        String replica = replica(server);
        if (replica != null) {
            throw new ReadFailure(replica);
        }
    }

    /** Returns why the server counts as a replica; null if it does not. */
    private static @Nullable String replica(StoreConnection server) throws ReadFailure {
        List<String> variables = server.dialect().replicaVariables();
        if (variables.isEmpty()) {
            server.rows().query("SHOW VARIABLES LIKE 'version'", row -> {});
            return null;
        }
        String[] on = {null};
        for (String variable : variables) {
            server.rows().query("SHOW GLOBAL VARIABLES LIKE '" + variable + "'", row -> {
                String value = row.required(2);
                if (!value.equals("OFF") && !value.equals("0")) {
                    on[0] = "it is a replica: " + variable + " = " + value;
                }
            });
        }
        return on[0];
    }

    @Override
    public void close() {
        suspects = () -> {};
        watching.shutdownNow();
    }
}
