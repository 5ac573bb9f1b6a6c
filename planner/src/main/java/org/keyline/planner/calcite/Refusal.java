package org.keyline.planner.calcite;

import org.keyline.planner.ForwardReason;

/** Signals that the statement is no point read, with the reason. Never leaves the package. */
final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    private final ForwardReason reason;

    Refusal(ForwardReason reason) {
        super(reason.sentence(), null, false, false);
        this.reason = reason;
    }

    ForwardReason reason() {
        return reason;
    }
}
