package org.keyline.gateway.merge;

import io.netty.channel.EventLoop;
import org.keyline.protocol.client.ReplySummary;

/**
 * An INSERT of one row. Its client waits for the reply, and its fences are closed until its outcome
 * is known. Thread-safe: its methods run on the client's event loop.
 */
public interface WaitingInsert {
    /**
     * A listener for the completion of a command, called on the event loop of the session that ran
     * it.
     */
    interface Listener {
        void received(ReplySummary reply);

        /**
         * Reports that the store session is closed and that the outcome of the command is unknown.
         */
        void lost(Throwable cause);
    }

    /** Returns the client's event loop. */
    EventLoop loop();

    /** Returns the row as SQL: the values in parentheses. */
    String row();

    /**
     * Sends the INSERT separately, as the client wrote it.
     *
     * @param then runs after the reply, or when a reply is no longer possible
     */
    void alone(Runnable then);

    /** Runs an internal statement on the store session of this INSERT's client. */
    void send(String sql, Listener listener);

    /** Reports to the client that the row is committed. */
    void committed();

    /** Reports an unknown outcome to the client, as after the loss of its own store session. */
    void lost(Throwable cause);
}
