package org.keyline.protocol.server;

import java.util.concurrent.CompletionStage;

/** Opens sessions. Thread-safe: connections of all loops share one factory. */
public interface SessionFactory {
    /**
     * Opens the session of an authenticated client. Called on the peer's loop; the stage may
     * complete later, on any thread.
     *
     * @return the session, or a failure: {@link LoginRefused} becomes its ERR packet, any other
     * exception ERR 1105, and the connection is closed. If the client has disconnected meanwhile,
     * {@link CommandHandler#closed} is called
     */
    CompletionStage<CommandHandler> open(Login login, Peer peer);
}
