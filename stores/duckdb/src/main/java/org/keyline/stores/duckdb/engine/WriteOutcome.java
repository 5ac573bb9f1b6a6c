package org.keyline.stores.duckdb.engine;

import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;

/**
 * The outcome of a write.
 *
 * @param affectedRows the number of affected rows, if the write did not fail
 * @param error null if the write is committed
 */
public record WriteOutcome(long affectedRows, @Nullable StatementRefusedException error) {}
