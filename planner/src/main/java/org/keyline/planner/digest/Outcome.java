package org.keyline.planner.digest;

/** How a digest ended. */
public enum Outcome {
    /** The whole text was read; normalised text, hash and slots stand for it. */
    DIGESTED,
    /** The text is longer than the digester's maximum; nothing was read. */
    TOO_LONG,
    /** There is a token that no statement can have. */
    MALFORMED,
    /** There is something that stores read differently. */
    AMBIGUOUS,
    /** There is an executable comment. */
    EXECUTABLE_COMMENT
}
