package org.keyline.stores.duckdb.engine;

import java.sql.SQLException;
import java.util.function.Consumer;

/**
 * An autocommit statement that changes few rows. It can share a transaction with other writes.
 *
 * @param catalogVersion the version of the catalog for which the statement was translated
 * @param done receives the outcome once, after the commit or failure, on the writer's thread; must
 *     not block
 */
public record Write(Work work, long catalogVersion, Consumer<WriteOutcome> done) {
    /** Changes rows in the caller's transaction. */
    public interface Work {
        /** Returns the number of affected rows. */
        long apply(EngineConnection connection) throws SQLException;
    }
}
