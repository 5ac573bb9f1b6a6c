package org.keyline.stores;

/** The state that COM_RESET_CONNECTION resets in a session of a store. */
public enum ResetScope {
    /** All settings except the current schema, and all prepared statements, as in MySQL. */
    SETTINGS_AND_STATEMENTS,
    /** Only the current schema, as in Doris. */
    SCHEMA,
    UNKNOWN
}
