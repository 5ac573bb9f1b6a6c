package org.keyline.gateway.store;

/**
 * What a remote store's sessions begin with, as far as the store's global variables tell; users and initial statements may change it, so
 * each session is asked before a statement depends on it.
 *
 * @param sqlMode {@code @@GLOBAL.sql_mode}
 * @param timeZone the time zone of the gateway's own sessions, which lines are loaded by
 */
public record SessionDefaults(String sqlMode, String timeZone) {}
