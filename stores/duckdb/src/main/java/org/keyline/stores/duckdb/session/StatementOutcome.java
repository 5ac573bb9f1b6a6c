package org.keyline.stores.duckdb.session;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.stores.duckdb.engine.EngineRows;

/** What one statement came to. */
sealed interface StatementOutcome {
    /** It is done and has no rows. */
    record Done(long affectedRows, long insertId, String info) implements StatementOutcome {
        static final Done NOTHING = new Done(0, 0, "");
    }

    /**
     * Its rows come from DuckDB; whoever takes them closes them.
     *
     * @param most so many rows are sent at most
     */
    record Streaming(List<ColumnDefinition> columns, EngineRows rows, long most) implements StatementOutcome {}

    /** Its few rows, made here; text or null per cell. */
    record Local(List<ColumnDefinition> columns, List<List<@Nullable String>> rows) implements StatementOutcome {
        public Local {
            columns = List.copyOf(columns);
            rows = List.copyOf(rows);
        }
    }

    /** It waits for a commit; the runner's listener receives the outcome. */
    record Waiting() implements StatementOutcome {}

    /** It waits for a lock of another session, and runs again soon. */
    record Again() implements StatementOutcome {}

    /**
     * It waits for a file of the client's.
     *
     * @param file as the client knows it
     */
    record Loading(FileLoad load, String file) implements StatementOutcome {}

    /** KILL CONNECTION of the session itself: nothing more is answered. */
    record Ended() implements StatementOutcome {}
}
