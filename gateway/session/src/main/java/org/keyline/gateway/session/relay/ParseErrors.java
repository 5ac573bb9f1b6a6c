package org.keyline.gateway.session.relay;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import org.keyline.gateway.session.settings.SqlStatement;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;

/** Recognises errors of a store that could not parse a statement, and so has run no part of it. */
public final class ParseErrors {
    /*
     * The error number alone proves nothing, because code in the store can raise this error after a
     * write. So the first word of the statement must show that the statement cannot run such code.
     * This holds for an unknown word and for a word that begins a definition. It also holds for
     * SELECT if the store has no stored functions. Doris has one number for all errors, but its
     * parser names the unexpected word. If this is the first word, nothing has run.
     */

    /** The text of Doris's error before and after the word that its parser did not expect. */
    private static final String DORIS_BEFORE = "errCode = 2, detailMessage = \nmismatched input '";

    private static final String DORIS_AFTER = "' expecting {";

    /** A second error code of syntax errors, besides ER_PARSE_ERROR. */
    private static final int ER_SYNTAX_ERROR = 1149;

    private static final int MAX_WORD = 32;

    /** First words of statements that may run code or triggers, or contain other statements. */
    private static final Set<String> RUN = Set.of("""
            ANALYZE BEGIN BINLOG CALL CASE DECLARE DELETE DESC DESCRIBE DO EXECUTE EXPLAIN FOR HANDLER IF
            IMPORT INSERT LOAD LOOP MERGE PURGE REPEAT REPLACE SET SHOW START STOP TABLE UPDATE VALUES WHILE
            WITH XA
            """.strip().split("\\s+"));

    /** First words of statements that run code only if the store has stored functions. */
    private static final Set<String> MAY_CALL = Set.of("CREATE", "SELECT");

    private ParseErrors() {}

    /**
     * Returns whether the error for a COM_QUERY proves that no part of it has run.
     *
     * @param storedFunctions whether the store can have stored functions
     */
    public static boolean prove(ErrPacket error, SqlStatement text, boolean storedFunctions) {
        byte[] sql = text.sql();
        int to = text.to();
        int start = text.from();
        while (start < to && sql[start] <= ' ' && sql[start] > 0) {
            start++;
        }
        int end = start;
        while (end < to && end - start < MAX_WORD && isLetter(sql[end])) {
            end++;
        }
        // The error proves nothing if the first word has other characters too, or is a label.
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
