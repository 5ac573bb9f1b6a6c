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
     * The levels form a tree of the process, its users, and their connections. Together, all
     * connections that have not logged in count as one more user. No level has a lock. So a level
     * can refuse bytes although another thread is about to return some, but it never grants too
     * many.
     */

    public enum Level {
        CONNECTION,
        USER,
        LOGINS,
        PROCESS
    }

    /** The kinds of bytes: of a large connection, a small one, or any connection's fixed part. */
    enum Kind {
        MUCH,
        LITTLE,
        FIXED
    }

    /**
     * The limits of each level, in bytes.
     *
     * @param small a connection is small if it uses at most this many bytes besides its fixed part
     * @param perUserAtMost a user's limit for bytes of small connections and of fixed parts; {@code
     *     perUser} applies to all other bytes
     */
    private record Bounds(long all, long logins, long small, long perUser, long perUserAtMost, long perConnection) {
        static Bounds of(long bytes) {
            if (bytes <= 0) {
                throw new IllegalArgumentException("bytes: " + bytes + " (expected: > 0)");
            }
            return new Bounds(bytes, bytes / 8, bytes / 4096, bytes / 4 * 3, bytes / 16 * 13, bytes / 2);
        }
    }

    /** Counts the bytes of the process, of one user, or of all logins. Thread-safe. */
    final class Pool {
        final Level level;
        final AtomicLong used = new AtomicLong();
        /** Number of the user's connections. Changes only within atomic operations of the map. */
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
     * Creates a budget of {@code bytes}. A user may take up to three quarters of it, a connection
     * half, and all logins together an eighth. Beyond three quarters, a user may take another
     * sixteenth, but only for fixed parts (login, session, TLS, compression) and for small
     * connections, so that these continue to work. A connection is small if it takes at most 1/4096
     * of the total besides its fixed part. The last sixteenth remains for other users.
     */
    public MemoryBudget(long bytes) {
        bounds = Bounds.of(bytes);
    }

    /** Changes the total, 1 byte or more. A level above its new limit refuses further bytes. */
    public void resize(long bytes) {
        bounds = Bounds.of(bytes);
    }

    /** Returns a budget without limits. */
    public static MemoryBudget unlimited() {
        return new MemoryBudget(Long.MAX_VALUE / 2);
    }

    public MemoryAccount open() {
        return new MemoryAccount(this, logins);
    }

    public long used() {
        return process.used.get();
    }

    public long limit() {
        return bounds.all;
    }

    public long perConnection() {
        return bounds.perConnection;
    }

    public long perUser() {
        return bounds.perUser;
    }

    public long perLogins() {
        return bounds.logins;
    }

    long small() {
        return bounds.small;
    }

    Pool process() {
        return process;
    }

    /**
     * Adds a connection of the user and returns the user's pool. Each call must be paired with
     * {@link #leave}.
     */
    Pool enter(String user) {
        Pool entered = users.compute(user, (name, pool) -> {
            Pool of = pool == null ? new Pool(Level.USER) : pool;
            of.connections++;
            return of;
        });
        return entered;
    }

    /** @param user null for a connection in login */
    void leave(@Nullable String user) {
        if (user != null) {
            users.computeIfPresent(user, (name, pool) -> --pool.connections == 0 ? null : pool);
        }
    }

    int users() {
        return users.size();
    }
}
