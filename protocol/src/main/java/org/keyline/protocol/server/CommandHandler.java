package org.keyline.protocol.server;

import io.netty.buffer.ByteBuf;

/**
 * One client's commands, one at a time and in order. Every method runs on the connection's event loop and must not
 * block. A {@link org.keyline.protocol.ProtocolException} thrown here is answered with its ERR packet and closes the
 * connection; any other exception is a bug: ERR 1105, then close.
 */
public interface CommandHandler {
    /**
     * A command. COM_QUIT and COM_CHANGE_USER do not come this way.
     *
     * @param payload command byte first; borrowed until the method returns, and only its readable bytes: it is the
     *     connection's own input, so neither write to it nor keep or slice it
     * @param reply takes the answer now or later, ended by exactly one {@link Reply#end}; the same object for every
     *     command of a connection
     */
    void command(ByteBuf payload, Reply reply);

    /**
     * A command that is dispatched soon, unless one before it makes it void. Its handler may bring what it will look for near to the
     * processor, for several of them at once; nothing else may come of it, and it throws nothing.
     *
     * @param payload as for {@link #command}, which has a limit of its length that does not hold here
     */
    default void ahead(ByteBuf payload) {}

    /** COM_CHANGE_USER was authenticated: start afresh as this user, answer OK or an error, then end the reply. */
    void changeUser(Login login, Reply reply);

    /** The reply to the last command has ended: what was kept to answer it is needed no more. */
    default void answered() {}

    /** Whether a transaction is open, so that a server that drains leaves the connection its time to end it. */
    default boolean inTransaction() {
        return false;
    }

    /** The client has closed its end of the connection, or one direction of it; it may still read a reply in hand. */
    default void inputEnded() {}

    /** The connection is gone, or going; called exactly once. A reply in hand need not be ended any more. */
    void closed();
}
