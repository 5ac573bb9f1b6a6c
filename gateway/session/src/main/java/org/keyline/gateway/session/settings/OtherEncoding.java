package org.keyline.gateway.session.settings;

import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.TokenType;

/** Finds texts that a store may read differently, because they are in another character set. */
final class OtherEncoding {
    /*
     * Keyline reads statements as UTF-8. All client character sets contain ASCII. So a text has the
     * same meaning if its non-ASCII characters are only in strings and comments. In names,
     * non-ASCII bytes would be other characters for the store. In GBK, Big5 or Shift JIS, the
     * second byte of a character may be a backslash or a backquote. So Keyline may see the end of
     * the string or name in the middle of this character.
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

    /** Returns whether the text has characters beyond ASCII outside of strings and comments. */
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
