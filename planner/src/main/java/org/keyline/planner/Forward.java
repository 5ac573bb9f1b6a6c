package org.keyline.planner;

import static java.util.Objects.requireNonNull;

/**
 * A statement that the session sends to the store unchanged. Immutable.
 *
 * @param effect the statement's write scope
 * @param readsDiagnostics whether the result depends on the session's previous statement (warnings,
 * FOUND_ROWS, ROW_COUNT, LAST_INSERT_ID)
 */
public record Forward(ForwardReason reason, StatementKind kind, Effect effect, boolean readsDiagnostics)
        implements Plan {
    public Forward {
        requireNonNull(reason, "reason is null");
        requireNonNull(kind, "kind is null");
        requireNonNull(effect, "effect is null");
    }
}
