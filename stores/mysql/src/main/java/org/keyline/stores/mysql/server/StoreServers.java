package org.keyline.stores.mysql.server;

import java.net.SocketAddress;
import java.util.List;

/**
 * The servers of one store. All connections use the same server at a time: sessions of clients,
 * load sessions, the catalog and the change signal. Another server might not yet show writes that
 * this server has acknowledged. Thread-safe; changed by one thread.
 */
public final class StoreServers {
    private final List<ServerAddress> all;
    private volatile ServerAddress current;
    private volatile boolean leaving;

    /**
     * @param all in order of preference, at least one. The first server is used until {@link #use}
     *     selects another
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

    /** Returns the server in use; between {@link #leave} and {@link #use}, the previous one. */
    public ServerAddress current() {
        return current;
    }

    /** Returns whether a connection to this address may be used. */
    public boolean serves(SocketAddress address) {
        // The order matters: leave() is called before use().
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
