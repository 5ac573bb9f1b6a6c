package org.keyline.planner.digest;

/** The result of a digest. */
public enum Outcome {
    /** The text was digested. Normalised text, hash and slots are valid. */
    DIGESTED,
    /** The text is longer than the maximum, so it was not digested. */
    TOO_LONG,
    /** The text has a token that no statement can have. */
    MALFORMED,
    /** Different stores would read the text differently. */
    AMBIGUOUS,
    EXECUTABLE_COMMENT
}
