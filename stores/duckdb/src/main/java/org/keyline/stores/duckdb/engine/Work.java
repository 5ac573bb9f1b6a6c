package org.keyline.stores.duckdb.engine;

import java.sql.SQLException;

/** What a statement that changes rows does in DuckDB. Immutable. */
public sealed interface Work permits Steps, ValueRows {
    /** Does it in the caller's transaction; answers the affected rows. */
    long apply(EngineConnection connection) throws SQLException;
}
