package org.keyline.protocol.server;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a server that have not logged in. Where their memory is used up, whoever has been here for longest has to
 * leave: a client that means to log in does so in milliseconds, so those that only occupy a place crowd out each other. Thread-safe.
 */
final class Newcomers {
    private final Set<ServerConnection> waiting = new LinkedHashSet<>();

    synchronized void enter(ServerConnection connection) {
        waiting.add(connection);
    }

    /** False where it had to leave already. */
    synchronized boolean leave(ServerConnection connection) {
        return waiting.remove(connection);
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
        Iterator<ServerConnection> all = waiting.iterator();
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
