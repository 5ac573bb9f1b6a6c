package org.keyline.stores.duckdb.session;

import java.sql.SQLException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ServerStatus;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.engine.EngineConnection;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.engine.Workers;
import org.keyline.stores.duckdb.translate.Parameter;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.Tokens;
import org.keyline.stores.duckdb.translate.TranslationContext;

/**
 * The state of a session: database, variables, transaction, and the results of the last statement.
 * Used by one thread at a time: by a worker while a command runs, by the event loop between
 * commands.
 */
final class DuckDbState implements TranslationContext.Variables {
    private static final long LOCK_MILLIS = 20;

    private final StoreServices services;
    private final SessionIdentity identity;
    private final SetVariables variables;
    private final Diagnostics diagnostics = new Diagnostics();
    private final Savepoints savepoints = new Savepoints();

    @Nullable
    private EngineConnection connection;

    @Nullable
    private volatile EngineConnection interruptible;

    private final AtomicLong interrupts = new AtomicLong();

    @Nullable
    private String database;

    @Nullable
    private String abortedBy;

    private boolean readOnlyTransaction;

    private boolean multiStatements;
    private long lastInsertId;
    private long rowCount = -1;
    private long foundRows;
    private boolean resultCounts;
    private LocalDateTime began = LocalDateTime.MIN;
    private boolean holdsRows;
    /** {@link RowLocks#ended} when the transaction took its snapshot; -1 if it has none yet. */
    private long snapshot = -1;

    DuckDbState(StoreServices services, SessionIdentity identity) {
        this.services = services;
        this.identity = identity;
        this.variables = new SetVariables(services.variables(), identity.collation(), identity.memory());
        this.multiStatements = Capabilities.has(identity.capabilities(), Capabilities.CLIENT_MULTI_STATEMENTS);
        String wanted = identity.database();
        if (wanted != null && !wanted.isEmpty()) {
            use(wanted);
        }
    }

    /** Selects a database. Throws error 1049 if the database doesn't exist. */
    void use(String name) {
        database = services.catalog().requireDatabase(name);
    }

    /** Selects the database in which a statement was prepared; null for none. */
    void database(@Nullable String preparedIn) {
        database = preparedIn;
    }

    /** Deselects the current database, which was dropped. */
    void forgetDatabase() {
        database = null;
    }

    @Nullable
    String database() {
        return database;
    }

    /** Returns the current database. Throws error 1046 if none is selected. */
    String requireDatabase() {
        String current = database;
        if (current == null) {
            throw Errors.error(1046, "3D000", "No database selected");
        }
        return current;
    }

    /** Returns the current database; empty if none is selected. */
    String schema() {
        return database == null ? "" : database;
    }

    /** Returns the session's connection. Opens it at the first call. */
    EngineConnection connection() throws SQLException {
        EngineConnection open = connection;
        if (open == null) {
            open = services.database().connect();
            if (identity.connectionId() == 0) {
                // Sessions with the id 0 load cache lines and accept rows in any order. If DuckDB
                // preserved the insertion order, it would apply LIMIT on one processor only.
                open.execute("SET SESSION preserve_insertion_order = false");
            }
            connection = open;
            interruptible = open;
        }
        if (snapshot < 0 && open.inTransaction()) {
            snapshot = services.rowLocks().ended();
        }
        return open;
    }

    /**
     * Takes the lock of writes. Throws error 1317 if the statement is interrupted while it waits.
     * No interrupt is missed, because the session repeats it until the command ends.
     */
    void lockWrites() {
        ReentrantLock gate = services.writer().gate();
        long seen = interrupts.get();
        try {
            while (!gate.tryLock(LOCK_MILLIS, TimeUnit.MILLISECONDS)) {
                if (interrupts.get() != seen) {
                    throw Errors.interrupted();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Errors.interrupted();
        }
    }

    /** Interrupts the statement that runs in DuckDB or waits for other writes. Thread-safe. */
    void interrupt() {
        interrupts.incrementAndGet();
        EngineConnection running = interruptible;
        if (running != null) {
            running.interrupt();
        }
    }

    /**
     * Waits until a lock is taken.
     *
     * @param lock takes the lock, or returns false
     * @param seconds the longest time to wait; negative is no limit
     * @return whether the lock is taken
     */
    boolean await(BooleanSupplier lock, double seconds) {
        if (lock.getAsBoolean()) {
            return true;
        }
        long began = System.nanoTime();
        long seen = interrupts.get();
        return Workers.waiting(() -> {
            boolean taken = false;
            while (!taken && (seconds < 0 || System.nanoTime() - began < seconds * 1e9)) {
                TimeUnit.MILLISECONDS.sleep(LOCK_MILLIS);
                if (interrupts.get() != seen) {
                    throw Errors.interrupted();
                }
                taken = lock.getAsBoolean();
            }
            return taken;
        });
    }

    private void awaitRows(BooleanSupplier lock) {
        if (!await(lock, (double) variables.number("innodb_lock_wait_timeout"))) {
            throw Errors.error(1205, "HY000", "Lock wait timeout exceeded; try restarting transaction");
        }
        holdsRows = true;
    }

    /** Registers a write. Waits while another session locks all rows. */
    void lockWrite() {
        awaitRows(() -> services.rowLocks().write(this));
    }

    /**
     * Locks all rows until the transaction ends. Waits while another session writes. Throws error
     * 1213 if others have written since the transaction's snapshot, or if the other session might
     * wait for this one.
     */
    void lockRows() {
        RowLocks locks = services.rowLocks();
        boolean writes = holdsRows;
        try {
            if (!writes) {
                awaitRows(() -> locks.lock(this));
            }
        } finally {
            if (!holdsRows) {
                locks.giveUp(this);
            }
        }
        if (writes ? !locks.lock(this) : snapshot >= 0 && snapshot != locks.ended()) {
            rollback();
            throw Errors.conflict();
        }
    }

    /** Releases the row locks if no transaction is open. Call at the end of each command. */
    void commandEnds() {
        if (holdsRows && !inTransaction()) {
            holdsRows = false;
            services.rowLocks().release(this);
        }
    }

    boolean inTransaction() {
        EngineConnection open = connection;
        return open != null && open.inTransaction();
    }

    boolean autocommit() {
        return variables.isOn("autocommit");
    }

    /** Commits the open transaction, if any, and begins a new one. */
    void begin(boolean readOnly) throws SQLException {
        commit();
        connection().begin();
        snapshot = -1;
        readOnlyTransaction = readOnly;
    }

    /** Returns whether the open transaction is read-only, or the next one if none is open. */
    boolean readOnly() {
        return inTransaction() ? readOnlyTransaction : variables.isOn("transaction_read_only");
    }

    /** Throws error 1568 if a transaction is open. */
    void requireNoTransaction() {
        if (inTransaction()) {
            throw Errors.error(
                    1568, "25001", "Transaction characteristics can't be changed while a transaction is in progress");
        }
    }

    /** Call before access to a table. Without autocommit, begins a transaction if none is open. */
    void access() throws SQLException {
        if (!inTransaction() && !autocommit()) {
            begin(readOnly());
        }
    }

    /**
     * Begins a transaction and takes its snapshot. DuckDB takes the snapshot at the first read, so
     * this method reads.
     */
    void beginSnapshot(boolean readOnly) throws SQLException {
        begin(readOnly);
        connection().texts("SELECT format FROM __keyline.store", List.of());
    }

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

    void rollback() {
        abortedBy = null;
        readOnlyTransaction = false;
        EngineConnection open = connection;
        if (open != null) {
            open.rollback();
        }
        savepoints.clear();
    }

    /**
     * Records that a statement failed in DuckDB. The open transaction can then only be rolled back.
     */
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
        if (writes && readOnly()) {
            throw Errors.error(1792, "25006", "Cannot execute statement in a READ ONLY transaction");
        }
    }

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

    /**
     * Resets the state to that after login, for COM_RESET_CONNECTION. As in MySQL, the database
     * stays selected.
     */
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

    /** Closes the connection. No command may be running. */
    void close() {
        EngineConnection open = connection;
        connection = null;
        interruptible = null;
        if (open != null) {
            open.close();
        }
        services.userLocks().releaseAll(this);
        services.rowLocks().release(this);
    }

    /** Returns the tokens of a statement, read by the session's sql_mode. */
    Tokens words(byte[] sql) {
        return new Tokens(sql, variables.sqlMode());
    }

    /** Records the start of a statement, whose time NOW() returns. */
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

    /** @param counts whether FOUND_ROWS() returns the number of the statement's rows */
    void resultCounts(boolean counts) {
        resultCounts = counts;
    }

    /** Records the number of rows that the statement returned. */
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

    /** Returns the session's values for a statement that writes {@code target}. */
    StatementValues values(@Nullable TableDefinition target, int autoIncrement) {
        return new StatementValues(this, target, autoIncrement);
    }

    /** Returns a value of the session for a parameter. */
    @Nullable
    Object value(Parameter.Source source, String name) {
        return switch (source) {
            case SESSION_VARIABLE -> variables.value(name, false);
            case GLOBAL_VARIABLE -> variables.value(name, true);
            case USER_VARIABLE -> variables.user(name);
            case NOW -> began;
            case DATABASE -> database;
            case USER -> identity.user() + "@" + identity.host();
            case CURRENT_USER -> identity.user() + "@%";
            case CONNECTION_ID -> Integer.toUnsignedLong(identity.connectionId());
            case LAST_INSERT_ID -> lastInsertId;
            case ROW_COUNT -> rowCount;
            case FOUND_ROWS -> foundRows;
            case VERSION -> services.version();
            case SLOT, AUTO_INCREMENT, GET_LOCK, RELEASE_LOCK ->
                throw new IllegalArgumentException("not a value of the session: " + source);
        };
    }
}
