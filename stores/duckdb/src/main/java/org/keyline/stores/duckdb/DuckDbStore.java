package org.keyline.stores.duckdb;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Catalog;
import org.keyline.planner.StatementRefusedException;
import org.keyline.protocol.ErrPacket;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.Store;
import org.keyline.stores.StoreException;
import org.keyline.stores.StoreSession;
import org.keyline.stores.StoreTrait;
import org.keyline.stores.TransactionRules;
import org.keyline.stores.duckdb.engine.Database;
import org.keyline.stores.duckdb.engine.DatabaseUnavailableException;
import org.keyline.stores.duckdb.engine.EngineConnection;
import org.keyline.stores.duckdb.engine.EngineOptions;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.engine.GroupWriter;
import org.keyline.stores.duckdb.engine.Workers;
import org.keyline.stores.duckdb.meta.DuckDbCatalog;
import org.keyline.stores.duckdb.meta.SchemaChanges;
import org.keyline.stores.duckdb.session.AutoIncrements;
import org.keyline.stores.duckdb.session.DuckDbSession;
import org.keyline.stores.duckdb.session.OpenSessions;
import org.keyline.stores.duckdb.session.RowLocks;
import org.keyline.stores.duckdb.session.StoreServices;
import org.keyline.stores.duckdb.session.SystemVariables;
import org.keyline.stores.duckdb.session.Translations;
import org.keyline.stores.duckdb.session.UserLocks;

/** A store that needs no server: a DuckDB database in this process. Thread-safe. */
public final class DuckDbStore implements Store {
    /**
     * The server version in the greeting. Drivers choose features by this version. With 8.0,
     * Connector/J reads {@code transaction_isolation} and SQLAlchemy uses MySQL 8's features. With
     * this suffix, MariaDB's drivers do not mistake the store for MariaDB.
     */
    public static final String VERSION = "8.0.36-keyline";

    private final Database database;
    private final StoreServices services;

    private DuckDbStore(Database database, StoreServices services) {
        this.database = database;
        this.services = services;
    }

    /**
     * Opens or creates the database.
     *
     * @throws DatabaseUnavailableException if it cannot be opened, with a message for the operator
     */
    public static DuckDbStore open(EngineOptions options, Clock clock) {
        Database database = Database.open(options);
        try {
            return open(options, clock, database);
        } catch (SQLException e) {
            database.close();
            throw new DatabaseUnavailableException(
                    "cannot read the database " + options.file() + ": "
                            + Errors.of(e).getMessage(),
                    e);
        } catch (RuntimeException e) {
            database.close();
            throw e;
        }
    }

    private static DuckDbStore open(EngineOptions options, Clock clock, Database database) throws SQLException {
        GroupWriter writer = new GroupWriter(
                database.connect(),
                EngineOptions.QUEUED,
                options.writesPerCommit(),
                new DefaultThreadFactory("keyline-duckdb-writer", true));
        Workers workers = new Workers(options.workers());
        DuckDbCatalog catalog = new DuckDbCatalog();
        SchemaChanges changes = new SchemaChanges(catalog, clock);
        try (EngineConnection connection = database.connect()) {
            changes.load(connection);
        } catch (SQLException | RuntimeException e) {
            writer.close();
            workers.close();
            throw e;
        }
        StoreServices services = new StoreServices(
                options,
                database,
                writer,
                workers,
                catalog,
                changes,
                new Translations(catalog),
                new AutoIncrements(database),
                new SystemVariables(VERSION),
                new OpenSessions(),
                new UserLocks(),
                new RowLocks(),
                new AtomicInteger(),
                VERSION,
                clock.instant(),
                clock);
        return new DuckDbStore(database, services);
    }

    @Override
    public Catalog catalog() {
        return services.catalog();
    }

    @Override
    public boolean has(StoreTrait trait) {
        return trait == StoreTrait.REPLIES_ARE_LOADS || trait == StoreTrait.PREFERS_MANY_KEYS;
    }

    @Override
    public Set<String> harmlessVariables() {
        return services.variables().harmless();
    }

    @Override
    public TransactionRules transactions() {
        return TransactionRules.OWN_SNAPSHOT;
    }

    @Override
    public String serverVersion() {
        return VERSION;
    }

    @Override
    public @Nullable String failure() {
        return services.database().isStopped()
                ? "the embedded store has stopped after it could not write its file; make room, then restart"
                : null;
    }

    /** Returns the number of transactions that the writer of autocommit statements committed. */
    public long commits() {
        return services.writer().commits();
    }

    /** Returns the number of autocommit statements that the writer committed. */
    public long writes() {
        return services.writer().writes();
    }

    @Override
    public CompletionStage<StoreSession> open(SessionIdentity identity, EventLoop loop, Runnable onClosed) {
        try {
            return CompletableFuture.completedFuture(new DuckDbSession(services, identity, loop, onClosed));
        } catch (StatementRefusedException e) {
            return CompletableFuture.failedFuture(
                    new StoreException(new ErrPacket(e.code(), e.sqlState(), String.valueOf(e.getMessage()))));
        }
    }

    @Override
    public void close() {
        // The writer closes first, because the workers then send the outcomes of its last writes.
        services.writer().close();
        services.workers().close();
        if (!database.isStopped()) {
            services.autoIncrements().close();
        }
        database.close();
    }
}
