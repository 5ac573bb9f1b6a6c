package org.keyline.stores;

/** What COM_RESET_CONNECTION takes from a session of a store. */
public enum ResetScope {
    /** All settings but the current schema, and all prepared statements: as MySQL. */
    SETTINGS_AND_STATEMENTS,
    /** The current schema alone: as Doris. */
    SCHEMA,
    /** Nobody knows. */
    UNKNOWN
}
