package org.keyline.stores.duckdb.session;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.stores.duckdb.engine.EngineRows;

/** What one statement came to. */
sealed interface Outcome {
    /** It is done and has no rows. */
    record Done(long affectedRows, long insertId, String info) implements Outcome {
        static final Done NOTHING = new Done(0, 0, "");
    }

    /**
     * Its rows come from DuckDB; whoever takes them closes them.
     *
     * @param most so many rows are sent at most
     */
    record Streaming(List<ColumnDefinition> columns, EngineRows rows, long most) implements Outcome {}

    /** Its few rows, made here; text or null per cell. */
    record Local(List<ColumnDefinition> columns, List<List<@Nullable String>> rows) implements Outcome {
        public Local {
            columns = List.copyOf(columns);
            rows = List.copyOf(rows);
        }
    }

    /** It waits for a commit; the outcome is told to the {@link CommitListener} of the runner. */
    record Waiting() implements Outcome {}

    /**
     * It waits for a file of the client's.
     *
     * @param file as the client knows it
     */
    record Loading(FileLoad load, String file) implements Outcome {}

    /** KILL CONNECTION of the session itself: nothing more is answered. */
    record Ended() implements Outcome {}
}
