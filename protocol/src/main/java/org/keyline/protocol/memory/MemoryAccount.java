package org.keyline.protocol.memory;

import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.memory.MemoryBudget.Kind;
import org.keyline.protocol.memory.MemoryBudget.Level;
import org.keyline.protocol.memory.MemoryBudget.Pool;

/**
 * Counts the memory that the gateway uses for one connection, in bytes. Callers take bytes when a
 * buffer grows, and return them when it shrinks, not at each command. Thread-safe, because threads
 * of the embedded store use it, too.
 */
public final class MemoryAccount {
    private final MemoryBudget budget;
    private @Nullable String user;
    private Pool pool;
    private long used;
    private long fixed;
    private boolean closed;

    MemoryAccount(MemoryBudget budget, Pool logins) {
        this.budget = budget;
        this.pool = logins;
    }

    public static MemoryAccount unlimited() {
        return MemoryBudget.unlimited().open();
    }

    /**
     * Takes {@code bytes}; a negative number returns bytes.
     *
     * @return null if the bytes were taken; otherwise the level whose limit they would exceed
     */
    public synchronized @Nullable Level take(long bytes) {
        boolean little = used - fixed + bytes <= budget.small();
        return take(bytes, little ? Kind.LITTLE : Kind.MUCH);
    }

    /** Like {@link #take}, for memory that the connection needs even without data, as for TLS. */
    public synchronized @Nullable Level takeFixed(long bytes) {
        Level full = take(bytes, Kind.FIXED);
        fixed += full == null ? bytes : 0;
        return full;
    }

    private @Nullable Level take(long bytes, Kind kind) {
        if (closed) {
            return null;
        }
        if (bytes <= 0) {
            giveTaken(-bytes);
            return null;
        }
        if (used + bytes > budget.perConnection()) {
            return Level.CONNECTION;
        }
        if (!pool.take(bytes, kind)) {
            return pool.level;
        }
        if (!budget.process().take(bytes, kind)) {
            pool.give(bytes);
            return Level.PROCESS;
        }
        used += bytes;
        return null;
    }

    /** Returns the error for a client that exceeds its memory budget. */
    public synchronized ErrPacket refusal(Level level) {
        return switch (level) {
            case CONNECTION ->
                ErrPacket.of(
                        ErrorCode.ER_OUT_OF_SORTMEMORY,
                        "Out of memory: one connection may use " + budget.perConnection()
                                + " bytes of the gateway's memory");
            case USER ->
                user == null
                        ? ErrPacket.of(ErrorCode.ER_CON_COUNT_ERROR)
                        : ErrPacket.of(
                                ErrorCode.ER_USER_LIMIT_REACHED,
                                "User '" + user + "' has exceeded the 'memory' resource (current value: "
                                        + budget.perUser() + ")");
            case LOGINS -> ErrPacket.of(ErrorCode.ER_CON_COUNT_ERROR);
            case PROCESS ->
                ErrPacket.of(
                        ErrorCode.ER_OUT_OF_SORTMEMORY,
                        "Out of memory: all connections together may use " + budget.limit()
                                + " bytes of the gateway's memory");
        };
    }

    public synchronized void give(long bytes) {
        if (!closed) {
            giveTaken(bytes);
        }
    }

    private void giveTaken(long bytes) {
        used -= bytes;
        pool.give(bytes);
        budget.process().give(bytes);
    }

    /**
     * Assigns the account to a user. A later user replaces an earlier one.
     *
     * @return null if the user is assigned; otherwise the level whose limit would be exceeded
     */
    public synchronized @Nullable Level login(String name) {
        if (closed || name.equals(user)) {
            return null;
        }
        Pool entered = budget.enter(name);
        if (!entered.take(used, used - fixed <= budget.small() ? Kind.FIXED : Kind.MUCH)) {
            budget.leave(name);
            return Level.USER;
        }
        pool.give(used);
        budget.leave(user);
        pool = entered;
        user = name;
        return null;
    }

    /** Returns all bytes to the budget. Later calls of any method have no effect. */
    public synchronized void close() {
        if (!closed) {
            giveTaken(used);
            closed = true;
            budget.leave(user);
        }
    }

    public synchronized long used() {
        return used;
    }
}
