package org.keyline.stores.duckdb.engine;

import java.sql.SQLException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;

/**
 * An autocommit statement that changes few rows. It can share a transaction with other writes.
 *
 * @param catalogVersion the version of the catalog for which the statement was translated
 * @param done receives the outcome once, after the commit or failure, on the writer's thread; must
 *     not block
 */
public record Write(Work work, long catalogVersion, Consumer<Outcome> done) {
    /**
     * The outcome of a write.
     *
     * @param affectedRows the number of affected rows, if the write did not fail
     * @param error null if the write is committed
     */
    public record Outcome(long affectedRows, @Nullable StatementRefusedException error) {}

    /** Changes rows in the caller's transaction. */
    public interface Work {
        /** Returns the number of affected rows. */
        long apply(EngineConnection connection) throws SQLException;
    }
}
