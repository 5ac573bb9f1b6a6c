package org.keyline.planner.digest;

/** The notation of a value. */
public enum SlotKind {
    /** Digits that fit an unsigned 64-bit integer. */
    INTEGER,
    /** Digits with a point, or too many digits for 64 bits. */
    DECIMAL,
    /** A number with an exponent. */
    FLOAT,
    STRING,
    HEX,
    /** {@code 0b101} or {@code b'101'}. */
    BIT,
    PLACEHOLDER
}
