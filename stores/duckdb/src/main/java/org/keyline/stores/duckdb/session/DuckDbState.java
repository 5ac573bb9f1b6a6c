package org.keyline.stores.duckdb.session;

import java.sql.SQLException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ServerStatus;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.engine.EngineConnection;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.meta.SystemViews;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.TranslationContext;

/**
 * Where a session stands: database, variables, transaction, what the last statement left. Used by one thread at a time: its
 * worker's while a command runs, its event loop's between commands.
 */
final class DuckDbState implements TranslationContext.Variables {
    private final StoreServices services;
    private final SessionIdentity identity;
    private final Rights rights;
    private final SetVariables variables;
    private final Diagnostics diagnostics = new Diagnostics();
    private final Savepoints savepoints = new Savepoints();

    @Nullable
    private EngineConnection connection;

    @Nullable
    private volatile EngineConnection interruptible;

    @Nullable
    private String database;

    @Nullable
    private String abortedBy;

    private boolean readOnlyTransaction;
    private boolean multiStatements;
    private boolean sessionTables;
    private boolean recoded;
    private long lastInsertId;
    private long rowCount = -1;
    private long foundRows;
    private boolean resultCounts;
    private LocalDateTime began = LocalDateTime.MIN;

    DuckDbState(StoreServices services, SessionIdentity identity) {
        this.services = services;
        this.identity = identity;
        this.rights = new Rights(
                identity,
                // Not the gateway's own sessions, which write sample data.
                identity.connectionId() != 0 && services.readers().contains(identity.user()));
        this.variables = new SetVariables(services.variables(), identity.collation(), identity.memory());
        this.multiStatements = Capabilities.has(identity.capabilities(), Capabilities.CLIENT_MULTI_STATEMENTS);
        String wanted = identity.database();
        if (wanted != null && !wanted.isEmpty()) {
            use(wanted);
        }
    }

    /** USE; 1049 where there is no such database. */
    void use(String name) {
        String found = services.catalog().database(name);
        if (found == null) {
            throw Errors.error(1049, "42000", "Unknown database '" + name + "'");
        }
        database = found;
    }

    /** What its user may do. */
    Rights rights() {
        return rights;
    }

    /** For the time of one statement, which was prepared in another database; null for none. */
    void database(@Nullable String preparedIn) {
        database = preparedIn;
    }

    /** The current database was dropped. */
    void forgetDatabase() {
        database = null;
    }

    @Nullable
    String database() {
        return database;
    }

    /** The current database, empty where none is selected. */
    String schema() {
        return database == null ? "" : database;
    }

    /** The session's own connection, opened when it is first needed. */
    EngineConnection connection() throws SQLException {
        EngineConnection open = connection;
        if (open == null) {
            open = services.database().connect();
            if (identity.connectionId() == 0) {
                // Loads take rows in any order, and have a LIMIT that DuckDB applies on one processor alone where it
                // keeps their order.
                open.execute("SET SESSION preserve_insertion_order = false");
            }
            connection = open;
            interruptible = open;
        }
        return open;
    }

    /** Makes what runs in DuckDB fail soon. Thread-safe. */
    void interrupt() {
        EngineConnection running = interruptible;
        if (running != null) {
            running.interrupt();
        }
    }

    /** The connection, with the tables that hold this session's own state. */
    EngineConnection connectionWithSessionTables() throws SQLException {
        EngineConnection open = connection();
        if (!sessionTables) {
            for (String statement : SystemViews.sessionTables()) {
                open.execute(statement);
            }
            // The end of a transaction may undo it.
            sessionTables = !open.inTransaction();
        }
        return open;
    }

    boolean inTransaction() {
        EngineConnection open = connection;
        return open != null && open.inTransaction();
    }

    boolean autocommit() {
        return variables.isOn("autocommit");
    }

    /** BEGIN; a transaction that is open is committed first. */
    void begin(boolean readOnly) throws SQLException {
        commit();
        connection().begin();
        readOnlyTransaction = readOnly;
    }

    /** BEGIN of a transaction that reads what is committed now: DuckDB takes its snapshot at the first look into the database. */
    void beginSnapshot(boolean readOnly) throws SQLException {
        begin(readOnly);
        connection().texts("SELECT format FROM __keyline.store", List.of());
    }

    /** Commits what is open, if anything. */
    void commit() throws SQLException {
        EngineConnection open = connection;
        if (open == null || !open.inTransaction()) {
            return;
        }
        try {
            commit(open);
        } finally {
            savepoints.clear();
        }
    }

    private void commit(EngineConnection open) throws SQLException {
        String reason = abortedBy;
        abortedBy = null;
        readOnlyTransaction = false;
        if (reason != null) {
            open.rollback();
            throw Errors.error(
                    1180, "HY000", "Got error during COMMIT: the transaction was rolled back, because " + reason);
        }
        try {
            open.commit();
        } catch (SQLException e) {
            var error = Errors.of(e);
            throw error.code() == 1062 ? Errors.conflict() : error;
        }
    }

    /** Rolls back what is open, if anything. */
    void rollback() {
        abortedBy = null;
        readOnlyTransaction = false;
        EngineConnection open = connection;
        if (open != null) {
            open.rollback();
        }
        savepoints.clear();
    }

    /** A statement failed inside DuckDB, which lets a transaction only roll back after that. */
    void statementFailed(StatementRefusedException error) {
        if (inTransaction() && abortedBy == null) {
            abortedBy = "of an earlier error: " + error.getMessage();
        }
    }

    void requireUsableTransaction(boolean writes) {
        String reason = abortedBy;
        if (reason != null && inTransaction()) {
            throw Errors.aborted(reason);
        }
        if (writes && readOnlyTransaction && inTransaction()) {
            throw Errors.error(1792, "25006", "Cannot execute statement in a READ ONLY transaction");
        }
    }

    /** Status flags as they are after the statement. */
    int status() {
        int status = autocommit() ? ServerStatus.SERVER_STATUS_AUTOCOMMIT : 0;
        if (inTransaction()) {
            status |= ServerStatus.SERVER_STATUS_IN_TRANS;
            if (readOnlyTransaction) {
                status |= ServerStatus.SERVER_STATUS_IN_TRANS_READONLY;
            }
        }
        if (variables.sqlMode().noBackslashEscapes()) {
            status |= ServerStatus.SERVER_STATUS_NO_BACKSLASH_ESCAPES;
        }
        return status;
    }

    /** As after login: COM_RESET_CONNECTION. The database stays, as in MySQL. */
    void reset() {
        rollback();
        services.userLocks().releaseAll(this);
        variables.reset();
        diagnostics.clear();
        lastInsertId = 0;
        rowCount = -1;
        foundRows = 0;
        multiStatements = Capabilities.has(identity.capabilities(), Capabilities.CLIENT_MULTI_STATEMENTS);
    }

    /** Closes the connection; nothing runs any more. */
    void close() {
        EngineConnection open = connection;
        connection = null;
        interruptible = null;
        if (open != null) {
            open.close();
        }
        services.userLocks().releaseAll(this);
    }

    /** Splits a statement into tokens by the session's sql_mode. */
    Words words(byte[] sql) {
        return new Words(sql, variables.sqlMode());
    }

    /** A statement begins: NOW() stands still until the next. */
    void statementBegins() {
        began = LocalDateTime.ofInstant(services.clock().instant(), ZoneOffset.UTC);
    }

    StoreServices services() {
        return services;
    }

    SessionIdentity identity() {
        return identity;
    }

    SetVariables variables() {
        return variables;
    }

    Diagnostics diagnostics() {
        return diagnostics;
    }

    Savepoints savepoints() {
        return savepoints;
    }

    /** Whether the running command has text that was not sent in UTF-8. */
    boolean recoded() {
        return recoded;
    }

    void recoded(boolean some) {
        recoded = some;
    }

    boolean multiStatements() {
        return multiStatements;
    }

    void multiStatements(boolean on) {
        multiStatements = on;
    }

    void inserted(long id) {
        if (id != 0) {
            lastInsertId = id;
        }
    }

    void rowCount(long rows) {
        rowCount = rows;
    }

    /** @param counts whether FOUND_ROWS() is to tell of the rows of the statement at hand, if it has such */
    void resultCounts(boolean counts) {
        resultCounts = counts;
    }

    /** The statement at hand had a result. */
    void resultSent(long rows) {
        if (resultCounts) {
            foundRows = rows;
        }
        rowCount = -1;
    }

    TranslationContext translationContext() {
        boolean found = Capabilities.has(identity.capabilities(), Capabilities.CLIENT_FOUND_ROWS);
        return new TranslationContext(schema(), variables.sqlMode(), found, this);
    }

    @Override
    public SqlType type(Parameter.Source source, String name) {
        if (source == Parameter.Source.USER_VARIABLE) {
            return UserValues.type(variables.user(name));
        }
        return variables.isNumber(name) ? SqlType.INTEGER : SqlType.STRING;
    }

    /** What a statement on {@code target} is told of the session. */
    StatementValues values(@Nullable TableDefinition target, int autoIncrement) {
        return new StatementValues(this, target, autoIncrement);
    }

    /** What a statement is told that asks for a variable, or for something else that the session has. */
    @Nullable
    Object value(Parameter.Source source, String name) {
        return switch (source) {
            case SESSION_VARIABLE -> variables.value(name, false);
            case GLOBAL_VARIABLE -> variables.value(name, true);
            case USER_VARIABLE -> variables.user(name);
            case NOW ->
                began.atOffset(ZoneOffset.UTC)
                        .atZoneSameInstant(variables.timeZone())
                        .toLocalDateTime();
            case UTC_NOW -> began;
            case TIME_ZONE ->
                variables.timeZone().equals(ZoneOffset.UTC)
                        ? "UTC"
                        : variables.timeZone().getId();
            case DATABASE -> database;
            case USER -> identity.user() + "@" + identity.host();
            case CURRENT_USER -> identity.user() + "@%";
            case CONNECTION_ID -> Integer.toUnsignedLong(identity.connectionId());
            case LAST_INSERT_ID -> lastInsertId;
            case ROW_COUNT -> rowCount;
            case FOUND_ROWS -> foundRows;
            case VERSION -> services.version();
            case SLOT, AUTO_INCREMENT -> throw new IllegalArgumentException("not of the session: " + source);
        };
    }
}
