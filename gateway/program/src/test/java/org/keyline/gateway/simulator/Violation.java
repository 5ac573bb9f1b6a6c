package org.keyline.gateway.simulator;

/** An event that must never happen. */
final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    Violation(String message) {
        super(message);
    }
}
