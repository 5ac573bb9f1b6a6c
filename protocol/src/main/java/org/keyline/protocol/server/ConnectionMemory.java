package org.keyline.protocol.server;

import org.jspecify.annotations.Nullable;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.memory.MemoryAccount;
import org.keyline.protocol.memory.MemoryBudget.Level;

/**
 * Counts one connection's memory on its {@link MemoryAccount}. Methods return the level of an
 * exceeded limit; null if no limit is exceeded. Confined to the event loop.
 */
final class ConnectionMemory {
    static final long LOGIN_BYTES = 8 * 1024;

    /** Memory of a session: its objects in the gateway, and the objects of its store session. */
    static final long SESSION_BYTES = 32 * 1024;

    /** Memory of one side of TLS: its engine, and a record in each direction. */
    static final long TLS_BYTES = 64 * 1024;

    /** Memory of zlib for both directions. */
    static final long COMPRESSION_BYTES = 320 * 1024;

    /** Minimum length of a counted command. {@link #SESSION_BYTES} includes shorter commands. */
    static final int LONG_COMMAND_BYTES = 16 * 1024;

    /** Number of copies of a command: received bytes, decoded text, and bytes for the store. */
    private static final int COPIES = 3;

    /** Buffers are counted in multiples of this size, so that small changes cost nothing. */
    private static final long STEP_BYTES = 4096;

    static long ofLogin(boolean tls) {
        return LOGIN_BYTES + STEP_BYTES + (tls ? TLS_BYTES : 0);
    }

    private final MemoryAccount account;
    private final Newcomers newcomers;
    private final ServerConnection connection;
    private long buffers;
    private long command;

    ConnectionMemory(ServerConnection connection, MemoryAccount account, Newcomers newcomers) {
        this.connection = connection;
        this.account = account;
        this.newcomers = newcomers;
    }

    MemoryAccount account() {
        return account;
    }

    @Nullable
    Level accepted() {
        newcomers.enter(connection);
        return takeFixed(LOGIN_BYTES);
    }

    void packetReceived() {
        newcomers.received(connection);
    }

    void awaitsClient() {
        newcomers.awaited(connection);
    }

    @Nullable
    Level loggedIn(String user) {
        if (!newcomers.leave(connection)) {
            return Level.LOGINS;
        }
        Level full = account.login(user);
        return full != null ? full : account.takeFixed(SESSION_BYTES);
    }

    /**
     * Takes memory that the connection needs even without data. During the login, this method can
     * evict other clients in login, first the one that has been silent longest.
     */
    @Nullable
    Level takeFixed(long bytes) {
        Level full = account.takeFixed(bytes);
        while (full == Level.LOGINS && evictOther()) {
            full = account.takeFixed(bytes);
        }
        return full;
    }

    private boolean evictOther() {
        ServerConnection eldest = newcomers.takeEldest(connection);
        if (eldest == null) {
            return false;
        }
        eldest.evict();
        return true;
    }

    @Nullable
    Level buffers(long bytes) {
        long counted = (bytes + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
        if (counted == buffers) {
            return null;
        }
        Level full = account.take(counted - buffers);
        while (full == Level.LOGINS && evictOther()) {
            full = account.take(counted - buffers);
        }
        if (full == null) {
            buffers = counted;
        }
        return full;
    }

    /** Counts a long command, except COM_STMT_SEND_LONG_DATA, which has no reply for an error. */
    @Nullable
    Level beginCommand(int code, int bytes) {
        if (bytes < LONG_COMMAND_BYTES || code == CommandCode.COM_STMT_SEND_LONG_DATA) {
            return null;
        }
        long copies = (long) COPIES * bytes;
        Level full = account.take(copies);
        if (full == null) {
            command = copies;
        }
        return full;
    }

    void endCommand() {
        if (command > 0) {
            account.give(command);
            command = 0;
        }
    }

    void close() {
        boolean unused = newcomers.leave(connection);
        account.close();
    }
}
