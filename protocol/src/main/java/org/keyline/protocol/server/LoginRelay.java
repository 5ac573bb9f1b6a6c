package org.keyline.protocol.server;

import org.keyline.protocol.client.ClientOptions;

/** Chooses the server that decides a client's login. Thread-safe. */
public interface LoginRelay {
    /**
     * Returns the options of a client's connection to the chosen server: address, TLS, timeout,
     * limits, and whether to request its RSA key. Called for each login. The client sets user,
     * password, database and attributes. Of the flags in the options, only CLIENT_COMPRESS is used.
     */
    ClientOptions upstream();
}
