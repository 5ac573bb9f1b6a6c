package org.keyline.planner;

import static java.util.Objects.requireNonNull;

/**
 * A statement that goes to the store as the client sent it. Immutable.
 *
 * @param effect what it may write
 * @param readsDiagnostics whether its answer depends on the statement before it (warnings, FOUND_ROWS, ROW_COUNT,
 *     LAST_INSERT_ID), which the store has not seen if it was answered from a line
 */
public record Forward(ForwardReason reason, StatementKind kind, Effect effect, boolean readsDiagnostics)
        implements Plan {
    public Forward {
        requireNonNull(reason, "reason is null");
        requireNonNull(kind, "kind is null");
        requireNonNull(effect, "effect is null");
    }
}
