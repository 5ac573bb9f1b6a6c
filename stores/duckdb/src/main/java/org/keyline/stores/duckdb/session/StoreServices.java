package org.keyline.stores.duckdb.session;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.keyline.stores.duckdb.engine.Database;
import org.keyline.stores.duckdb.engine.EngineOptions;
import org.keyline.stores.duckdb.engine.GroupWriter;
import org.keyline.stores.duckdb.engine.Workers;
import org.keyline.stores.duckdb.meta.DuckDbCatalog;
import org.keyline.stores.duckdb.meta.SchemaChanges;

/**
 * What all sessions share. Immutable; its parts are thread-safe.
 *
 * @param readers users that may only read
 * @param prepared prepared statements of all sessions together
 */
public record StoreServices(
        EngineOptions options,
        Set<String> readers,
        Database database,
        GroupWriter writer,
        Workers workers,
        DuckDbCatalog catalog,
        SchemaChanges changes,
        Translations translations,
        AutoIncrements autoIncrements,
        SystemVariables variables,
        OpenSessions sessions,
        UserLocks userLocks,
        AtomicInteger prepared,
        String version,
        Instant began,
        Clock clock) {
    long uptimeSeconds() {
        return Duration.between(began, clock.instant()).toSeconds();
    }
}
