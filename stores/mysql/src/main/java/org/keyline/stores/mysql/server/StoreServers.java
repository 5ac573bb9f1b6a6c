package org.keyline.stores.mysql.server;

import java.net.SocketAddress;
import java.util.List;

/**
 * The servers of one store. At any time all connections use the same server, because another server
 * might not yet show writes that this server has acknowledged. Thread-safe; changed by one thread.
 */
public final class StoreServers {
    private final List<ServerAddress> all;
    private volatile ServerAddress current;
    private volatile boolean leaving;

    /** @param all at least one server, in order of preference; the first is used at the start */
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

    /** Returns the server in use; between {@link #leave} and {@link #use}, the previous server. */
    public ServerAddress current() {
        return current;
    }

    /** Returns whether new sessions at this address may be used; false during a move. */
    public boolean serves(SocketAddress address) {
        // `leaving` must be read first, because use() resets it after it has set the next server.
        return !leaving && current.unresolved().equals(address);
    }

    public void leave() {
        leaving = true;
    }

    public void use(ServerAddress next) {
        current = next;
        leaving = false;
    }
}
