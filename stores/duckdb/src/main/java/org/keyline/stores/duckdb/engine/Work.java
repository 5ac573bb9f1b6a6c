package org.keyline.stores.duckdb.engine;

import java.sql.SQLException;

/** The changes that a statement makes in DuckDB. Immutable. */
public sealed interface Work permits Steps, ValueRows {
    /** Makes the changes in the caller's transaction; returns the number of affected rows. */
    long apply(EngineConnection connection) throws SQLException;
}
