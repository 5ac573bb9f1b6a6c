package org.keyline.protocol.server;

/** Receives connection events for counters and logs, on event loops; must not block. */
public interface ServerListener {
    ServerListener NONE = new ServerListener() {};

    default void accepted(int connectionId) {}

    default void rejected() {}

    /**
     * Called when a login failed.
     *
     * @param reason the reason for the operator, not for the client
     */
    default void denied(int connectionId, String user, String reason) {}

    /**
     * Called when the server that decides a login is unreachable.
     *
     * @param reason the reason, such as {@code connection refused}
     */
    default void unreachable(int connectionId, String reason) {}

    default void closed(int connectionId) {}

    /** Called after a breach of the protocol, a failure of the socket, or a bug. */
    default void failed(int connectionId, Throwable cause) {}
}
