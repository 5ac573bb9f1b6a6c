package org.keyline.protocol.server;

import java.util.concurrent.CompletionStage;

/** Opens sessions. Thread-safe: connections of all loops share one. */
public interface SessionFactory {
    /**
     * Opens the session of a client that was authenticated. Called on the peer's loop; the stage may complete later, on
     * any thread. The client gets its OK after that.
     *
     * @return the session, or a failure: {@link LoginRefused} becomes its ERR packet, any other exception ERR 1105; then
     *     the connection is closed. Where the client left meanwhile, the handler is told by
     *     {@link CommandHandler#closed}
     */
    CompletionStage<CommandHandler> open(Login login, Peer peer);
}
