package org.keyline.stores.duckdb.session;

import org.keyline.stores.duckdb.engine.WriteOutcome;

/** Hears, on the writer's thread, how a write ended that a statement waits for. */
@FunctionalInterface
interface CommitListener {
    /**
     * The write is committed, or failed.
     *
     * @param insertId first AUTO_INCREMENT value that the statement was given; 0 for none
     */
    void ended(WriteOutcome outcome, long insertId);
}
