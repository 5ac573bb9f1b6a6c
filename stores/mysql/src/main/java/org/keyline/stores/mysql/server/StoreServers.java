package org.keyline.stores.mysql.server;

import java.net.SocketAddress;
import java.util.List;

/**
 * The servers of one store. All connections use the same server at a time, because another server
 * might not yet show writes that this server has acknowledged. Thread-safe; changed by one thread.
 */
public final class StoreServers {
    private final List<ServerAddress> all;
    private volatile ServerAddress current;
    private volatile boolean leaving;

    /** @param all in order of preference, at least one; the first is used at the start */
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

    /** Returns the server in use; the previous one between {@link #leave} and {@link #use}. */
    public ServerAddress current() {
        return current;
    }

    public boolean serves(SocketAddress address) {
        // The order matters: leave() is called before use().
        return current.unresolved().equals(address) && !leaving;
    }

    public void leave() {
        leaving = true;
    }

    public void use(ServerAddress next) {
        current = next;
        leaving = false;
    }
}
