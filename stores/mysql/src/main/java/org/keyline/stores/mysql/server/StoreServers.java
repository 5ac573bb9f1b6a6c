package org.keyline.stores.mysql.server;

import java.net.SocketAddress;
import java.util.List;

/**
 * The servers of one store. All connections use the same one at a time: sessions of clients and of
 * loads, the catalog and the change signal. Another server may not yet show what this one has
 * acknowledged. Thread-safe; changed by one thread.
 */
public final class StoreServers {
    private final List<ServerAddress> all;
    private volatile ServerAddress current;
    private volatile boolean leaving;

    /**
     * @param all in order of preference, at least one; the first one is used until another one is
     *     chosen
     */
    public StoreServers(List<ServerAddress> all) {
        if (all.isEmpty()) {
            throw new IllegalArgumentException("no server");
        }
        this.all = List.copyOf(all);
        this.current = all.get(0);
    }

    public List<ServerAddress> all() {
        return all;
    }

    /** Returns the server in use or, between {@link #leave} and {@link #use}, the previous one. */
    public ServerAddress current() {
        return current;
    }

    /** Returns whether a connection to this address may be used. */
    public boolean serves(SocketAddress address) {
        // In this order: leave() comes before use().
        return current.unresolved().equals(address) && !leaving;
    }

    /** Forbids all connections until {@link #use}. */
    public void leave() {
        leaving = true;
    }

    /** Selects the server for all connections. */
    public void use(ServerAddress next) {
        current = next;
        leaving = false;
    }
}
