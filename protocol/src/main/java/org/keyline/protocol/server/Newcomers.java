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
 * The connections of a server that have not logged in. Where their memory is used up, the client has to leave that has been silent for
 * longest: one that means to log in answers in milliseconds, so those that only occupy a place crowd out each other. Who waits for
 * the server does not count as silent. Thread-safe.
 */
final class Newcomers {
    /** A client that has been silent for so long is slow, whatever the others do. */
    static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** It is slow after so long already where nobody waits for the server and no client says anything: then it is not the server that is behind. */
    static final long ALL_SILENT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final LongSupplier nanos;
    /** Whose next packet is awaited, since when, in that order. */
    private final Map<ServerConnection, Long> silent = new LinkedHashMap<>();
    /** Who waits for the server. */
    private final Set<ServerConnection> served = new HashSet<>();
    /** When anyone was last heard of. */
    private long heard;

    /** @param nanos a clock such as {@link System#nanoTime} */
    Newcomers(LongSupplier nanos) {
        this.nanos = nanos;
        heard = nanos.getAsLong();
    }

    /** The clock's time. */
    long now() {
        return nanos.getAsLong();
    }

    /** The server is about to greet it. */
    synchronized void enter(ServerConnection connection) {
        served.add(connection);
    }

    /** A packet of it has come. Nothing for a connection that is none of these. */
    synchronized void heard(ServerConnection connection) {
        if (silent.remove(connection) != null) {
            served.add(connection);
            heard = nanos.getAsLong();
        }
    }

    /** The server has said what it has to say. Nothing for a connection that is none of these. */
    synchronized void awaited(ServerConnection connection) {
        if (served.remove(connection)) {
            silent.put(connection, nanos.getAsLong());
        }
    }

    synchronized int size() {
        return silent.size() + served.size();
    }

    /**
     * Whether whoever has been silent for longest has been so for longer than a client needs that means to log in.
     *
     * @param read by the clock, the moment up to which all has been heard that clients sent
     */
    synchronized boolean eldestIsSlow(long read) {
        Iterator<Long> since = silent.values().iterator();
        if (!since.hasNext()) {
            return false;
        }
        long silentFor = read - since.next();
        return silentFor > SLOW_NANOS || (served.isEmpty() && Math.min(silentFor, read - heard) > ALL_SILENT_NANOS);
    }

    /** False where it had to leave already. */
    synchronized boolean leave(ServerConnection connection) {
        return silent.remove(connection) != null || served.remove(connection);
    }

    /** Takes out whoever has been silent for longest but this one, to be ended; null where there is none. */
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
