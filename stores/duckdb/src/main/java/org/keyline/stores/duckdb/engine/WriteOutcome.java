package org.keyline.stores.duckdb.engine;

import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;

/**
 * How a write ended.
 *
 * @param affectedRows where it did not fail
 * @param error null where it is committed
 */
public record WriteOutcome(long affectedRows, @Nullable StatementRefusedException error) {}
