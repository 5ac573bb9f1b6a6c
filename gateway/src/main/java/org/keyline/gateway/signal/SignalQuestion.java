package org.keyline.gateway.signal;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;

/**
 * What another gateway asks: for what the signal has told since its last question, or tells soon.
 *
 * @param follower who asks, at random for each connection
 * @param number from 1 on, each one more than the last
 * @param store whose signal it wants, as {@code store.url} has it
 * @param tables those that may have rows in its memory; null: as before
 */
record SignalQuestion(
        long follower, long number, String store, @Nullable Set<TableName> tables) {
    SignalQuestion {
        tables = tables == null ? null : Set.copyOf(tables);
    }
}
