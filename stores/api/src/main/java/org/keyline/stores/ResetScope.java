package org.keyline.stores;

/** The part of a session's state that a store resets at COM_RESET_CONNECTION. */
public enum ResetScope {
    /** All prepared statements, and all settings except the current schema, as in MySQL. */
    SETTINGS_AND_STATEMENTS,
    /** Only the current schema, as in Doris. */
    SCHEMA,
    UNKNOWN
}
