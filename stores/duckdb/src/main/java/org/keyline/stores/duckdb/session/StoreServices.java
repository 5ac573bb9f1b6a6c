package org.keyline.stores.duckdb.session;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.keyline.stores.duckdb.engine.Database;
import org.keyline.stores.duckdb.engine.EngineOptions;
import org.keyline.stores.duckdb.engine.GroupWriter;
import org.keyline.stores.duckdb.engine.Workers;
import org.keyline.stores.duckdb.meta.DuckDbCatalog;
import org.keyline.stores.duckdb.meta.SchemaChanges;

/**
 * The services that all sessions share. Immutable; its parts are thread-safe.
 *
 * @param prepared the number of prepared statements of all sessions
 */
public record StoreServices(
        EngineOptions options,
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
        RowLocks rowLocks,
        AtomicInteger prepared,
        String version,
        Instant began,
        Clock clock) {
    long uptimeSeconds() {
        return Duration.between(began, clock.instant()).toSeconds();
    }
}
