package org.keyline.stores.duckdb.session;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.protocol.CommandCode;
import org.keyline.stores.duckdb.engine.Workers.Lane;
import org.keyline.stores.duckdb.translate.Relations.Relation;

/**
 * Assigns commands to lanes by their text, before they are translated. A statement that is not
 * known to be short is long. A wrong decision costs time, never correctness.
 */
final class Lanes {
    private static final int MAX_SHORT_BYTES = 64 << 10;
    private static final int MAX_PREPARED_SHORT_BYTES = 4 << 10;
    private static final int WORD = "SHOW ".length();

    /** Functions whose results can be far longer than the arguments, so that calls can be slow. */
    private static final Set<String> OF_LONG_TEXTS =
            Set.of("REPEAT", "SPACE", "LPAD", "RPAD", "REPLACE", "REGEXP_REPLACE", "GROUP_CONCAT");

    private static final Set<String> OF_LONG_STATEMENTS =
            Set.of("SELECT", "WITH", "JOIN", "UNION", "SLEEP", "BENCHMARK");

    private Lanes() {}

    /** Returns the first lane of a command: CONTROL for SHOW and KILL, otherwise SHORT. */
    static Lane first(byte[] command) {
        int at = 1;
        // Skips white space, and the two counts that precede a text without query attributes.
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
     * Returns whether a command is a PREPARE that can take long, because its text is long. INSERTs,
     * and statements that name rows by their keys, are translated fast even if they are long.
     */
    static boolean isLongPrepare(byte[] command, DuckDbState session) {
        return command[0] == CommandCode.COM_STMT_PREPARE
                && command.length > MAX_PREPARED_SHORT_BYTES
                && !isShort(session.words(Arrays.copyOfRange(command, 1, command.length)), session);
    }

    /**
     * Returns whether a statement is short. Short statements are INSERTs, and statements that use
     * no table or name rows of one table by their keys.
     */
    static boolean isShort(Words statement, DuckDbState session) {
        if (session.identity().connectionId() == 0) {
            // The gateway's own sessions load lines, which counts as short.
            return true;
        }
        String first = statement.first();
        if (first == null || statement.bytes().length > MAX_SHORT_BYTES) {
            return false;
        }
        List<Token> rest = statement.tokens().subList(1, statement.tokens().size());
        if (isLong(rest)) {
            return false;
        }
        return switch (first) {
            case "SELECT" -> isShortRead(rest, session);
            case "INSERT", "REPLACE" -> true;
            case "UPDATE" -> namesKey(tableAt(rest, 0, "SET", session), rest);
            case "DELETE" ->
                !rest.isEmpty() && rest.get(0).is("FROM") && namesKey(tableAt(rest, 1, "WHERE", session), rest);
            case "SHOW", "KILL", "USE", "SET", "BEGIN", "START", "COMMIT", "ROLLBACK", "DESC", "DESCRIBE", "EXPLAIN" ->
                true;
            default -> false;
        };
    }

    /** Returns whether one of the words after the first makes a statement long. */
    private static boolean isLong(List<Token> tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            if (tokens.get(i).type() != TokenType.WORD) {
                continue;
            }
            String word = tokens.get(i).text().toUpperCase(Locale.ROOT);
            boolean call = i + 1 < tokens.size() && tokens.get(i + 1).type() == TokenType.LEFT_PARENTHESIS;
            if (OF_LONG_STATEMENTS.contains(word) || (call && OF_LONG_TEXTS.contains(word))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isShortRead(List<Token> rest, DuckDbState session) {
        for (int i = 0; i < rest.size(); i++) {
            if (rest.get(i).is("FROM")) {
                return namesKey(tableAt(rest, i + 1, "WHERE", session), rest);
            }
        }
        return true;
    }

    private static boolean namesKey(@Nullable Relation table, List<Token> tokens) {
        return table != null && SmallWrites.namesKey(table.definition(), tokens);
    }

    /** Returns the table between an index and a word; null unless there is exactly one table. */
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
