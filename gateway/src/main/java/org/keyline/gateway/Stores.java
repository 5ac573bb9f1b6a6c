package org.keyline.gateway;

import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.store.Store;

/** The stores there are, by the scheme of their URL. */
final class Stores {
    private static final String DUCKDB = "duckdb:";

    private Stores() {}

    static boolean embedded(GatewayConfig config) {
        return config.store().url().startsWith(DUCKDB);
    }

    static Store open(GatewayConfig config) throws StartException {
        String url = config.store().url();
        if (!embedded(config)) {
            throw new StartException(
                    url + ": stores behind the MySQL protocol are not served by this version (expected: duckdb:FILE or"
                            + " duckdb:memory)");
        }
        throw new StartException("no store");
    }
}
