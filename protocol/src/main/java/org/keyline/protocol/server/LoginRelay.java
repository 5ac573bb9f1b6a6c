package org.keyline.protocol.server;

import org.keyline.protocol.client.ClientOptions;

/** The choice of the server that decides a client's login. Thread-safe. */
public interface LoginRelay {
    /**
     * Returns the options of the connection to that server, for each client: address, TLS, timeout,
     * limits, and whether to request its RSA key. User, password, database and attributes are those
     * of the client; of the flags only CLIENT_COMPRESS is used.
     */
    ClientOptions upstream();
}
