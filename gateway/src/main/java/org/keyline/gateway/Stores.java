package org.keyline.gateway;

import java.nio.file.Path;
import java.time.Clock;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.store.Store;
import org.keyline.gateway.store.duckdb.DuckDbStore;
import org.keyline.gateway.store.duckdb.engine.DatabaseUnavailableException;
import org.keyline.gateway.store.duckdb.engine.EngineOptions;

/** The stores there are, by the scheme of their URL. */
final class Stores {
    private static final String DUCKDB = "duckdb:";
    private static final String MEMORY = "memory";

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
        String file = url.substring(DUCKDB.length());
        EngineOptions options = EngineOptions.of(file.equals(MEMORY) ? null : Path.of(file))
                .withPreparedStatements(Math.max(1, config.limits().preparedStatements()));
        try {
            return DuckDbStore.open(options, Clock.systemUTC());
        } catch (DatabaseUnavailableException e) {
            throw new StartException(String.valueOf(e.getMessage()), e);
        }
    }
}
