package org.keyline.stores.duckdb.session;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.ReservedWords;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.duckdb.engine.EngineRows;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.reply.ReplyMemory;
import org.keyline.stores.duckdb.translate.Parameter.Source;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.Step;
import org.keyline.stores.duckdb.translate.Tokens;
import org.keyline.stores.duckdb.translate.Translated;

/** Runs statements that are neither translated nor data definitions, such as SHOW and SET. */
final class LocalStatements {
    private static final Set<String> REFUSED =
            Set.of("ADMIN ANALYZE BACKUP BUILD CACHE CANCEL CHANGE CHECK CHECKSUM CLEAN"
                    .concat(" CLONE COPY CREATE ALTER DEALLOCATE DROP EXECUTE EXPORT GET GRANT HANDLER HELP IMPORT"
                            + " INSTALL MERGE")
                    .concat(" OPTIMIZE PAUSE PLAN PREPARE PURGE RECOVER REFRESH RENAME REPAIR RESET RESTART RESTORE"
                            + " RESUME REVOKE")
                    .concat(" SHUTDOWN SIGNAL STOP SWITCH UNINSTALL UNSET WARM XA")
                    .split(" ", -1));

    private static final String WITHOUT_LOCKS = "; mysqldump --single-transaction --skip-add-locks needs no locks";

    private static final Set<String> DEFINES = Set.of("CREATE", "ALTER");

    /** The number of tokens after CREATE or ALTER in which the word VIEW is searched. */
    private static final int MAX_CLAUSES = 20;

    private static final Set<String> QUERIES = Set.of(
            "SELECT WITH INSERT REPLACE UPDATE DELETE TABLE FORMAT ANALYZE EXTENDED VERBOSE PARTITIONS".split(" ", -1));

    private final DuckDbState session;
    private final StatementRunner runner;

    LocalStatements(DuckDbState session, StatementRunner runner) {
        this.session = session;
        this.runner = runner;
    }

    StatementOutcome run(Tokens words, String first, List<? extends @Nullable Object> values) throws SQLException {
        words.next();
        TransactionStatements transaction = new TransactionStatements(words, session);
        switch (first) {
            case "SHOW" -> {
                return selected(new ShowStatements(words, session).select(), values);
            }
            case "DESCRIBE", "DESC", "EXPLAIN" -> {
                return explain(words, values);
            }
            case "KILL" -> {
                return kill(words, values);
            }
            case "LOAD" -> {
                return load(words);
            }
            case "SET" -> set(words, values);
            case "USE" -> {
                if (words.token().type() == TokenType.USER_VARIABLE
                        || words.token(1).type() == TokenType.USER_VARIABLE) {
                    throw StatementRefusedException.unsupported("compute groups");
                }
                session.use(database(words));
            }
            case "BEGIN" -> transaction.begin();
            case "START" -> transaction.start();
            case "COMMIT", "ROLLBACK" -> transaction.end(first.equals("COMMIT"));
            case "SAVEPOINT" -> transaction.savepoint();
            case "RELEASE" -> transaction.release();
            case "DO" -> evaluate(words.rest(), values);
            case "LOCK" ->
                throw StatementRefusedException.unsupported(
                        "LOCK " + words.token().text().toUpperCase(Locale.ROOT) + WITHOUT_LOCKS);
            case "UNLOCK" -> {
                // No table is ever locked, so UNLOCK TABLES has no effect.
                if (!words.take("TABLES")) {
                    words.expect("TABLE");
                }
                words.expectEnd();
            }
            case "FLUSH" -> refuseLocks(words);
            case "SYNC" -> {}
            case "CALL" -> throw Errors.error(1305, "42000", "PROCEDURE " + words.rest() + " does not exist");
            case "KEYLINE" -> throw Errors.error(1105, "HY000", "KEYLINE statements are answered by the gateway");
            default -> throw refused(words, first);
        }
        return StatementOutcome.Done.NOTHING;
    }

    /** Returns the error for a statement that no case of {@link #run} answers. */
    private static RuntimeException refused(Tokens words, String first) {
        if (!REFUSED.contains(first)) {
            words.go(0);
            return words.error("a statement");
        }
        String kind = words.token().text();
        for (int i = 0; DEFINES.contains(first) && !words.token(i).is("AS") && i < MAX_CLAUSES; i++) {
            kind = words.token(i).is("VIEW") ? "VIEW" : kind;
        }
        return StatementRefusedException.unsupported(
                (first + " " + kind).strip().toUpperCase(Locale.ROOT));
    }

    /** Reads the database of a USE. */
    private static String database(Tokens words) {
        String name = words.database();
        if (words.token().type() == TokenType.USER_VARIABLE) {
            throw StatementRefusedException.unsupported("compute groups");
        }
        words.expectEnd();
        return name;
    }

    private StatementOutcome load(Tokens words) throws SQLException {
        if (!words.take("DATA")) {
            throw StatementRefusedException.unsupported(
                    "LOAD " + words.token().text().toUpperCase(Locale.ROOT));
        }
        LoadReader.Load load = new LoadReader(words, session).read();
        session.lockWrite();
        return new StatementOutcome.Loading(new FileLoad(load, session), load.file());
    }

    /**
     * Reads a SHOW or DESCRIBE from its first token and returns the SELECT that answers it. Returns
     * null for other statements.
     */
    @Nullable
    String select(Tokens words) {
        if (words.take("SHOW")) {
            return new ShowStatements(words, session).select();
        }
        if ((words.take("DESCRIBE") || words.take("DESC") || words.take("EXPLAIN")) && namesTable(words)) {
            return new ShowStatements(words, session).describe();
        }
        return null;
    }

    /** Returns whether [[internal .] database .] table [column] follows, not a statement. */
    private static boolean namesTable(Tokens words) {
        int table = words.index();
        while (words.at(table + 1).type() == TokenType.DOT) {
            table += 2;
        }
        Token column = words.at(table + 1);
        boolean named =
                column.type() == TokenType.STRING || (column.type().isName() && !ReservedWords.contains(column.text()));
        return words.at(table).type().isName()
                && !isQuery(words)
                && !(named && words.is("DICTIONARY"))
                && words.at(table + (named ? 2 : 1)).type() == TokenType.END;
    }

    private static boolean isQuery(Tokens words) {
        return QUERIES.contains(words.token().text().toUpperCase(Locale.ROOT));
    }

    private StatementOutcome explain(Tokens words, List<? extends @Nullable Object> values) throws SQLException {
        if (namesTable(words)) {
            return selected(new ShowStatements(words, session).describe(), values);
        }
        if (words.token().type().isName() && !isQuery(words)) {
            // For example a stage of Doris's planner.
            throw StatementRefusedException.unsupported("EXPLAIN "
                    + (words.token().text() + " " + words.token(1).text())
                            .strip()
                            .toUpperCase(Locale.ROOT));
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
        if (step.parameters().stream()
                .anyMatch(p -> p.source() == Source.GET_LOCK || p.source() == Source.RELEASE_LOCK)) {
            throw StatementRefusedException.unsupported("EXPLAIN of lock functions");
        }
        List<@Nullable Object> bound = session.values(null, -1).of(step, text);
        List<@Nullable String> row =
                session.connection().texts("EXPLAIN " + step.sql(), bound).get(0);
        String plan = words.quoted(String.valueOf(row.get(row.size() - 1)));
        return selected("SELECT " + plan + " AS `Explain String`", List.of());
    }

    private StatementOutcome selected(String select, List<? extends @Nullable Object> values) throws SQLException {
        return runner.translated(runner.bound(select, values));
    }

    private void set(Tokens words, List<? extends @Nullable Object> values) throws SQLException {
        if (words.is("LDAP_ADMIN_PASSWORD")) {
            throw StatementRefusedException.unsupported("SET LDAP_ADMIN_PASSWORD");
        }
        boolean vault = words.token(words.is("DEFAULT") ? 1 : 3).is("STORAGE");
        if (words.is("PROPERTY") || vault) {
            throw StatementRefusedException.unsupported("SET " + words.rest().toUpperCase(Locale.ROOT));
        }
        List<@Nullable Object> left = new ArrayList<>(values);
        new SetCommand(words, session, expression -> {
                    List<@Nullable Object> used = take(left, expression);
                    try {
                        return evaluate(expression, used);
                    } catch (SQLException e) {
                        throw Errors.of(e);
                    }
                })
                .run();
    }

    /** Removes the values of an expression's placeholders from {@code left}, and returns them. */
    private List<@Nullable Object> take(List<@Nullable Object> left, String expression) {
        int count = StatementText.of(expression, session.variables().sqlMode()).placeholders();
        List<@Nullable Object> used = new ArrayList<>(left.subList(0, Math.min(count, left.size())));
        left.subList(0, used.size()).clear();
        return used;
    }

    /** Returns the value of an expression. */
    @Nullable
    private Object evaluate(String expression, List<? extends @Nullable Object> values) throws SQLException {
        if (!(selected("SELECT " + expression, values) instanceof StatementOutcome.Streaming streaming)) {
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

    private StatementOutcome kill(Tokens words, List<? extends @Nullable Object> values) throws SQLException {
        if ((words.is("ANALYZE") || words.is("TRANSACTION"))
                && !words.token(1).type().equals(TokenType.END)) {
            throw StatementRefusedException.unsupported(
                    "KILL " + words.token().text().toUpperCase(Locale.ROOT));
        }
        boolean query = words.take("QUERY");
        if (!query) {
            words.take("CONNECTION");
        }
        if (words.token().type() == TokenType.INTEGER) {
            long id = words.number();
            words.expectEnd();
            return kill(session, id, query);
        }
        return kill(session, evaluate(words.rest(), values) instanceof Long number ? number : -1, query);
    }

    /** Kills a session by its connection id. */
    static StatementOutcome kill(DuckDbState session, long id, boolean query) {
        boolean known = id == Integer.toUnsignedLong((int) id);
        DuckDbSession member = known ? session.services().sessions().find((int) id) : null;
        if (member == null) {
            throw Errors.error(1094, "HY000", "Unknown thread id: " + id);
        }
        if ((int) id == session.identity().connectionId()) {
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

    private static void refuseLocks(Tokens words) {
        while (!words.atEnd()) {
            if (words.is("LOCK") || words.is("EXPORT")) {
                throw StatementRefusedException.unsupported("FLUSH TABLES that locks them" + WITHOUT_LOCKS);
            }
            words.next();
        }
    }
}
