package org.keyline.protocol.server;

import org.keyline.protocol.client.ClientOptions;

/** The choice of the server that decides a client's login. Thread-safe. */
public interface LoginRelay {
    /**
     * Returns the options of the connection to that server, for each client: address, TLS, timeout,
     * limits, and whether to request its RSA key. The client determines user, password, database
     * and attributes. Of the flags in the options, only CLIENT_COMPRESS is used.
     */
    ClientOptions upstream();
}
