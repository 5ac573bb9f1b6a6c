package org.keyline.planner;

/** The order of a point read's rows, by all key columns. */
public enum Order {
    NONE,
    ASC,
    DESC
}
