package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;

/**
 * Handles one client's commands, one at a time and in order. Every method runs on the connection's
 * event loop and must not block. After a {@link org.keyline.protocol.ProtocolException}, the client
 * gets its error, and the connection is closed. Any other exception is a bug, for which the client
 * gets error 1105.
 */
public interface CommandHandler {
    /**
     * Handles a command. Never receives COM_QUIT. Receives COM_CHANGE_USER only if another server
     * decides the logins.
     *
     * @param payload starts with the command byte; borrowed until the method returns. It is the
     *     connection's own input buffer, so do not write to it, retain it or slice it, and do not
     *     read beyond its readable bytes
     * @param reply receives the answer, now or later. The handler calls {@link Reply#end} exactly
     *     once. A connection passes the same object for all commands
     */
    void command(ByteBuf payload, Reply reply);

    /**
     * Announces a command that will probably be dispatched soon. The handler may prefetch memory.
     * The call must not have any other effect, or throw.
     *
     * @param payload as for {@link #command}, but possibly longer than the limit for commands
     */
    default void ahead(ByteBuf payload) {}

    /** Handles an authenticated COM_CHANGE_USER: writes OK or an error, and ends the reply. */
    void changeUser(Login login, Reply reply);

    /** Called when a reply is complete, so that the handler can release the command's state. */
    default void answered() {}

    /** Returns whether a transaction is open. A stopping server waits for the transaction's end. */
    default boolean inTransaction() {
        return false;
    }

    /** Called when the client has closed its sending direction. The client might still read. */
    default void inputEnded() {}

    /** Called when the connection is closed or closing, exactly once. */
    void closed();
}
