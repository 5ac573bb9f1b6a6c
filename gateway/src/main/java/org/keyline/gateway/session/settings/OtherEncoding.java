package org.keyline.gateway.session.settings;

import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.TokenType;

/** Statements in a character set that is not UTF-8: whether one may say something else to the store than it does here. Stateless. */
final class OtherEncoding {
    /*
     * Statements are read as UTF-8. All character sets that a client may have agree with it on ASCII, so a text means the same where what
     * is beyond that stands in strings and comments. A name does not: the same bytes are another name. Nor does a string, or a name in
     * backquotes, of GBK, Big5 or Shift JIS with a character whose second byte is that of a backslash or a backquote: it ends elsewhere.
     */
    private OtherEncoding() {}

    static boolean mayMeanElse(byte[] text, int from, int to, SqlMode mode) {
        boolean beyond = false;
        for (int i = from; i < to; i++) {
            if (text[i] < 0) {
                beyond = true;
                byte next = i + 1 < to ? text[i + 1] : 0;
                if (next == '\\' || next == '`') {
                    return true;
                }
            }
        }
        return beyond && hasNames(text, from, to, mode);
    }

    /** Whether anything beyond ASCII stands outside of strings and comments. */
    private static boolean hasNames(byte[] text, int from, int to, SqlMode mode) {
        Lexer lexer = new Lexer();
        lexer.reset(text, from, to, mode);
        for (TokenType type = lexer.next(); type != TokenType.END; type = lexer.next()) {
            if (!type.isValue() && !isAscii(text, lexer.start(), lexer.end())) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAscii(byte[] text, int from, int to) {
        for (int i = from; i < to; i++) {
            if (text[i] < 0) {
                return false;
            }
        }
        return true;
    }
}
