package org.keyline.planner;

/** The order in which a point read returns its rows: by all key columns, or unspecified. */
public enum Order {
    NONE,
    ASC,
    DESC
}
