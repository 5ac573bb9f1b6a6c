package org.keyline.stores.duckdb.session;

import io.netty.buffer.ByteBuf;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.codec.Commands;
import org.keyline.stores.duckdb.engine.EngineRows;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.reply.ReplyWriter;

/**
 * Read-only cursors. The rows lie in a temporary table of the session's connection, as MySQL keeps them too, because a streaming
 * result of DuckDB ends when its connection runs the next statement.
 */
final class CursorFetch {
    private static final int ROWS_PER_FETCH = 100_000;

    private final DuckDbState session;
    private final SessionStatements statements;
    private final ReplyWriter out;

    CursorFetch(DuckDbState session, SessionStatements statements, ReplyWriter out) {
        this.session = session;
        this.statements = statements;
        this.out = out;
    }

    /** COM_STMT_EXECUTE that asks for a cursor. */
    void open(Prepared prepared, List<? extends @Nullable Object> values, StatementRunner runner) throws SQLException {
        if (session.inTransaction() || !session.autocommit()) {
            throw StatementRefusedException.unsupported("a cursor inside a transaction");
        }
        List<ColumnDefinition> columns = runner.intoTable(prepared.words(session), values, prepared.cursorTable());
        if (columns == null) {
            throw Errors.error(1295, "HY000", "This command is not supported in the prepared statement protocol yet");
        }
        prepared.cursor(new Prepared.Cursor(columns));
        int status = session.status() | ServerStatus.SERVER_STATUS_CURSOR_EXISTS;
        out.columns(columns, status, 0);
        if (Capabilities.has(session.identity().capabilities(), Capabilities.CLIENT_DEPRECATE_EOF)) {
            out.endOfRows(status, 0);
        }
    }

    /** COM_STMT_FETCH: the rows that were asked for are moved by the pump. */
    Fetched fetch(ByteBuf payload) throws SQLException {
        Prepared prepared = statements.require(Commands.statementId(payload), "mysqld_stmt_fetch");
        Prepared.Cursor cursor = prepared.cursor();
        if (cursor == null) {
            throw Errors.error(
                    1421,
                    "HY000",
                    "The statement (" + Integer.toUnsignedString(prepared.id()) + ") has no open cursor.");
        }
        long wanted = Math.min(ROWS_PER_FETCH, Commands.fetchRows(payload));
        EngineRows rows = session.connection()
                .query(
                        "SELECT * FROM temp." + prepared.cursorTable()
                                + " WHERE rowid >= ? AND rowid < ? ORDER BY rowid",
                        List.of(cursor.position, cursor.position + wanted));
        ResultPump pump = new ResultPump(
                new StatementOutcome.Streaming(cursor.columns, rows, Long.MAX_VALUE),
                true,
                out,
                session.variables().resultsCharset());
        return new Fetched(prepared, cursor, wanted, pump);
    }

    /** A fetch whose rows are on their way. */
    final class Fetched {
        private final Prepared prepared;
        private final Prepared.Cursor cursor;
        private final long wanted;
        private final ResultPump pump;

        private Fetched(Prepared prepared, Prepared.Cursor cursor, long wanted, ResultPump pump) {
            this.prepared = prepared;
            this.cursor = cursor;
            this.wanted = wanted;
            this.pump = pump;
        }

        ResultPump pump() {
            return pump;
        }

        /** All rows are written, and the pump is closed. */
        void end() throws SQLException {
            cursor.position += pump.count();
            boolean last = pump.count() < wanted;
            if (last) {
                statements.closeCursor(prepared);
            }
            out.endOfRows(
                    session.status()
                            | (last
                                    ? ServerStatus.SERVER_STATUS_LAST_ROW_SENT
                                    : ServerStatus.SERVER_STATUS_CURSOR_EXISTS),
                    0);
        }
    }
}
