package org.keyline.stores;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Set;

/**
 * What a remote store's sessions begin with, as far as the store's global variables tell; users and initial statements may change it, so
 * each session is asked before a statement depends on it. Immutable.
 *
 * @param sqlMode {@code @@GLOBAL.sql_mode}
 * @param timeZone the time zone of the gateway's own sessions, which lines are loaded by
 * @param timeZones values of {@code time_zone} under which the store shows every moment as under that one, itself among them
 * @param reads the store's own variables that decide what a read has
 */
public record SessionDefaults(String sqlMode, String timeZone, Set<String> timeZones, List<ReadVariable> reads) {
    public SessionDefaults {
        requireNonNull(sqlMode, "sqlMode is null");
        requireNonNull(timeZone, "timeZone is null");
        timeZones = Set.copyOf(timeZones);
        reads = List.copyOf(reads);
    }

    /** The same with another sql_mode. */
    public SessionDefaults withSqlMode(String mode) {
        return mode.equals(sqlMode) ? this : new SessionDefaults(mode, timeZone, timeZones, reads);
    }
}
