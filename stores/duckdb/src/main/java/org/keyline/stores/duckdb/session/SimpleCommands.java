package org.keyline.stores.duckdb.session;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.TableName;
import org.keyline.planner.statement.LikePattern;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.codec.Commands;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.reply.ReplyWriter;
import org.keyline.stores.duckdb.reply.ResultColumns;
import org.keyline.stores.duckdb.translate.Relations.Relation;

/** Runs the commands that are not statements, such as COM_PING. */
final class SimpleCommands {
    private final DuckDbState session;
    private final SessionStatements statements;
    private final ReplyWriter out;

    SimpleCommands(DuckDbState session, SessionStatements statements, ReplyWriter out) {
        this.session = session;
        this.statements = statements;
        this.out = out;
    }

    /** Returns whether a command takes so little time that it needs no worker. */
    static boolean isQuick(int command) {
        return switch (command) {
            case CommandCode.COM_PING,
                    CommandCode.COM_STATISTICS,
                    CommandCode.COM_SET_OPTION,
                    CommandCode.COM_STMT_SEND_LONG_DATA -> true;
            default -> false;
        };
    }

    void run(ByteBuf payload) {
        switch (Commands.code(payload)) {
            case CommandCode.COM_PING, CommandCode.COM_DEBUG -> {
                session.rowCount(0);
                ok();
            }
            case CommandCode.COM_INIT_DB -> {
                session.diagnostics().clear();
                session.use(Commands.text(payload, StandardCharsets.UTF_8));
                session.rowCount(0);
                ok();
            }
            case CommandCode.COM_STATISTICS -> out.text(statistics());
            case CommandCode.COM_SET_OPTION -> setOption(payload);
            case CommandCode.COM_RESET_CONNECTION -> {
                statements.closeAll();
                session.reset();
                ok();
            }
            case CommandCode.COM_FIELD_LIST -> fieldList(payload);
            case CommandCode.COM_PROCESS_KILL -> {
                StatementOutcome outcome =
                        LocalStatements.kill(session, Integer.toUnsignedLong(Commands.processId(payload)), false);
                if (outcome instanceof StatementOutcome.Done) {
                    ok();
                }
            }
            case CommandCode.COM_STMT_SEND_LONG_DATA ->
                statements.sendLongData(
                        Commands.statementId(payload),
                        Commands.longDataParameter(payload),
                        Commands.skipToLongData(payload));
            case CommandCode.COM_STMT_CLOSE -> statements.close(Commands.statementId(payload));
            case CommandCode.COM_STMT_RESET -> {
                Prepared prepared = statements.require(Commands.statementId(payload), "mysqld_stmt_reset");
                prepared.parameters.reset();
                prepared.emptyCursor = false;
                statements.longDataGone(prepared);
                session.rowCount(0);
                ok();
            }
            case CommandCode.COM_STMT_FETCH -> {
                Prepared prepared = statements.require(Commands.statementId(payload), "mysqld_stmt_fetch");
                if (!prepared.emptyCursor) {
                    throw Errors.error(
                            1421,
                            "HY000",
                            "The statement (" + Integer.toUnsignedString(prepared.id) + ") has no open cursor.");
                }
                prepared.emptyCursor = false;
                out.endOfRows(session.status() | ServerStatus.SERVER_STATUS_LAST_ROW_SENT, 0);
            }
            default -> throw Errors.error(1047, "08S01", "Unknown command");
        }
    }

    private void ok() {
        out.ok(OkPacket.of(session.status()));
    }

    private void setOption(ByteBuf payload) {
        switch (Commands.setOption(payload)) {
            case CommandCode.MYSQL_OPTION_MULTI_STATEMENTS_ON -> session.multiStatements(true);
            case CommandCode.MYSQL_OPTION_MULTI_STATEMENTS_OFF -> session.multiStatements(false);
            default -> throw Errors.error(1047, "08S01", "Unknown command");
        }
        out.endOfRows(session.status(), 0);
    }

    private String statistics() {
        StoreServices services = session.services();
        return "Uptime: " + services.uptimeSeconds() + "  Threads: "
                + services.sessions().open() + "  Questions: "
                + services.sessions().statements() + "  Slow queries: 0  Opens: "
                + services.sessions().opened()
                + "  Flush tables: 0  Open tables: 0  Queries per second avg: "
                + String.format(
                        Locale.ROOT,
                        "%.3f",
                        services.sessions().statements() / (double) Math.max(1, services.uptimeSeconds()));
    }

    private void fieldList(ByteBuf payload) {
        String table = Commands.fieldListTable(payload, StandardCharsets.UTF_8);
        String wildcard = Commands.fieldListWildcard(payload, StandardCharsets.UTF_8);
        Relation relation = session.services().catalog().require(new TableName(session.requireDatabase(), table));
        ResultColumns definitions = new ResultColumns(session.variables().resultsCollation());
        LikePattern like = LikePattern.of(wildcard);
        List<ColumnDefinition> columns = new ArrayList<>();
        for (ColumnSchema column : relation.columns()) {
            if (wildcard.isEmpty() || like.matches(column.name())) {
                columns.add(definitions.of(relation, column));
            }
        }
        out.fieldList(columns, session.status());
    }
}
