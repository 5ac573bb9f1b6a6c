package org.keyline.gateway.session.relay;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;

/** Errors by which a store says that it could not read a statement, so that it has run nothing of it. */
public final class ParseErrors {
    /*
     * The number alone proves nothing: code in the store may raise it as well, by SIGNAL or by a statement that it prepares, after it
     * has written. So the statement must be one that runs no such code, by the word that it begins with: one that no grammar has, or a
     * definition, or, where there are no stored functions, a SELECT. Doris has one number for all errors; its parser names the word that it
     * did not expect, which proves it if that is the first.
     */

    /** What Doris's error says ahead of the first word of a text that it cannot read, and behind it. */
    private static final String DORIS_BEFORE = "errCode = 2, detailMessage = \nmismatched input '";

    private static final String DORIS_AFTER = "' expecting {";

    /** The store's syntax error that is no ER_PARSE_ERROR. */
    private static final int ER_SYNTAX_ERROR = 1149;

    private static final int MAX_WORD = 32;

    /** What may run code, or write rows of tables with triggers, or is a frame around such a statement. */
    private static final Set<String> RUN = Set.of(
            "ANALYZE",
            "BEGIN",
            "BINLOG",
            "CALL",
            "CASE",
            "DECLARE",
            "DELETE",
            "DESC",
            "DESCRIBE",
            "DO",
            "EXECUTE",
            "EXPLAIN",
            "FOR",
            "HANDLER",
            "IF",
            "IMPORT",
            "INSERT",
            "LOAD",
            "LOOP",
            "MERGE",
            "REPEAT",
            "REPLACE",
            "SET",
            "SHOW",
            "START",
            "STOP",
            "TABLE",
            "UPDATE",
            "VALUES",
            "WHILE",
            "WITH",
            "XA");

    /** What runs code only where there are stored functions. */
    private static final Set<String> MAY_CALL = Set.of("CREATE", "SELECT");

    private ParseErrors() {}

    /**
     * Whether the error that a COM_QUERY was answered with, and nothing else, proves that nothing of it has run.
     *
     * @param sql its text is {@code sql[from..to)}
     * @param storedFunctions whether the store may have some
     */
    public static boolean prove(ErrPacket error, byte[] sql, int from, int to, boolean storedFunctions) {
        int start = from;
        while (start < to && sql[start] <= ' ' && sql[start] > 0) {
            start++;
        }
        int end = start;
        while (end < to && end - start < MAX_WORD && isLetter(sql[end])) {
            end++;
        }
        // A label, or a name that goes on: it is not known what begins there.
        if (end == start
                || end - start == MAX_WORD
                || (end < to && sql[end] != ' ' && sql[end] != '\n' && sql[end] != '\t')) {
            return false;
        }
        for (int next = end; next < to && sql[next] <= ' '; next++) {
            if (next + 1 < to && sql[next + 1] == ':') {
                return false;
            }
        }
        String word = new String(sql, start, end - start, StandardCharsets.US_ASCII);
        return isParseError(error, word) && runsNoCode(word.toUpperCase(Locale.ROOT), storedFunctions);
    }

    private static boolean isParseError(ErrPacket error, String word) {
        return error.code() == ErrorCode.ER_PARSE_ERROR.number()
                || error.code() == ER_SYNTAX_ERROR
                || error.message().startsWith(DORIS_BEFORE + word + DORIS_AFTER);
    }

    private static boolean runsNoCode(String verb, boolean storedFunctions) {
        return !RUN.contains(verb) && (!storedFunctions || !MAY_CALL.contains(verb));
    }

    private static boolean isLetter(byte at) {
        return (at >= 'a' && at <= 'z') || (at >= 'A' && at <= 'Z') || at == '_';
    }
}
