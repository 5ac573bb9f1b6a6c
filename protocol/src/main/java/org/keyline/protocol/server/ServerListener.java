package org.keyline.protocol.server;

/** Hears what happens to connections, for counting and logging. Called on event loops; must not block. */
public interface ServerListener {
    /** Hears nothing. */
    ServerListener NONE = new ServerListener() {};

    /** A connection was accepted. */
    default void accepted(int connectionId) {}

    /** A connection was turned away: the limit is reached, or the server drains. */
    default void rejected() {}

    /** A login failed; {@code reason} is for the operator, not for the client. */
    default void denied(int connectionId, String user, String reason) {}

    /** The server that decides on a login cannot be reached; {@code reason} is in plain words. */
    default void unreachable(int connectionId, String reason) {}

    /** An accepted connection ended. */
    default void closed(int connectionId) {}

    /** A peer broke the protocol, a socket failed, or this program has a bug (any other exception). */
    default void failed(int connectionId, Throwable cause) {}
}
