package org.keyline.protocol.memory;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * How many bytes all peers together, those of one user, and those that have not logged in may make this program keep, on
 * the heap or beside it. What a single connection keeps is in its {@link MemoryAccount}. Thread-safe.
 */
public final class MemoryBudget {
    /*
     * A tree: the process, its users, their connections; connections in login are one user more. Bytes are taken on every
     * level from below, and given back where a level has no room. No level has a lock: a level may refuse bytes that
     * another thread is just about to give back, never grant too many.
     */

    /** What has no room for more. */
    public enum Level {
        /** One connection: it asks for more than any connection may have. */
        CONNECTION,
        /** Connections of one user. */
        USER,
        /** Connections that have not logged in. */
        LOGINS,
        /** All together. */
        PROCESS
    }

    /** What bytes are taken for. */
    enum Kind {
        /** A connection that keeps much. */
        MUCH,
        /** One that keeps little beside its fixed part. */
        LITTLE,
        /** What every session takes. */
        FIXED
    }

    /**
     * What each level may take, in bytes.
     *
     * @param small up to which a connection keeps little, beside its fixed part
     * @param perUserAtMost of a user for connections that keep little, and what is fixed
     */
    private record Bounds(long all, long logins, long small, long perUser, long perUserAtMost, long perConnection) {
        static Bounds of(long bytes) {
            if (bytes <= 0) {
                throw new IllegalArgumentException("bytes: " + bytes + " (expected: > 0)");
            }
            return new Bounds(bytes, bytes / 8, bytes / 4096, bytes / 4 * 3, bytes / 16 * 13, bytes / 2);
        }
    }

    /** Bytes of one level, all that is below it included. Thread-safe. */
    final class Pool {
        final Level level;
        final AtomicLong used = new AtomicLong();
        /** Connections of a user. Changed within the map's own lock only. */
        int connections;

        Pool(Level level) {
            this.level = level;
        }

        boolean take(long bytes, Kind kind) {
            if (used.addAndGet(bytes) <= limit(kind)) {
                return true;
            }
            used.addAndGet(-bytes);
            return false;
        }

        private long limit(Kind kind) {
            Bounds now = bounds;
            return switch (level) {
                case PROCESS -> now.all;
                case LOGINS -> now.logins;
                case USER -> kind == Kind.MUCH ? now.perUser : now.perUserAtMost;
                case CONNECTION -> now.perConnection;
            };
        }

        void give(long bytes) {
            used.addAndGet(-bytes);
        }
    }

    private final Pool process = new Pool(Level.PROCESS);
    private final Pool logins = new Pool(Level.LOGINS);
    private final ConcurrentMap<String, Pool> users = new ConcurrentHashMap<>();
    private volatile Bounds bounds;

    /**
     * So many bytes in all; three quarters of them for one user, half for one connection, an eighth for all connections that
     * have not logged in. Connections that keep less than a four-thousandth beside their fixed part, and what is fixed, have another sixteenth of
     * all: they go on while others of that user have used up the three quarters. A last sixteenth is left to other users, whatever one user
     * and all who log in keep.
     */
    public MemoryBudget(long bytes) {
        bounds = Bounds.of(bytes);
    }

    /** Another number of bytes, 1 or more, from now on. What is taken stays taken; where that is more than a bound, nothing is added to it. */
    public void resize(long bytes) {
        bounds = Bounds.of(bytes);
    }

    /** A budget that is never spent. */
    public static MemoryBudget unlimited() {
        return new MemoryBudget(Long.MAX_VALUE / 2);
    }

    /** The account of a connection that has yet to log in. */
    public MemoryAccount open() {
        return new MemoryAccount(this, logins);
    }

    /** Bytes taken now. */
    public long used() {
        return process.used.get();
    }

    /** Bytes that may be taken. */
    public long limit() {
        return bounds.all;
    }

    /** Bytes that one connection may take. */
    public long perConnection() {
        return bounds.perConnection;
    }

    /** Bytes that all connections of one user may take. */
    public long perUser() {
        return bounds.perUser;
    }

    /** Bytes that connections may take which have not logged in. */
    public long perLogins() {
        return bounds.logins;
    }

    /** Bytes up to which a connection keeps little, beside its fixed part. */
    long small() {
        return bounds.small;
    }

    Pool process() {
        return process;
    }

    /** The bytes of one user, to be left again. */
    Pool enter(String user) {
        Pool entered = users.compute(user, (name, pool) -> {
            Pool of = pool == null ? new Pool(Level.USER) : pool;
            of.connections++;
            return of;
        });
        return entered;
    }

    /** Leaves the bytes of a user; {@code user} is null for a connection in login. */
    void leave(@Nullable String user) {
        if (user != null) {
            users.computeIfPresent(user, (name, pool) -> --pool.connections == 0 ? null : pool);
        }
    }

    /** Users that have connections. */
    int users() {
        return users.size();
    }
}
