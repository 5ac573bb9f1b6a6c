package org.keyline.stores.duckdb.session;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.protocol.CommandCode;
import org.keyline.stores.duckdb.engine.Workers.Lane;
import org.keyline.stores.duckdb.translate.Relations.Relation;
import org.keyline.stores.duckdb.translate.StatementText;

/**
 * Which statements other ones need not wait for. The text decides, before it is translated; what it does not show to be short is long.
 * A wrong guess costs time, never correctness.
 */
final class Lanes {
    private static final int MAX_SHORT_BYTES = 64 << 10;
    private static final int MAX_PREPARED_SHORT_BYTES = 4 << 10;
    private static final int WORD = "SHOW ".length();

    /** Functions whose value may be far longer than their arguments, so that a short text keeps a worker for seconds. */
    private static final Set<String> OF_LONG_TEXTS =
            Set.of("REPEAT", "SPACE", "LPAD", "RPAD", "REPLACE", "REGEXP_REPLACE", "GROUP_CONCAT");

    private Lanes() {}

    /** The lane where a command begins: that of control if its text asks about the server, or ends a session. */
    static Lane first(byte[] command) {
        int at = 1;
        // White space, or the counts of query attributes where there are none.
        while (at < command.length && command[at] >= 0 && command[at] <= ' ') {
            at++;
        }
        String word = new String(command, at, Math.min(WORD, command.length - at), US_ASCII);
        boolean control = command[0] == CommandCode.COM_PROCESS_KILL
                || (command[0] == CommandCode.COM_QUERY
                        && (word.equalsIgnoreCase("KILL ") || word.equalsIgnoreCase("SHOW ")));
        return control ? Lane.CONTROL : Lane.SHORT;
    }

    /**
     * Whether a PREPARE may take long: all of it is translation, whose time grows with the text. Long texts that name rows by their keys, and
     * INSERTs, are simple ones.
     */
    static boolean isLongPrepare(byte[] command, DuckDbState session) {
        return command[0] == CommandCode.COM_STMT_PREPARE
                && command.length > MAX_PREPARED_SHORT_BYTES
                && !isShort(Arrays.copyOfRange(command, 1, command.length), session);
    }

    /** Whether a statement is over soon: it touches rows of one table by their keys, or no table. */
    static boolean isShort(byte[] statement, DuckDbState session) {
        if (session.identity().connectionId() == 0) {
            // The gateway's own: loads of what is to be a line.
            return true;
        }
        if (statement.length > MAX_SHORT_BYTES) {
            return false;
        }
        String sql = new String(statement, StandardCharsets.UTF_8);
        List<Token> tokens = Lexer.tokens(sql, session.variables().sqlMode());
        String first = Words.first(tokens);
        if (first == null) {
            return false;
        }
        List<Token> rest = tokens.subList(1, tokens.size());
        if (rest.stream().anyMatch(Lanes::isOfLongStatements) || makesLongTexts(rest)) {
            return false;
        }
        return switch (first) {
            case "SELECT" -> isShortRead(rest, statement, session);
            case "INSERT", "REPLACE" -> true;
            case "UPDATE" -> namesKey(tableAt(rest, 0, "SET", session), statement, session);
            case "DELETE" ->
                !rest.isEmpty()
                        && rest.get(0).is("FROM")
                        && namesKey(tableAt(rest, 1, "WHERE", session), statement, session);
            case "SHOW", "KILL", "USE", "SET", "BEGIN", "START", "COMMIT", "ROLLBACK", "DESC", "DESCRIBE", "EXPLAIN" ->
                true;
            default -> false;
        };
    }

    /** Words that a short statement has not, or not after its first. */
    private static boolean isOfLongStatements(Token token) {
        return token.is("SELECT")
                || token.is("WITH")
                || token.is("JOIN")
                || token.is("UNION")
                || token.is("SLEEP")
                || token.is("BENCHMARK");
    }

    private static boolean makesLongTexts(List<Token> tokens) {
        for (int i = 0; i + 1 < tokens.size(); i++) {
            if (tokens.get(i + 1).isSymbol("(")
                    && tokens.get(i).type() == TokenType.WORD
                    && OF_LONG_TEXTS.contains(tokens.get(i).text().toUpperCase(Locale.ROOT))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isShortRead(List<Token> rest, byte[] statement, DuckDbState session) {
        for (int i = 0; i < rest.size(); i++) {
            if (rest.get(i).is("FROM")) {
                return namesKey(tableAt(rest, i + 1, "WHERE", session), statement, session);
            }
        }
        return true;
    }

    private static boolean namesKey(@Nullable Relation table, byte[] statement, DuckDbState session) {
        return table != null
                && SmallWrites.namesKey(
                        table.definition(),
                        StatementText.of(statement, session.variables().sqlMode()));
    }

    /** The table that alone stands between an index and a word, with an alias or without; null if that is not so. */
    private static @Nullable Relation tableAt(List<Token> tokens, int index, String end, DuckDbState session) {
        int at = index;
        List<String> names = new ArrayList<>();
        while (at < tokens.size()
                && tokens.get(at).type().isName()
                && !tokens.get(at).is(end)
                && names.size() < 2) {
            names.add(tokens.get(at++).name());
            if (at < tokens.size() && tokens.get(at).type() == TokenType.DOT) {
                at++;
            } else {
                break;
            }
        }
        while (at < tokens.size()
                && tokens.get(at).type().isName()
                && !tokens.get(at).is(end)) {
            at++;
        }
        if (names.isEmpty() || at >= tokens.size() || !tokens.get(at).is(end)) {
            return null;
        }
        String schema = names.size() == 2 ? names.get(0) : session.schema();
        return session.services().catalog().relation(new TableName(schema, names.get(names.size() - 1)));
    }
}
