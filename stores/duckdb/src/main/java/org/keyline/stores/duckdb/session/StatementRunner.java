package org.keyline.stores.duckdb.session;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.ObjLongConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableName;
import org.keyline.planner.digest.Token;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.stores.ddl.DdlReader;
import org.keyline.stores.ddl.DdlStatement;
import org.keyline.stores.ddl.TableDefinition;
import org.keyline.stores.duckdb.engine.EngineConnection;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.engine.Write;
import org.keyline.stores.duckdb.meta.SystemViews;
import org.keyline.stores.duckdb.translate.DuckDdl;
import org.keyline.stores.duckdb.translate.Relations.Relation;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.Step;
import org.keyline.stores.duckdb.translate.Tokens;
import org.keyline.stores.duckdb.translate.Translated;

/** Runs the statements of one session. Used by one worker thread at a time. */
final class StatementRunner {
    private final DuckDbState session;
    private final LocalStatements local;
    private final ObjLongConsumer<Write.Outcome> commits;

    /** The last translated statement, for errors that name a key. */
    private @Nullable Translated translated;

    /**
     * Creates a runner.
     *
     * @param commits receives the outcome of each write that a statement waits for, with the first
     *     AUTO_INCREMENT value of the statement or 0; called on the writer's thread, must not block
     */
    StatementRunner(DuckDbState session, ObjLongConsumer<Write.Outcome> commits) {
        this.session = session;
        this.local = new LocalStatements(session, this);
        this.commits = commits;
    }

    /**
     * Runs one statement.
     *
     * @param words the statement's tokens; their current position does not matter
     * @param values the values of the statement's placeholders
     */
    StatementOutcome run(Tokens words, List<? extends @Nullable Object> values) throws SQLException {
        words.go(0);
        session.statementBegins();
        String first = words.first();
        if (first == null && !words.isSymbol("(")) {
            if (words.atEnd()) {
                throw Errors.error(1065, "42000", "Query was empty");
            }
            throw words.error("a statement");
        }
        clearDiagnostics(words);
        session.resultCounts(first == null || counts(words, first));
        if (first == null || isTranslated(first)) {
            StatementText text = bound(words.text(), values);
            return translated(text, text.isLimited() ? Long.MAX_VALUE : selectLimit());
        }
        DdlReader ddl = new DdlReader(session.variables().sqlMode(), false);
        String sql = words.sql();
        if (ddl.reads(sql)) {
            return change(ddl, sql);
        }
        return local.run(words, first, values);
    }

    /**
     * Returns whether FOUND_ROWS() counts the statement's rows. MariaDB counts the rows of SELECT,
     * and of each SHOW that it runs as a SELECT.
     */
    private static boolean counts(Tokens words, String first) {
        Token second = words.token(1);
        return switch (first) {
            case "SELECT", "WITH", "TABLE", "DESCRIBE", "DESC" -> true;
            case "SHOW" ->
                !second.type().isName()
                        || Stream.of("WARNINGS", "ERRORS", "CREATE", "GRANTS", "PROCESSLIST")
                                .noneMatch(second::is);
            default -> false;
        };
    }

    /** Clears the warnings of the previous statement, unless the statement shows them. */
    void clearDiagnostics(Tokens words) {
        boolean asks = words.token().is("SHOW")
                && words.token(1).type().isName()
                && (words.token(1).is("WARNINGS")
                        || words.token(1).is("ERRORS")
                        || words.token(1).is("COUNT"));
        if (asks) {
            session.diagnostics().shown();
        } else {
            session.diagnostics().clear();
        }
    }

    /** Returns whether statements that begin with this word are translated for DuckDB. */
    static boolean isTranslated(String first) {
        return switch (first) {
            case "SELECT", "WITH", "VALUES", "TABLE", "INSERT", "REPLACE", "UPDATE", "DELETE" -> true;
            default -> false;
        };
    }

    StatementText bound(String sql, List<? extends @Nullable Object> values) {
        return bound(StatementText.of(sql, session.variables().sqlMode()), values);
    }

    private static StatementText bound(StatementText text, List<? extends @Nullable Object> values) {
        if (text.placeholders() != values.size()) {
            throw Errors.error(1210, "HY000", "Incorrect arguments to EXECUTE");
        }
        return values.isEmpty() ? text : text.bound(values);
    }

    private StatementOutcome change(DdlReader ddl, String sql) throws SQLException {
        session.commit();
        session.requireUsableTransaction(true);
        session.lockWrite();
        var statement = ddl.read(sql, session.schema());
        EngineConnection connection = session.connection();
        List<StatementRefusedException> notes;
        session.lockWrites();
        try {
            notes = session.services().changes().run(statement, connection);
        } finally {
            session.services().writer().gate().unlock();
        }
        notes.forEach(note -> session.diagnostics().add("Note", note));
        String database = session.database();
        if (database != null && session.services().catalog().database(database) == null) {
            session.forgetDatabase();
        }
        session.rowCount(0);
        return statement instanceof DdlStatement.CreateDatabase && notes.isEmpty()
                ? new StatementOutcome.Done(1, 0, "")
                : StatementOutcome.Done.NOTHING;
    }

    private List<ColumnDefinition> columns(StatementText text) {
        return definitions(session.services().translations().of(text, session.translationContext()));
    }

    private List<ColumnDefinition> columns(String select) {
        return columns(StatementText.of(select, session.variables().sqlMode()));
    }

    private List<ColumnDefinition> definitions(Translated translated) {
        return session.services()
                .translations()
                .definitions(translated, session.variables().resultsCollation());
    }

    /** Returns sql_select_limit, which bounds SELECTs without a LIMIT. */
    private long selectLimit() {
        long limit = session.variables().number("sql_select_limit");
        return limit < 0 ? Long.MAX_VALUE : limit;
    }

    StatementOutcome translated(StatementText text) throws SQLException {
        return translated(text, Long.MAX_VALUE);
    }

    private StatementOutcome translated(StatementText text, long most) throws SQLException {
        long version = session.services().catalog().version();
        Translated translated = session.services().translations().of(text, session.translationContext());
        this.translated = translated;
        return run(translated, text, version, most);
    }

    /**
     * Returns the name of the key of the last statement's table that has these columns. If the
     * definition has no such key, because the statement adds it, returns the first column.
     *
     * @param columns the key's columns, separated by commas; empty if DuckDB does not name them,
     *     because two rows of the statement share a key. The names of all keys are then returned.
     */
    String keyOf(String columns) {
        TableDefinition table = translated == null ? null : translated.target();
        Map<String, List<String>> keys = table == null ? Map.of() : DuckDdl.uniqueKeys(table);
        for (Map.Entry<String, List<String>> key : keys.entrySet()) {
            if (String.join(",", key.getValue()).equalsIgnoreCase(columns)) {
                return key.getKey();
            }
        }
        return columns.isEmpty()
                ? keys.isEmpty() ? DuckDdl.PRIMARY : String.join("' or '", keys.keySet())
                : columns.split(",", -1)[0];
    }

    private StatementOutcome run(Translated translated, StatementText text, long version, long most)
            throws SQLException {
        boolean writes = translated.writes();
        boolean forUpdate = translated.kind() == Translated.Kind.SELECT_FOR_UPDATE;
        session.requireUsableTransaction(writes || forUpdate);
        if (writes) {
            session.lockWrite();
        }
        var values = session.values(translated.target(), translated.autoIncrement());
        // As in MySQL, SHOW neither begins a transaction nor uses up a SET TRANSACTION.
        if (writes || translated.reads().stream().anyMatch(name -> !SystemViews.isSystem(name.schema()))) {
            session.access();
        }
        if (forUpdate && session.inTransaction()) {
            session.lockRows();
        }
        if (!writes) {
            return select(translated, text, values, version, most);
        }
        if (translated.autoIncrement() >= 0 && translated.steps().size() > 1) {
            return numbered(translated, text, values, version);
        }
        Steps work = Steps.of(translated, text, values);
        if (session.inTransaction() || !SmallWrites.has(translated, text)) {
            return done(write(work, version), values.firstId());
        }
        long insertId = values.firstId();
        session.services().writer().submit(new Write(work, version, outcome -> commits.accept(outcome, insertId)));
        return new StatementOutcome.Waiting();
    }

    private long write(Steps work, long version) throws SQLException {
        return session.inTransaction() ? inTransaction(work, version) : alone(work, version);
    }

    /**
     * Runs an INSERT that has several steps and generates AUTO_INCREMENT values. If it inserts a
     * query, counts the query's rows before the write. After the write, checks whether the first
     * value was stored.
     */
    private StatementOutcome numbered(Translated translated, StatementText text, StatementValues values, long version)
            throws SQLException {
        boolean alone = !session.inTransaction();
        if (alone) {
            session.lockWrites();
        }
        try {
            Step first = translated.steps().get(0);
            boolean query = first.role() == Step.Role.ROWS;
            if (query) {
                EngineConnection connection = prepared(translated, version);
                values.rows(connection.number(first.sql(), values.of(first, text)));
            }
            long affected = write(Steps.of(translated, text, values), version);
            if (query) {
                values.stored();
            }
            boolean stored = affected > 0 && values.firstId() != 0 && values.isStored();
            return done(affected, stored ? values.firstId() : 0);
        } finally {
            if (alone) {
                session.services().writer().gate().unlock();
            }
        }
    }

    private StatementOutcome.Done done(long affected, long insertId) {
        long id = affected == 0 ? 0 : insertId;
        session.rowCount(affected);
        session.inserted(id);
        return new StatementOutcome.Done(affected, id, "");
    }

    private StatementOutcome select(
            Translated translated, StatementText text, StatementValues values, long version, long most)
            throws SQLException {
        EngineConnection connection = prepared(translated, version);
        Step step = translated.result();
        List<@Nullable Object> bound = values.of(step, text);
        List<ColumnDefinition> columns = definitions(translated);
        try {
            return new StatementOutcome.Streaming(columns, connection.query(step.sql(), bound), most);
        } catch (SQLException e) {
            session.statementFailed(Errors.of(e));
            throw e;
        }
    }

    /** Returns whether a statement is a SELECT, to which max_execution_time applies. */
    static boolean isSelect(Tokens words) {
        words.go(0);
        return words.isSymbol("(") || words.isAny("SELECT", "WITH", "VALUES", "TABLE");
    }

    /** Returns the columns that PREPARE announces; none for statements without rows. */
    List<ColumnDefinition> describe(Tokens words) {
        words.go(0);
        String first = words.first();
        if (first == null || isTranslated(first)) {
            return columns(words.text());
        }
        String select = local.select(words);
        return select == null ? List.of() : columns(select);
    }

    private EngineConnection prepared(Translated translated, long version) throws SQLException {
        EngineConnection connection = session.connection();
        for (TableName name : translated.reads()) {
            Relation relation = name.schema().equalsIgnoreCase("information_schema")
                    ? session.services().catalog().relation(name)
                    : null;
            if (relation != null && SystemViews.isOfSession(relation)) {
                new SessionTables(session).fill(relation, connection);
            }
        }
        connection.catalogIs(version);
        return connection;
    }

    private long inTransaction(Steps work, long version) throws SQLException {
        EngineConnection connection = session.connection();
        connection.catalogIs(version);
        session.savepoints().written();
        try {
            return work.apply(connection);
        } catch (SQLException e) {
            StatementRefusedException error = Errors.naming(Errors.of(e), this::keyOf);
            if (Errors.isConflict(error)) {
                session.rollback();
            } else {
                session.statementFailed(error);
            }
            throw error;
        }
    }

    /**
     * Runs a write of unknown size on the session's connection, so that it can be interrupted. No
     * other write runs at the same time.
     */
    private long alone(Steps work, long version) throws SQLException {
        EngineConnection connection = session.connection();
        session.lockWrites();
        try {
            connection.catalogIs(version);
            connection.begin();
            long affected = work.apply(connection);
            connection.commit();
            return affected;
        } finally {
            connection.rollback();
            session.services().writer().gate().unlock();
        }
    }
}
