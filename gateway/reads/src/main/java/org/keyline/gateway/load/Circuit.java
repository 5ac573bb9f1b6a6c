package org.keyline.gateway.load;

/**
 * A circuit breaker for loads. After several failures in a row, it declines loads for a while, so
 * that reads are forwarded. This time doubles with each further failure, up to 0.8 seconds.
 * Confined to one event loop.
 */
final class Circuit {
    private static final int FAILURES = 3;
    private static final long FIRST_NANOS = 100_000_000;
    private static final int MAX_DOUBLINGS = 3;

    private int failures;
    private long openUntilNanos;

    /** Returns whether loads are declined at this time. */
    boolean isOpen(long nowNanos) {
        return failures >= FAILURES && nowNanos - openUntilNanos < 0;
    }

    void failed(long nowNanos) {
        failures = Math.min(failures + 1, FAILURES + MAX_DOUBLINGS);
        if (failures >= FAILURES) {
            openUntilNanos = nowNanos + (FIRST_NANOS << (failures - FAILURES));
        }
    }

    void succeeded() {
        failures = 0;
    }
}
