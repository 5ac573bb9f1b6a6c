package org.keyline.protocol.memory;

import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.memory.MemoryBudget.Kind;
import org.keyline.protocol.memory.MemoryBudget.Level;
import org.keyline.protocol.memory.MemoryBudget.Pool;

/**
 * The bytes that one connection makes this program keep. Taken where something grows and given back where it shrinks, never
 * per command; what is still taken when the connection ends is given back then. Thread-safe: a store's workers take too.
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

    /** An account that never lacks room, for what is no client's. */
    public static MemoryAccount unlimited() {
        return MemoryBudget.unlimited().open();
    }

    /**
     * Takes bytes, or fewer than none.
     *
     * @return null, or what has no room for them; then none are taken
     */
    public synchronized @Nullable Level take(long bytes) {
        boolean little = used - fixed + bytes <= budget.small();
        return take(bytes, little ? Kind.LITTLE : Kind.MUCH);
    }

    /** Takes what every connection of its kind takes, for as long as it is there. */
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

    /** What a client is told for which there was no room. */
    public synchronized ErrPacket refusal(Level level) {
        return switch (level) {
            case CONNECTION ->
                ErrPacket.of(
                        ErrorCode.ER_OUT_OF_SORTMEMORY,
                        "Out of memory: one connection may make the gateway keep " + budget.perConnection() + " bytes");
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
                        "Out of memory: all connections together may make the gateway keep " + budget.limit()
                                + " bytes");
        };
    }

    /** Gives bytes back. */
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
     * From now on this is a connection of that user, which may also be another one than before.
     *
     * @return null, or what has no room for what was taken; then nothing has changed
     */
    public synchronized @Nullable Level login(String name) {
        if (closed) {
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

    /** The connection has ended: everything is given back, and whatever comes later is not counted. */
    public synchronized void close() {
        if (!closed) {
            giveTaken(used);
            closed = true;
            budget.leave(user);
        }
    }

    /** Bytes taken now. */
    public synchronized long used() {
        return used;
    }
}
