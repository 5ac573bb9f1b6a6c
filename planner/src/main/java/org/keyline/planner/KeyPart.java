package org.keyline.planner;

/**
 * A value in the statement. Immutable.
 *
 * @param slot index into the statement's lifted literals and placeholders, in text order
 * @param negated whether a minus sign stands before it
 */
public record KeyPart(int slot, boolean negated) {
    public KeyPart {
        if (slot < 0) {
            throw new IllegalArgumentException("slot: " + slot + " (expected: >= 0)");
        }
    }

    /** The slot's value itself. */
    public static KeyPart of(int slot) {
        return new KeyPart(slot, false);
    }
}
