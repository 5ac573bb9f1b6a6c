package org.keyline.planner.digest;

/** The result of a digest. */
public enum Outcome {
    /** The whole text was read. Normalised text, hash and slots are valid. */
    DIGESTED,
    /** The text is longer than the digester's maximum and was not read. */
    TOO_LONG,
    /** The text has a token that no statement can have. */
    MALFORMED,
    /** The text has a part that stores read differently. */
    AMBIGUOUS,
    /** The text has an executable comment. */
    EXECUTABLE_COMMENT
}
