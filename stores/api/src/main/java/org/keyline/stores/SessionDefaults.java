package org.keyline.stores;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Set;

/**
 * The initial settings of a remote store's sessions. Users and init statements can change settings,
 * so Keyline asks each session before a statement depends on a setting. Immutable.
 *
 * @param sqlMode {@code @@GLOBAL.sql_mode}
 * @param timeZone the time zone of load sessions
 * @param timeZones the values of {@code time_zone} that mean the same as {@code timeZone}, itself
 *     included
 * @param reads the store's own variables that affect reads
 * @param utf8mb4 the collation that {@code SET NAMES utf8mb4} selects; empty if unknown
 */
public record SessionDefaults(
        String sqlMode, String timeZone, Set<String> timeZones, List<ReadVariable> reads, String utf8mb4) {
    public SessionDefaults {
        requireNonNull(sqlMode, "sqlMode is null");
        requireNonNull(timeZone, "timeZone is null");
        requireNonNull(utf8mb4, "utf8mb4 is null");
        timeZones = Set.copyOf(timeZones);
        reads = List.copyOf(reads);
    }

    public SessionDefaults withSqlMode(String mode) {
        return mode.equals(sqlMode) ? this : new SessionDefaults(mode, timeZone, timeZones, reads, utf8mb4);
    }
}
