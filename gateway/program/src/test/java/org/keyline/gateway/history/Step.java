package org.keyline.gateway.history;

/** The effect of an operation on one object, as far as its caller knows. Immutable. */
interface Step {
    /** No state: the caller's result is impossible. */
    long REFUSED = -1;

    /** Returns whether the step leaves every state unchanged in which it is possible. */
    boolean reads();

    /** Returns the state after the step, ≥ 0; or {@link #REFUSED} if it is impossible. */
    long after(long state);
}
