package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;

/**
 * Handles one client's commands, one at a time and in order. Every method runs on the connection's
 * event loop and must not block. A {@link org.keyline.protocol.ProtocolException} sends its ERR
 * packet and closes the connection. Any other exception is a bug: it sends ERR 1105 and closes.
 */
public interface CommandHandler {
    /**
     * Handles a command. Never receives COM_QUIT and COM_CHANGE_USER.
     *
     * @param payload starts with the command byte; borrowed until the method returns, readable
     *     bytes only. It is the connection's own input: do not write to it, retain it or slice it
     * @param reply receives the answer, now or later, completed by exactly one {@link Reply#end};
     *     the same object for every command of a connection
     */
    void command(ByteBuf payload, Reply reply);

    /**
     * Announces a command that will probably be dispatched soon. The handler may prefetch memory;
     * it must have no other effect and throw nothing.
     *
     * @param payload as for {@link #command}, but possibly longer than the limit for commands
     */
    default void ahead(ByteBuf payload) {}

    /** Called after an authenticated COM_CHANGE_USER; writes OK or an error, and ends the reply. */
    void changeUser(Login login, Reply reply);

    /** Called when the last reply is complete, so that its state can be released. */
    default void answered() {}

    /** Returns whether a transaction is open. A draining server waits for it. */
    default boolean inTransaction() {
        return false;
    }

    /** Called when the client sends nothing more. It may still read a reply. */
    default void inputEnded() {}

    /** Called when the connection is closed or closing, exactly once. */
    void closed();
}
