package org.keyline.protocol.server;

import java.util.concurrent.CompletionStage;

/** Opens sessions. Thread-safe, because the connections of all loops share one factory. */
public interface SessionFactory {
    /**
     * Opens the session of an authenticated client. Called on the peer's loop; the stage may
     * complete later, on any thread.
     *
     * @return a stage that completes with the session, or fails. After a {@link LoginRefused}, the
     *     client gets its error. After any other exception, it gets error 1105. The connection is
     *     then closed. If the client disconnects before the session is open, the session's {@link
     *     CommandHandler#closed} is called
     */
    CompletionStage<CommandHandler> open(Login login, Peer peer);
}
