package org.keyline.gateway.merge;

import io.netty.channel.EventLoop;
import org.keyline.protocol.client.ReplySummary;

/** A client's single-row INSERT with closed fences. Thread-safe; runs on the client's loop. */
public interface WaitingInsert {
    /** Called on the event loop of the session that ran the command. */
    interface Listener {
        void received(ReplySummary reply);

        /** Called when the store session is closed and the outcome of the command is unknown. */
        void lost(Throwable cause);
    }

    EventLoop loop();

    /** Returns the row as SQL: its values in parentheses. */
    String row();

    /**
     * Sends the INSERT as the client wrote it.
     *
     * @param then runs after the reply, or when a reply is no longer possible
     */
    void alone(Runnable then);

    /** Runs an internal statement on the store session of this INSERT's client. */
    void send(String sql, Listener listener);

    /** Called when the row is committed. */
    void committed();

    /** Reports an unknown outcome to the client, as if the client's store session were lost. */
    void lost(Throwable cause);
}
