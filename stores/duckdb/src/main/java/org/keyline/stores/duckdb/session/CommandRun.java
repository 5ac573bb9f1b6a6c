package org.keyline.stores.duckdb.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.PrepareOk;
import org.keyline.protocol.ProtocolException;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.codec.BinaryRowWriter;
import org.keyline.protocol.codec.ExecuteParameters;
import org.keyline.protocol.codec.RowWriter;
import org.keyline.protocol.codec.StatementParameters;
import org.keyline.protocol.codec.TextRowWriter;
import org.keyline.stores.duckdb.engine.EngineRows;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.engine.Workers;
import org.keyline.stores.duckdb.engine.Write;
import org.keyline.stores.duckdb.load.FileInbox;
import org.keyline.stores.duckdb.reply.Cells;
import org.keyline.stores.duckdb.reply.ReplyWriter;
import org.keyline.stores.duckdb.translate.TextBounds;
import org.keyline.stores.duckdb.translate.Tokens;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running command. If the command must wait for a commit, {@link #run} returns, and is called
 * again later. Used by one thread at a time.
 */
final class CommandRun implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(CommandRun.class);
    private static final int SHOWN_BYTES = 1024;
    private static final ColumnDefinition PARAMETER =
            ColumnDefinition.of("?", Collation.BINARY, 0, ColumnType.VAR_STRING, ColumnType.BINARY_FLAG, 0);

    private final byte[] command;
    private final DuckDbState session;
    private final SessionStatements statements;
    private final ReplyWriter out;
    private final DuckDbSession host;
    private final StatementRunner runner;

    @Nullable
    private Iterator<byte[]> pending;

    private Write.@Nullable Outcome committed;

    private long committedId;

    /** The time limit of the statement in milliseconds; 0 is no limit. */
    private long limit;

    /** The prepared statement that the command executes; null for other commands. */
    private @Nullable Prepared executed;

    private List<? extends @Nullable Object> values = List.of();
    private boolean binary;

    private boolean offersCursor;

    private boolean more;

    private @Nullable Runnable backToDatabase;

    CommandRun(byte[] command, DuckDbState session, SessionStatements statements, ReplyWriter out, DuckDbSession host) {
        this.command = command;
        this.session = session;
        this.statements = statements;
        this.out = out;
        this.host = host;
        this.runner = new StatementRunner(session, this::committed);
    }

    ReplyWriter out() {
        return out;
    }

    private void committed(Write.Outcome outcome, long insertId) {
        committed = outcome;
        committedId = insertId;
        host.proceed(this);
    }

    @Override
    public void run() {
        boolean waits = false;
        try {
            waits = !host.isClosed() && !advance();
        } catch (StatementRefusedException e) {
            fail(e);
        } catch (ProtocolException e) {
            fail(Errors.error(e.code().number(), e.code().sqlState(), String.valueOf(e.getMessage())));
        } catch (SQLException e) {
            fail(Errors.of(e));
        } catch (StackOverflowError e) {
            fail(Errors.error(1436, "HY000", "Thread stack overrun: the statement is nested too deeply"));
        } catch (RuntimeException | Error e) {
            LOG.error(
                    "Connection {}: a command (code {}) failed in the embedded store because of an error in Keyline."
                            + " Its client gets error 1105. Please report it.",
                    session.identity().connectionId(),
                    command[0],
                    e);
            fail(Errors.error(1105, "HY000", "Internal error: " + e));
        }
        if (!waits) {
            if (backToDatabase != null) {
                backToDatabase.run();
            }
            limit(0);
            host.shows(null);
            session.commandEnds();
            host.ended(this);
        }
    }

    private void limit(long milliseconds) {
        if (milliseconds != 0 || limit != 0) {
            limit = milliseconds;
            host.limit(milliseconds);
        }
    }

    private void fail(StatementRefusedException error) {
        if (Errors.isDetached(error)) {
            StoreServices services = session.services();
            services.database().openAnew(services.writer().gate(), services.sessions()::endAll);
        } else if (Errors.isFatal(error)) {
            session.services().database().stopped();
        }
        StatementRefusedException interrupt = host.takeInterrupt();
        // The interrupt's error replaces DuckDB's various messages for an interrupted statement.
        boolean vague = error.code() == 1317 || error.code() == 1105;
        StatementRefusedException reported =
                vague && interrupt != null ? interrupt : Errors.naming(error, runner::keyOf);
        session.diagnostics().add("Error", reported);
        session.rowCount(-1);
        if (reported.code() == 1317 || reported.code() == 3024) {
            session.statementFailed(reported);
        }
        out.error(new ErrPacket(reported.code(), reported.sqlState(), String.valueOf(reported.getMessage())));
    }

    /** Continues the command. Returns false if it must wait. */
    private boolean advance() throws SQLException {
        if (pending == null) {
            Iterator<byte[]> first = begin();
            if (first == null) {
                return true;
            }
            pending = first;
        }
        Write.Outcome written = committed;
        if (written != null) {
            committed = null;
            StatementRefusedException error = written.error();
            if (error != null) {
                throw error;
            }
            long id = written.affectedRows() == 0 ? 0 : committedId;
            session.rowCount(written.affectedRows());
            session.inserted(id);
            reply(new StatementOutcome.Done(written.affectedRows(), id, ""));
        }
        while (pending.hasNext()) {
            byte[] text = pending.next();
            Tokens statement = executed == null ? session.words(text) : executed.words(session);
            host.takeInterrupt();
            host.shows(new String(text, 0, Math.min(text.length, SHOWN_BYTES), StandardCharsets.UTF_8));
            session.services().sessions().countStatement();
            if (!next(statement)) {
                return false;
            }
        }
        return true;
    }

    private void throwIfStopped() {
        StatementRefusedException interrupt = host.isClosed() ? Errors.interrupted() : host.takeInterrupt();
        if (interrupt != null) {
            throw interrupt;
        }
    }

    private boolean next(Tokens statement) throws SQLException {
        more = pending != null && pending.hasNext();
        long limit = StatementRunner.isSelect(statement) ? session.variables().number("max_execution_time") : 0;
        limit(
                limit != 0
                        ? limit
                        : session.services().options().maxExecutionTime().get().toMillis());
        StatementOutcome outcome = runner.run(statement, values);
        if (outcome instanceof StatementOutcome.Waiting) {
            return false;
        }
        reply(outcome instanceof StatementOutcome.Loading loading ? loaded(loading) : outcome);
        return true;
    }

    private void reply(StatementOutcome outcome) throws SQLException {
        if (outcome instanceof StatementOutcome.Done done) {
            session.rowCount(done.affectedRows());
            out.ok(new OkPacket(done.affectedRows(), done.insertId(), status(), warnings(), done.info()));
        } else if (outcome instanceof StatementOutcome.Streaming streaming) {
            try (EngineRows rows = streaming.rows()) {
                send(rows, streaming.columns(), streaming.most());
            }
        }
    }

    /** Loads the client's file. The client gets an error only after the end of the file. */
    private StatementOutcome loaded(StatementOutcome.Loading loading) throws SQLException {
        out.localInfile(loading.file());
        FileInbox file = host.asks(this);
        try {
            return loading.load().run(() -> {
                throwIfStopped();
                Optional<byte[]> piece = Workers.waiting(file::take);
                throwIfStopped();
                return piece;
            });
        } finally {
            file.discard();
            Workers.waiting(() -> file.skipRest(host::isClosed));
        }
    }

    private void send(EngineRows rows, List<ColumnDefinition> columns, long most) throws SQLException {
        boolean row = most > 0 && rows.next();
        if (offersCursor && executed != null && !row) {
            emptyCursor(columns, executed);
            return;
        }
        RowWriter writer = binary ? new BinaryRowWriter(columns) : new TextRowWriter(columns);
        Cells cells = new Cells(rows, columns, session.variables().asciiResults());
        out.columns(columns, status(), 0);
        long count = 0;
        while (row) {
            out.row(writer, cells, rows.textBytes());
            if (out.full()) {
                throwIfStopped();
                host.flush(this);
            }
            row = ++count < most && rows.next();
        }
        session.resultSent(count);
        out.endOfRows(status(), warnings());
    }

    /**
     * Opens a cursor without rows. If a client requests a cursor, the protocol allows the store to
     * send the rows at once instead. If there are no rows, however, Connector/J mistakes the end of
     * the result for the end of the columns and waits forever.
     */
    private void emptyCursor(List<ColumnDefinition> columns, Prepared prepared) {
        prepared.emptyCursor = true;
        session.resultSent(0);
        int status = status() | ServerStatus.SERVER_STATUS_CURSOR_EXISTS;
        out.columns(columns, status, 0);
        if (Capabilities.has(session.identity().capabilities(), Capabilities.CLIENT_DEPRECATE_EOF)) {
            out.endOfRows(status, 0);
        }
    }

    private int status() {
        return session.status() | (more ? ServerStatus.SERVER_MORE_RESULTS_EXISTS : 0);
    }

    private int warnings() {
        return Math.min(0xFFFF, session.diagnostics().ownCount());
    }

    /** Begins the command. Returns its statements, or null if the command is done. */
    @Nullable
    private Iterator<byte[]> begin() throws SQLException {
        ByteBuf payload = Unpooled.wrappedBuffer(command);
        switch (command[0]) {
            case CommandCode.COM_QUERY -> {
                int from = new ExecuteParameters()
                        .decodeQuery(payload, session.identity().capabilities());
                byte[] text = text(from);
                List<byte[]> split =
                        StatementSplitter.split(text, session.variables().sqlMode());
                if (split.isEmpty() && StatementSplitter.isComment(text)) {
                    session.diagnostics().clear();
                    session.rowCount(0);
                    out.ok(OkPacket.of(session.status()));
                    return null;
                }
                return query(split).iterator();
            }
            case CommandCode.COM_STMT_PREPARE -> {
                prepare(text(1));
                return null;
            }
            case CommandCode.COM_STMT_EXECUTE -> {
                return execute(payload);
            }
            default -> {
                new SimpleCommands(session, statements, out).run(payload);
                return null;
            }
        }
    }

    private byte[] text(int from) {
        int to = command.length;
        while (to > from && command[to - 1] == 0) {
            // C programs such as mysqlslap send the terminating zero byte of their string.
            to--;
        }
        byte[] text = Arrays.copyOfRange(command, from, to);
        if (session.variables().asciiStatements()) {
            Cells.requireAscii(text, "a statement");
        }
        return text;
    }

    private List<byte[]> query(List<byte[]> split) {
        if (split.isEmpty()) {
            throw Errors.error(1065, "42000", "Query was empty");
        }
        if (split.size() > 1 && !session.multiStatements()) {
            throw StatementRefusedException.unsupported(
                    "several statements in one text without CLIENT_MULTI_STATEMENTS");
        }
        split.forEach(
                statement -> TextBounds.check(statement, session.variables().sqlMode()));
        return split;
    }

    private byte[] single(byte[] text) {
        List<byte[]> split =
                query(StatementSplitter.split(text, session.variables().sqlMode()));
        if (split.size() > 1) {
            throw notPrepared();
        }
        return split.get(0);
    }

    private static StatementRefusedException notPrepared() {
        return Errors.error(1295, "HY000", "This command is not supported in the prepared statement protocol yet");
    }

    private void prepare(byte[] text) {
        Tokens words = session.words(single(text));
        runner.clearDiagnostics(words);
        if ("LOAD".equals(words.first())) {
            throw notPrepared();
        }
        int placeholders = words.text().placeholders();
        if (placeholders > StatementParameters.MAX_PARAMETERS) {
            throw Errors.error(1390, "HY000", "Prepared statement contains too many placeholders");
        }
        List<ColumnDefinition> columns = runner.describe(words);
        Prepared prepared = statements.add(words, placeholders);
        out.prepared(
                new PrepareOk(prepared.id, columns.size(), placeholders, 0),
                Collections.nCopies(placeholders, PARAMETER),
                columns,
                session.status());
    }

    /** Selects the database that was current at PREPARE, until the prepared statement has run. */
    private void goToDatabase(@Nullable String preparedIn) {
        String current = session.database();
        if (!Objects.equals(preparedIn, current)) {
            session.database(preparedIn);
            backToDatabase = () -> {
                if (Objects.equals(session.database(), preparedIn)) {
                    session.database(current);
                }
            };
        }
    }

    @Nullable
    private Iterator<byte[]> execute(ByteBuf payload) throws SQLException {
        Prepared prepared = statements.require(ExecuteParameters.statementId(payload), "mysqld_stmt_execute");
        goToDatabase(prepared.database);
        ExecuteParameters parameters = new ExecuteParameters();
        try {
            parameters.decode(payload, session.identity().capabilities(), prepared.parameters);
        } finally {
            statements.longDataGone(prepared);
        }
        values = BoundValues.of(parameters, session.variables().asciiStatements());
        binary = true;
        executed = prepared;
        prepared.emptyCursor = false;
        offersCursor = (parameters.flags() & ExecuteParameters.CURSOR_TYPE_READ_ONLY) != 0;
        return List.of(prepared.sql()).iterator();
    }
}
