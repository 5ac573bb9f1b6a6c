package org.keyline.protocol.memory;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The memory limits, on and off the heap, for all peers together, for one user, and for connections
 * that have not logged in. {@link MemoryAccount} counts the memory of a single connection.
 * Thread-safe.
 */
public final class MemoryBudget {
    /*
     * A tree: the process, its users, their connections; connections in login count as one more
     * user. Bytes are taken on every level from the bottom up, and returned if a level's limit is
     * exceeded. No level has a lock. So a level may refuse bytes that another thread is about to
     * return, but never grants too many.
     */

    /** The level whose limit is exceeded. */
    public enum Level {
        /** One connection exceeds the maximum for any connection. */
        CONNECTION,
        /** The connections of one user. */
        USER,
        /** The connections that have not logged in. */
        LOGINS,
        /** All connections together. */
        PROCESS
    }

    /** The kind of memory that a caller takes. */
    enum Kind {
        /** Memory of a connection beyond the small limit. */
        MUCH,
        /** Memory of a connection within the small limit. */
        LITTLE,
        /** The fixed part that every session needs. */
        FIXED
    }

    /**
     * The limits of each level, in bytes.
     *
     * @param small a connection is small if it uses at most this much beyond its fixed part
     * @param perUserAtMost a user's limit for small connections and fixed parts; all other requests
     *     are checked against {@code perUser}
     */
    private record Bounds(long all, long logins, long small, long perUser, long perUserAtMost, long perConnection) {
        static Bounds of(long bytes) {
            if (bytes <= 0) {
                throw new IllegalArgumentException("bytes: " + bytes + " (expected: > 0)");
            }
            return new Bounds(bytes, bytes / 8, bytes / 4096, bytes / 4 * 3, bytes / 16 * 13, bytes / 2);
        }
    }

    /** The bytes of one level, including all levels below. Thread-safe. */
    final class Pool {
        final Level level;
        final AtomicLong used = new AtomicLong();
        /** Number of connections of a user. Modified only within the map's lock. */
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
     * Creates a budget of {@code bytes}: three quarters for one user, half for one connection, an
     * eighth for all connections that have not logged in. Another sixteenth of the total is for the
     * small needs of that user: fixed parts, and connections that use at most 1/4096 of the total
     * beyond their fixed part. So these continue to work after other connections of that user have
     * used up the three quarters. The last sixteenth remains for other users, whatever one user and
     * all logins use.
     */
    public MemoryBudget(long bytes) {
        bounds = Bounds.of(bytes);
    }

    /**
     * Changes the total, 1 byte or more. Taken bytes remain taken; a level above its new limit
     * refuses further bytes.
     */
    public void resize(long bytes) {
        bounds = Bounds.of(bytes);
    }

    /** Returns a budget without limits. */
    public static MemoryBudget unlimited() {
        return new MemoryBudget(Long.MAX_VALUE / 2);
    }

    /** Opens the account of a connection that has not logged in yet. */
    public MemoryAccount open() {
        return new MemoryAccount(this, logins);
    }

    /** Returns how many bytes are taken. */
    public long used() {
        return process.used.get();
    }

    /** Returns the total limit in bytes. */
    public long limit() {
        return bounds.all;
    }

    /** Returns the limit of one connection in bytes. */
    public long perConnection() {
        return bounds.perConnection;
    }

    /** Returns the limit of all connections of one user in bytes. */
    public long perUser() {
        return bounds.perUser;
    }

    /** Returns the limit of all connections that have not logged in, in bytes. */
    public long perLogins() {
        return bounds.logins;
    }

    /** Returns how many bytes a small connection may use beyond its fixed part. */
    long small() {
        return bounds.small;
    }

    Pool process() {
        return process;
    }

    /** Returns the pool of one user. Each call must be paired with {@link #leave}. */
    Pool enter(String user) {
        Pool entered = users.compute(user, (name, pool) -> {
            Pool of = pool == null ? new Pool(Level.USER) : pool;
            of.connections++;
            return of;
        });
        return entered;
    }

    /** Leaves the pool of a user; {@code user} is null for a connection in login. */
    void leave(@Nullable String user) {
        if (user != null) {
            users.computeIfPresent(user, (name, pool) -> --pool.connections == 0 ? null : pool);
        }
    }

    /** Returns the number of users with connections. */
    int users() {
        return users.size();
    }
}
