package org.keyline.gateway.store;

import io.netty.buffer.ByteBuf;

/** One connection to the store, with its variables, transaction and prepared statements. Confined to its event loop. */
public interface StoreSession {
    /**
     * Runs one command. The next one may be sent only after the listener heard {@link ReplyListener#end} or
     * {@link ReplyListener#lost}.
     *
     * @param payload command byte first, without packet header; borrowed until the method returns
     * @param listener hears the reply on the session's loop, at the earliest during this call
     */
    void send(ByteBuf payload, ReplyListener listener);

    /** Stops the flow of the running reply soon: a few chunks may still arrive. */
    void pause();

    /** Lets the reply flow again. */
    void resume();

    /** Ends the session, rolls back what is open and interrupts a running command, whose listener hears {@code lost}. */
    void close();
}
