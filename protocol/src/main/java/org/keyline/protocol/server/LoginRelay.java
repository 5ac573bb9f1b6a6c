package org.keyline.protocol.server;

import org.keyline.protocol.client.ClientOptions;

/** Connects the login of a client to the server that decides on it. Thread-safe. */
public interface LoginRelay {
    /**
     * Options of the connection to that server, asked for each client: address, TLS, timeout, limits, and whether its RSA
     * key may be asked for. User, password, database and attributes are the client's; of the flags only CLIENT_COMPRESS
     * counts.
     */
    ClientOptions upstream();
}
