package org.keyline.stores.duckdb.session;

import java.util.List;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.stores.duckdb.engine.EngineRows;

sealed interface StatementOutcome {
    /** The statement is done and has no rows. */
    record Done(long affectedRows, long insertId, String info) implements StatementOutcome {
        static final Done NOTHING = new Done(0, 0, "");
    }

    /**
     * The statement's rows come from DuckDB; the receiver closes them.
     *
     * @param most the maximum number of rows to send
     */
    record Streaming(List<ColumnDefinition> columns, EngineRows rows, long most) implements StatementOutcome {}

    /**
     * The statement waits for a commit. {@link StatementRunner} passes the outcome to its listener.
     */
    record Waiting() implements StatementOutcome {}

    /**
     * The statement waits for a file of the client.
     *
     * @param file the client's name of the file
     */
    record Loading(FileLoad load, String file) implements StatementOutcome {}

    /** The session killed itself, so the store sends nothing more. */
    record Ended() implements StatementOutcome {}
}
