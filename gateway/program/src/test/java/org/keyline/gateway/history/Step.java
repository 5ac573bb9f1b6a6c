package org.keyline.gateway.history;

/** What an operation did with one object, as far as its caller was told. Immutable. */
interface Step {
    /** No state: what the caller was told cannot have happened. */
    long REFUSED = -1;

    /** Whether the step leaves every state that it is possible in as it is. */
    boolean reads();

    /** The state after the step, from a state before it, ≥ 0; or {@link #REFUSED}. */
    long after(long state);
}
