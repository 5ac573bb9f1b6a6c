package org.keyline.planner;

/** Which reads of a table may be answered from filter lines: those whose conditions bind no key prefix. */
public enum FilterReads {
    /** None. */
    OFF,
    /** Those with a condition {@code column = value} or {@code column IN (…)}, none by a range, and none that only the store evaluates. */
    EQUAL,
    /** Those of any conditions. */
    ALL
}
