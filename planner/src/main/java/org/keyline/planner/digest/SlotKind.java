package org.keyline.planner.digest;

/** How a lifted value is written in the statement. */
public enum SlotKind {
    /** Digits that fit 64 bits without a sign. */
    INTEGER,
    /** Digits with a point, or more digits than 64 bits hold. */
    DECIMAL,
    /** A number with an exponent. */
    FLOAT,
    /** A string in quotes. */
    STRING,
    /** {@code 0x1F} or {@code x'1F'}. */
    HEX,
    /** {@code 0b101} or {@code b'101'}. */
    BIT,
    /** {@code ?} */
    PLACEHOLDER
}
