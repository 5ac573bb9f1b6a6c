package org.keyline.protocol.server;

/** What a connection of the server side awaits. */
enum ConnectionState {
    /** The next packet belongs to the handshake, or to the exchange of COM_CHANGE_USER. */
    HANDSHAKE,
    /** Something else comes first: a slow digest, another server's word, the session's opening. */
    SUSPENDED,
    /** The next packet is a command, or belongs to the one in hand. */
    COMMAND,
    /** The last packet was written; what comes in is dropped. */
    CLOSING,
    /** The channel is closed. */
    CLOSED
}
