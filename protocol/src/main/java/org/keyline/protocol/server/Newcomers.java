package org.keyline.protocol.server;

import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a server that have not logged in. If their memory is used up, the client that
 * has been silent longest is evicted. A connection that waits for the server is not silent.
 * Thread-safe.
 */
final class Newcomers {
    /** Silence after which a client always counts as slow. */
    static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * Silence after which a client counts as slow if no connection waits for the server and no
     * client sends anything. The server then has no backlog that explains the silence.
     */
    static final long ALL_SILENT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final LongSupplier nanos;
    /** The beginning of each connection's silence, in nanoseconds, oldest first. */
    private final Map<ServerConnection, Long> silent = new LinkedHashMap<>();

    private final Set<ServerConnection> served = new HashSet<>();
    private long lastReceived;

    Newcomers(LongSupplier nanos) {
        this.nanos = nanos;
        lastReceived = nanos.getAsLong();
    }

    long now() {
        return nanos.getAsLong();
    }

    synchronized void enter(ServerConnection connection) {
        served.add(connection);
    }

    /**
     * Called when the client has sent something. Has no effect for a connection that has logged in.
     */
    synchronized void received(ServerConnection connection) {
        if (silent.remove(connection) != null) {
            served.add(connection);
            lastReceived = nanos.getAsLong();
        }
    }

    /** Called when the server waits for the client. Has no effect after the login. */
    synchronized void awaited(ServerConnection connection) {
        if (served.remove(connection)) {
            silent.put(connection, nanos.getAsLong());
        }
    }

    synchronized int size() {
        return silent.size() + served.size();
    }

    /**
     * Returns whether the client that has been silent longest counts as slow.
     *
     * @param read the time up to which all bytes of clients have been read, in nanoseconds
     */
    synchronized boolean eldestIsSlow(long read) {
        Iterator<Long> since = silent.values().iterator();
        if (!since.hasNext()) {
            return false;
        }
        long silentFor = read - since.next();
        return silentFor > SLOW_NANOS
                || (served.isEmpty() && Math.min(silentFor, read - lastReceived) > ALL_SILENT_NANOS);
    }

    /** Removes a connection. Returns false if it was already evicted. */
    synchronized boolean leave(ServerConnection connection) {
        return silent.remove(connection) != null || served.remove(connection);
    }

    /**
     * Removes and returns the connection that has been silent longest, never {@code newest}; null
     * if no other connection is silent.
     */
    synchronized @Nullable ServerConnection takeEldest(ServerConnection newest) {
        Iterator<ServerConnection> all = silent.keySet().iterator();
        while (all.hasNext()) {
            ServerConnection next = all.next();
            if (!next.equals(newest)) {
                all.remove();
                return next;
            }
        }
        return null;
    }
}
