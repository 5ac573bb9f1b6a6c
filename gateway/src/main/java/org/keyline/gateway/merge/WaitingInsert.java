package org.keyline.gateway.merge;

import io.netty.channel.EventLoop;
import org.keyline.protocol.client.ReplySummary;

/**
 * An INSERT of one row whose client waits for the reply, and whose fences are closed until its
 * outcome is known. Thread-safe: its methods run on its client's event loop.
 */
public interface WaitingInsert {
    /** A listener for the end of a command, on the event loop of the session that ran it. */
    interface Listener {
        void received(ReplySummary reply);

        /** Reports that the store session is closed and the outcome of the command unknown. */
        void lost(Throwable cause);
    }

    /** Returns the client's event loop. */
    EventLoop loop();

    /** Returns its row as SQL: the values in parentheses. */
    String row();

    /**
     * Sends it by itself, as the client sent it.
     *
     * @param then runs after the reply, or when there will be none
     */
    void alone(Runnable then);

    /** Runs a statement of the gateway's own on its store session. */
    void send(String sql, Listener listener);

    /** Reports to the client that the row is committed. */
    void committed();

    /**
     * Reports to the client that the outcome is unknown, as after the loss of its own store
     * session.
     */
    void lost(Throwable cause);
}
