package org.keyline.gateway.simulator;

/** Something that must never happen did. */
final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    Violation(String message) {
        super(message);
    }
}
