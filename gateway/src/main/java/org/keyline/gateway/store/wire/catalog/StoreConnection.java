package org.keyline.gateway.store.wire.catalog;

import org.keyline.gateway.store.SessionDefaults;

/** A connection to the store, and what the store says it is. Confined to one thread at a time. */
public final class StoreConnection implements AutoCloseable {
    private static final String DEFAULTS = "SELECT @@GLOBAL.sql_mode, @@GLOBAL.time_zone";
    private static final String VERSION = "SELECT @@version, @@version_comment";

    private final JdbcRows rows;
    private final String serverVersion;
    private final Dialect dialect;

    private StoreConnection(JdbcRows rows, String serverVersion, Dialect dialect) {
        this.rows = rows;
        this.serverVersion = serverVersion;
        this.dialect = dialect;
    }

    /** Connects, logs in and asks what the store is. */
    public static StoreConnection open(CatalogOptions options) throws ReadFailure {
        JdbcRows rows = JdbcRows.connect(options);
        try {
            String[] said = {"", ""};
            rows.query(VERSION, row -> {
                said[0] = row.required(1);
                said[1] = row.required(2);
            });
            return new StoreConnection(rows, said[0], Dialect.of(said[0], said[1]));
        } catch (ReadFailure e) {
            rows.close();
            throw e;
        }
    }

    /** Asks what new sessions begin with. */
    SessionDefaults sessionDefaults() throws ReadFailure {
        String[] said = {"", ""};
        rows.query(DEFAULTS, row -> {
            said[0] = row.required(1);
            said[1] = row.required(2);
        });
        return new SessionDefaults(said[0], said[1]);
    }

    /** Its answers. */
    public CatalogRows rows() {
        return rows;
    }

    String serverVersion() {
        return serverVersion;
    }

    /** What kind of store it is. */
    public Dialect dialect() {
        return dialect;
    }

    /** Ends what a reading waits for, from another thread. */
    public void abort() {
        rows.abort();
    }

    @Override
    public void close() {
        rows.close();
    }
}
