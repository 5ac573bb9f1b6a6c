package org.keyline.protocol.server;

import org.jspecify.annotations.Nullable;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.memory.MemoryAccount;
import org.keyline.protocol.memory.MemoryBudget.Level;

/**
 * What one connection itself keeps, on its account: a fixed part, the command in hand, and its buffers, which change all the time and are
 * looked at when something is left in them. Confined to the event loop.
 */
final class ConnectionMemory {
    /** Channel, handlers and login. */
    static final long LOGIN_BYTES = 8 * 1024;

    /** A session: here, and what it has at the store. */
    static final long SESSION_BYTES = 32 * 1024;

    /** One side of TLS: its engine, and a record in each direction. */
    static final long TLS_BYTES = 64 * 1024;

    /** What zlib takes for both directions. */
    static final long COMPRESSION_BYTES = 320 * 1024;

    /** Shorter commands are part of {@link #SESSION_BYTES}. */
    static final int LONG_COMMAND_BYTES = 16 * 1024;

    /** A command is kept until it is answered, as text to be planned or parameters to be read, and on its way to the store. */
    private static final int COPIES = 3;

    /** Buffers are counted in steps, so that a few bytes more or less cost nothing. */
    private static final long STEP_BYTES = 4096;

    /** What a client that logs in keeps at most: its packets are short. */
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

    /** A connection was accepted: others that are in login may have to leave for it. */
    @Nullable
    Level accepted() {
        newcomers.enter(connection);
        return takeFixed(LOGIN_BYTES);
    }

    /** A packet of the handshake has come. */
    void heard() {
        newcomers.heard(connection);
    }

    /** It is for the client to send the next packet of the handshake, or to go. */
    void awaitsClient() {
        newcomers.awaited(connection);
    }

    /** The client is this user, whose session is about to be opened. */
    @Nullable
    Level loggedIn(String user) {
        if (!newcomers.leave(connection)) {
            return Level.LOGINS;
        }
        Level full = account.login(user);
        return full != null ? full : account.takeFixed(SESSION_BYTES);
    }

    /** Takes a fixed part; while the client is in login, those who have been silent for longest leave for it. */
    @Nullable
    Level takeFixed(long bytes) {
        Level full = account.takeFixed(bytes);
        while (full == Level.LOGINS && evictOther()) {
            full = account.takeFixed(bytes);
        }
        return full;
    }

    /** Ends another login, whose memory is given back at once; false where there is none that may be ended. */
    private boolean evictOther() {
        ServerConnection eldest = newcomers.takeEldest(connection);
        if (eldest == null) {
            return false;
        }
        eldest.evict();
        return true;
    }

    /** Brings the account up to what the buffers take now. */
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

    /**
     * A command of so many bytes is about to be dispatched. One that has no reply cannot be refused here: who keeps what it brings takes
     * for it.
     */
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

    /** The command in hand is answered. */
    void endCommand() {
        if (command > 0) {
            account.give(command);
            command = 0;
        }
    }

    /** The connection is gone. */
    void close() {
        boolean unused = newcomers.leave(connection);
        account.close();
    }
}
