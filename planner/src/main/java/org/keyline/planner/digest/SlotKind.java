package org.keyline.planner.digest;

/** The notation of a value. */
public enum SlotKind {
    /** Digits that fit an unsigned 64-bit integer. */
    INTEGER,
    /** Digits with a point, or too many digits for 64 bits. */
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
