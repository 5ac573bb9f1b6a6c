package org.keyline.gateway.merge;

import io.netty.channel.EventLoop;
import org.keyline.protocol.client.ReplySummary;

/**
 * An INSERT of one row whose client waits for the reply, and whose fences are closed until its outcome is known. Thread-safe: what is
 * asked for is done on its client's event loop.
 */
public interface WaitingInsert {
    /** Hears how a command ended, on the event loop of the session that ran it. */
    interface Hearer {
        void told(ReplySummary reply);

        /** The store session is gone; the outcome of the command is unknown. */
        void lost(Throwable cause);
    }

    /** Where its client lives. */
    EventLoop loop();

    /** Its row as SQL: the values in parentheses. */
    String row();

    /**
     * Sends it by itself, as the client sent it.
     *
     * @param then runs when it is answered, or will not be
     */
    void alone(Runnable then);

    /** Runs a statement of the gateway's own at its store session. */
    void send(String sql, Hearer hearer);

    /** Its row is in the store: its client is told so. */
    void committed();

    /** Nobody knows whether its row is in the store: its client is told what it would be told if its own store session were gone. */
    void lost(Throwable cause);
}
