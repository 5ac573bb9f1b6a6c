package org.keyline.protocol.server;

import org.keyline.protocol.client.ClientOptions;

/** Connects the login of a client to the server that decides it. Thread-safe. */
public interface LoginRelay {
    /**
     * Returns the options of the connection to that server, for each client: address, TLS, timeout,
     * limits, and whether to ask for its RSA key. User, password, database and attributes are the
     * client's; of the flags only CLIENT_COMPRESS is used.
     */
    ClientOptions upstream();
}
