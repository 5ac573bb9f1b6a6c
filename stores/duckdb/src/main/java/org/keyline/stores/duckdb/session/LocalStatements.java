package org.keyline.stores.duckdb.session;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.TableName;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.duckdb.engine.EngineRows;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.reply.ReplyMemory;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.Step;
import org.keyline.stores.duckdb.translate.Translated;
import org.keyline.stores.duckdb.translate.Values;

/** Statements that are answered without, or only with the help of, DuckDB: sessions, transactions, EXPLAIN, SET, KILL. */
final class LocalStatements {
    private final DuckDbState session;
    private final StatementRunner runner;

    LocalStatements(DuckDbState session, StatementRunner runner) {
        this.session = session;
        this.runner = runner;
    }

    StatementOutcome run(Words words, String first, List<? extends @Nullable Object> values) throws SQLException {
        words.next();
        switch (first) {
            case "SHOW":
                return new LocalShows(words, session, runner).show(values);
            case "DESCRIBE", "DESC", "EXPLAIN":
                return explain(words, values);
            case "SET":
                return set(words, values);
            case "USE":
                if (words.token().type() == TokenType.USER_VARIABLE
                        || words.token(1).type() == TokenType.USER_VARIABLE) {
                    throw StatementRefusedException.unsupported("compute groups");
                }
                session.use(database(words));
                return StatementOutcome.Done.NOTHING;
            case "BEGIN":
                new TransactionStatements(words, session).begin();
                return StatementOutcome.Done.NOTHING;
            case "START":
                new TransactionStatements(words, session).start();
                return StatementOutcome.Done.NOTHING;
            case "COMMIT", "ROLLBACK":
                new TransactionStatements(words, session).end(first.equals("COMMIT"));
                return StatementOutcome.Done.NOTHING;
            case "KILL":
                return kill(words, values);
            case "DO":
                evaluate(words.rest(), values);
                return StatementOutcome.Done.NOTHING;
            case "LOCK":
                new LockStatements(words, session).lock();
                return StatementOutcome.Done.NOTHING;
            case "UNLOCK":
                new LockStatements(words, session).unlock();
                return StatementOutcome.Done.NOTHING;
            case "SAVEPOINT":
                new LockStatements(words, session).savepoint();
                return StatementOutcome.Done.NOTHING;
            case "RELEASE":
                new LockStatements(words, session).release();
                return StatementOutcome.Done.NOTHING;
            case "SIGNAL":
                throw signalled(words);
            case "FLUSH", "ANALYZE", "SYNC", "ADMIN":
                return harmless(words, first);
            case "CHECK", "OPTIMIZE", "REPAIR", "CHECKSUM":
                return maintenance(words, first);
            case "LOAD":
                return load(words);
            case "CALL":
                throw Errors.error(1305, "42000", "PROCEDURE " + words.rest() + " does not exist");
            case "KEYLINE":
                throw Errors.error(1105, "HY000", "KEYLINE statements are answered by the gateway");
            default:
                throw refused(words, first);
        }
    }

    private static RuntimeException refused(Words words, String first) {
        return switch (first) {
            case "BACKUP",
                    "BUILD",
                    "CANCEL",
                    "CLEAN",
                    "COPY",
                    "EXPORT",
                    "MERGE",
                    "PAUSE",
                    "PLAN",
                    "RECOVER",
                    "REFRESH",
                    "RESTORE",
                    "RESUME",
                    "STOP",
                    "SWITCH",
                    "UNSET",
                    "WARM",
                    "GRANT",
                    "REVOKE",
                    "CREATE",
                    "ALTER",
                    "DROP",
                    "RENAME",
                    "PREPARE",
                    "EXECUTE",
                    "DEALLOCATE",
                    "XA",
                    "HANDLER",
                    "HELP",
                    "INSTALL",
                    "UNINSTALL",
                    "RESET",
                    "PURGE",
                    "CHANGE",
                    "CACHE",
                    "SHUTDOWN",
                    "RESTART",
                    "GET",
                    "IMPORT",
                    "CLONE" ->
                StatementRefusedException.unsupported(
                        (first + " " + words.token().text()).strip().toUpperCase(java.util.Locale.ROOT));
            default -> {
                words.go(0);
                yield words.error("a statement");
            }
        };
    }

    /** The database of a USE. */
    private static String database(Words words) {
        String name = words.database();
        if (words.token().type() == TokenType.USER_VARIABLE) {
            throw StatementRefusedException.unsupported("compute groups");
        }
        words.expectEnd();
        return name;
    }

    /** SIGNAL SQLSTATE '…' [SET MYSQL_ERRNO = …, MESSAGE_TEXT = '…']. */
    private static RuntimeException signalled(Words words) {
        words.expect("SQLSTATE");
        words.take("VALUE");
        String state = words.nameOrString();
        long code = 1644;
        String message = "Unhandled user-defined exception condition";
        if (words.take("SET")) {
            do {
                boolean number = words.take("MYSQL_ERRNO");
                if (!number) {
                    words.expect("MESSAGE_TEXT");
                }
                words.expectSymbol("=");
                if (number) {
                    code = words.number();
                } else {
                    message = words.nameOrString();
                }
            } while (words.takeSymbol(","));
        }
        words.expectEnd();
        if (state.length() != 5 || state.startsWith("00") || code < 1 || code > 0xFFFF) {
            throw words.error("an SQLSTATE and an error number");
        }
        return Errors.error((int) code, state, message);
    }

    private StatementOutcome load(Words words) throws SQLException {
        if (!words.take("DATA")) {
            throw StatementRefusedException.unsupported(
                    "LOAD " + words.token().text().toUpperCase(java.util.Locale.ROOT));
        }
        LoadStatement load = new LoadReader(words, session).read();
        return new StatementOutcome.Loading(FileLoad.of(load, session), load.file());
    }

    /** Returns the SELECT behind a SHOW or DESCRIBE, whose tokens are at their begin; null for other statements. */
    @Nullable
    String select(Words words) {
        if (words.take("SHOW")) {
            return LocalShows.answers(words) ? null : new ShowStatements(words, session).select();
        }
        if (words.takeAll("ADMIN", "SHOW")) {
            words.go(1);
            return new AdminStatements(words).show();
        }
        if ((words.take("DESCRIBE") || words.take("DESC") || words.take("EXPLAIN"))
                && ShowStatements.explained(words) == null
                && namesTable(words)) {
            return new ShowStatements(words, session).describe();
        }
        return null;
    }

    private static boolean namesTable(Words words) {
        return words.token().type().isName()
                && !words.is("SELECT")
                && !words.is("WITH")
                && !words.is("INSERT")
                && !words.is("REPLACE")
                && !words.is("UPDATE")
                && !words.is("DELETE")
                && !words.is("TABLE")
                && !words.is("FORMAT")
                && !words.is("ANALYZE")
                && !words.is("EXTENDED")
                && !words.is("VERBOSE")
                && !words.is("PARTITIONS");
    }

    private StatementOutcome explain(Words words, List<? extends @Nullable Object> values) throws SQLException {
        String doris = ShowStatements.explained(words);
        if (doris != null) {
            throw StatementRefusedException.unsupported(doris);
        }
        if (namesTable(words)) {
            String select = new ShowStatements(words, session).describe();
            return runner.translated(runner.bound(select, values));
        }
        boolean analyze = words.take("ANALYZE");
        if (!words.take("EXTENDED") && !words.take("VERBOSE")) {
            words.take("PARTITIONS");
        }
        if (words.take("FORMAT")) {
            words.takeSymbol("=");
            words.nameOrString();
        }
        if (analyze) {
            throw StatementRefusedException.unsupported("EXPLAIN ANALYZE");
        }
        StatementText text = runner.bound(words.rest(), values);
        Translated translated = session.services().translations().of(text, session.translationContext());
        Step step = translated.result();
        List<@Nullable Object> bound = Values.of(step, text, session.values(null, -1));
        List<List<@Nullable String>> lines = new ArrayList<>();
        for (List<@Nullable String> row : session.connection().texts("EXPLAIN " + step.sql(), bound)) {
            String plan = String.valueOf(row.get(row.size() - 1));
            plan.lines().forEach(line -> lines.add(List.of(PlanText.of(line))));
        }
        return LocalShows.rows(session, List.of("Explain String"), SqlType.STRING, lines);
    }

    private StatementOutcome set(Words words, List<? extends @Nullable Object> values) throws SQLException {
        if (words.is("LDAP_ADMIN_PASSWORD")) {
            throw StatementRefusedException.unsupported("SET LDAP_ADMIN_PASSWORD");
        }
        boolean vault = words.token(words.is("DEFAULT") ? 1 : 3).is("STORAGE");
        if (words.is("PROPERTY") || vault) {
            throw StatementRefusedException.unsupported("SET " + words.rest().toUpperCase(java.util.Locale.ROOT));
        }
        List<@Nullable Object> left = new ArrayList<>(values);
        boolean before = session.autocommit();
        Boolean autocommit = new SetCommand(words, session.variables(), session.rights(), expression -> {
                    List<@Nullable Object> used = take(left, expression);
                    try {
                        return evaluate(expression, used);
                    } catch (SQLException e) {
                        throw Errors.of(e);
                    }
                })
                .run();
        if (autocommit != null && autocommit && !before) {
            session.commit();
        }
        return StatementOutcome.Done.NOTHING;
    }

    /** The values of the placeholders in an expression, taken from those that are left. */
    private List<@Nullable Object> take(List<@Nullable Object> left, String expression) {
        int count = StatementText.of(expression, session.variables().sqlMode()).placeholders();
        List<@Nullable Object> used = new ArrayList<>(left.subList(0, Math.min(count, left.size())));
        left.subList(0, used.size()).clear();
        return used;
    }

    /** The value of an expression. */
    @Nullable
    private Object evaluate(String expression, List<? extends @Nullable Object> values) throws SQLException {
        StatementOutcome outcome = runner.translated(runner.bound("SELECT " + expression, values));
        if (!(outcome instanceof StatementOutcome.Streaming streaming)) {
            throw new IllegalStateException("SELECT without rows");
        }
        try (EngineRows rows = streaming.rows()) {
            if (!rows.next()) {
                return null;
            }
            ReplyMemory memory = new ReplyMemory(session.identity().memory());
            long taken = memory.takeCopies(rows.textBytes());
            try {
                return UserValues.of(rows, 0);
            } finally {
                memory.give(taken);
            }
        }
    }

    private StatementOutcome kill(Words words, List<? extends @Nullable Object> values) throws SQLException {
        if ((words.is("ANALYZE") || words.is("TRANSACTION"))
                && !words.token(1).type().equals(TokenType.END)) {
            throw StatementRefusedException.unsupported(
                    "KILL " + words.token().text().toUpperCase(java.util.Locale.ROOT));
        }
        boolean query = words.take("QUERY");
        if (!query) {
            words.take("CONNECTION");
        }
        if (words.token().type() == TokenType.INTEGER) {
            long id = words.number();
            words.expectEnd();
            return kill(id, query);
        }
        return kill(evaluate(words.rest(), values) instanceof Long number ? number : -1, query);
    }

    /** KILL of a session by its connection id. */
    StatementOutcome kill(long id, boolean query) {
        OpenSessions.Member member =
                id == (int) id ? session.services().sessions().find((int) id) : null;
        if (member == null) {
            throw Errors.error(1094, "HY000", "Unknown thread id: " + id);
        }
        if (!session.rights().sees(member.process())) {
            throw Errors.error(1095, "HY000", "You are not owner of thread " + id);
        }
        if (id == session.identity().connectionId()) {
            if (query) {
                throw Errors.interrupted();
            }
            member.killConnection();
            return new StatementOutcome.Ended();
        }
        if (query) {
            member.killQuery();
        } else {
            member.killConnection();
        }
        return StatementOutcome.Done.NOTHING;
    }

    private StatementOutcome harmless(Words words, String first) throws SQLException {
        if (first.equals("ADMIN")) {
            AdminStatements admin = new AdminStatements(words);
            String select = admin.show();
            if (select != null) {
                return runner.translated(runner.bound(select, List.of()));
            }
            if (!words.is("SET")) {
                throw StatementRefusedException.unsupported(
                        "ADMIN " + words.token().text().toUpperCase(java.util.Locale.ROOT));
            }
            admin.set();
            return StatementOutcome.Done.NOTHING;
        }
        if (first.equals("ANALYZE") && words.is("TABLE")) {
            return maintenance(words, first);
        }
        if (first.equals("FLUSH")) {
            while (!words.atEnd()) {
                if (words.is("LOCK") || words.is("EXPORT")) {
                    throw StatementRefusedException.unsupported("FLUSH TABLES that locks them; LOCK TABLES names them");
                }
                words.next();
            }
        }
        return StatementOutcome.Done.NOTHING;
    }

    private StatementOutcome maintenance(Words words, String first) {
        words.expect("TABLE");
        List<List<@Nullable String>> rows = new ArrayList<>();
        do {
            TableName name = new ShowStatements(words, session).name();
            boolean exists = session.services().catalog().relation(name) != null;
            String operation = first.toLowerCase(java.util.Locale.ROOT);
            rows.add(
                    exists
                            ? List.of(name.toString(), operation, "status", "OK")
                            : List.of(name.toString(), operation, "Error", "Table '" + name + "' doesn't exist"));
        } while (words.takeSymbol(","));
        return LocalShows.rows(session, ShowStatements.maintenanceColumns(), SqlType.STRING, rows);
    }
}
