package org.keyline.gateway.views;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.server.Login;
import org.keyline.protocol.server.Peer;

/** The logged-in clients. Thread-safe. */
public final class Clients {
    private static final int MAX_LISTED = 10_000;

    private final ConcurrentMap<Integer, Client> clients = new ConcurrentHashMap<>();

    /**
     * The store session of a client.
     *
     * @param held whether the client has a store session
     * @param because why the store session of an idle client is not released; null for a released
     * session or a client that is not idle
     */
    public record StoreSession(boolean held, @Nullable String because) {}

    /** A client. Only the event loop of its connection may call {@link #command}. */
    public static final class Client {
        private final Login login;
        private final Peer peer;
        private final Supplier<@Nullable String> catalog;
        private final Supplier<@Nullable String> forwarding;
        private final Supplier<StoreSession> store;
        private final Instant since = Instant.now();
        private final AtomicLong commands = new AtomicLong();

        private Client(
                Login login,
                Peer peer,
                Supplier<@Nullable String> catalog,
                Supplier<@Nullable String> forwarding,
                Supplier<StoreSession> store) {
            this.store = store;
            this.login = login;
            this.peer = peer;
            this.catalog = catalog;
            this.forwarding = forwarding;
        }

        public void command() {
            commands.lazySet(commands.getPlain() + 1);
        }

        private List<@Nullable Object> row() {
            StoreSession session = store.get();
            return Rows.row(
                    login.connectionId(),
                    login.user(),
                    login.remote().getHostAddress(),
                    login.database(),
                    login.tls(),
                    Rows.time(since),
                    commands.get(),
                    catalog.get(),
                    forwarding.get(),
                    session.held(),
                    session.because());
        }
    }

    /**
     * Adds a client. A later login on the same connection replaces it.
     *
     * @param catalog returns the current catalog of the client's store session, null if unknown;
     * called on any thread
     * @param forwarding returns why all reads of this client go to the store; null if lines may
     * answer them; called on any thread
     * @param store returns the client's store session; called on any thread
     */
    public Client opened(
            Login login,
            Peer peer,
            Supplier<@Nullable String> catalog,
            Supplier<@Nullable String> forwarding,
            Supplier<StoreSession> store) {
        Client client = new Client(login, peer, catalog, forwarding, store);
        clients.put(login.connectionId(), client);
        return client;
    }

    /** Closes the connections of all clients whose login matches. */
    public void end(Predicate<Login> matches) {
        clients.values().stream()
                .filter(client -> matches.test(client.login))
                .forEach(client -> client.peer.closeConnection());
    }

    public void closed(int connectionId) {
        clients.remove(connectionId);
    }

    int count() {
        return clients.size();
    }

    List<List<@Nullable Object>> rows() {
        return clients.values().stream().limit(MAX_LISTED).map(Client::row).toList();
    }
}
