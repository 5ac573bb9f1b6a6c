package org.keyline.protocol.server;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a server that have not logged in. Where their memory is used up, whoever has been here for longest has to
 * leave: a client that means to log in does so in milliseconds, so those that only occupy a place crowd out each other. Thread-safe.
 */
final class Newcomers {
    private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Since when, in the order in which they came. */
    private final Map<ServerConnection, Long> waiting = new LinkedHashMap<>();

    synchronized void enter(ServerConnection connection) {
        waiting.put(connection, System.nanoTime());
    }

    synchronized int size() {
        return waiting.size();
    }

    /** Whether whoever has been here for longest has been so for longer than a client needs that means to log in. */
    synchronized boolean eldestIsSlow() {
        Iterator<Long> since = waiting.values().iterator();
        return since.hasNext() && System.nanoTime() - since.next() > SLOW_NANOS;
    }

    /** False where it had to leave already. */
    synchronized boolean leave(ServerConnection connection) {
        return waiting.remove(connection) != null;
    }

    /** Ends the eldest but this one, whose memory is given back at once; false where there is none. */
    boolean evictOther(ServerConnection newest) {
        ServerConnection eldest = takeEldest(newest);
        if (eldest == null) {
            return false;
        }
        eldest.evict();
        return true;
    }

    private synchronized @Nullable ServerConnection takeEldest(ServerConnection newest) {
        Iterator<ServerConnection> all = waiting.keySet().iterator();
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
