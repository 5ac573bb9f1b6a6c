package org.keyline.stores.mysql.server;

import java.net.SocketAddress;
import java.util.List;

/**
 * The servers of one store, of which everybody uses the same one at a time: sessions of clients and of loads, the catalog and the change
 * signal. Another server may not show yet what this one has acknowledged. Thread-safe; changed by one thread.
 */
public final class StoreServers {
    private final List<ServerAddress> all;
    private volatile ServerAddress current;
    private volatile boolean leaving;

    /** @param all in the order of preference, one at least; the first one is used until another one is chosen */
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

    /** The one in use, or, between {@link #leave} and {@link #use}, the one that was. */
    public ServerAddress current() {
        return current;
    }

    /** Whether a connection to this address may be used. */
    public boolean serves(SocketAddress address) {
        // In this order: leave() comes before use().
        return current.unresolved().equals(address) && !leaving;
    }

    /** From now on no connection may be used, until {@link #use}. */
    public void leave() {
        leaving = true;
    }

    /** From now on this one is used. */
    public void use(ServerAddress next) {
        current = next;
        leaving = false;
    }
}
