package org.keyline.gateway.history;

/**
 * One operation of a history. Immutable.
 *
 * @param beganNanos before it was sent
 * @param endedNanos after its reply arrived. {@link #UNKNOWN} without a reply: the operation may
 *     take effect at any later time, or never
 */
record Call(long beganNanos, long endedNanos, Step step) {
    static final long UNKNOWN = Long.MAX_VALUE;

    Call {
        if (endedNanos < beganNanos) {
            throw new IllegalArgumentException("endedNanos: " + endedNanos + " (expected: >= " + beganNanos + ")");
        }
        if (endedNanos == UNKNOWN && step.reads()) {
            throw new IllegalArgumentException("a read without an answer says nothing: " + step);
        }
    }

    boolean isUnknown() {
        return endedNanos == UNKNOWN;
    }
}
