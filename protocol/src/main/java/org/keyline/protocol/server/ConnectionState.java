package org.keyline.protocol.server;

/** The states of a server-side connection. A state determines which event the connection awaits. */
enum ConnectionState {
    /** The next packet belongs to the handshake, or to the exchange of COM_CHANGE_USER. */
    HANDSHAKE,
    /** Waits for a slow digest, another server's packet, or the opening of the session. */
    SUSPENDED,
    /** The next packet is a command, or belongs to the current one. */
    COMMAND,
    /** The connection has written its last packet, and drops further input. */
    CLOSING,
    CLOSED
}
