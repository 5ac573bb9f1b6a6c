package org.keyline.stores.ddl;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Locale;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.Token;

public final class Strings {

    private Strings() {}

    public static String value(String text, SqlMode mode) {
        char quote = text.charAt(0);
        StringBuilder value = new StringBuilder(text.length());
        for (int i = 1; i < text.length() - 1; i++) {
            char c = text.charAt(i);
            if (c == quote) {
                i++;
                value.append(c);
            } else if (c == '\\' && !mode.noBackslashEscapes() && i + 1 < text.length() - 1) {
                i++;
                escaped(text.charAt(i), value);
            } else {
                value.append(c);
            }
        }
        return value.toString();
    }

    private static void escaped(char c, StringBuilder value) {
        switch (c) {
            case '0' -> value.append('\0');
            case 'b' -> value.append('\b');
            case 'n' -> value.append('\n');
            case 'r' -> value.append('\r');
            case 't' -> value.append('\t');
            case 'Z' -> value.append('\u001a');
            case '%', '_' -> value.append('\\').append(c);
            default -> value.append(c);
        }
    }

    /** Returns the name in lower case. Throws error 1273 if the name is invalid. */
    static String collation(String name) {
        if (name.isEmpty() || !name.chars().allMatch(c -> c == '_' || (c < 128 && Character.isLetterOrDigit(c)))) {
            throw new StatementRefusedException(1273, "HY000", "Unknown collation: '" + name + "'");
        }
        return name.toLowerCase(Locale.ROOT);
    }

    /** Returns error 1064 with the text from a token on, its line, and the expected syntax. */
    public static StatementRefusedException syntaxError(
            byte[] source, Token token, boolean atEnd, String expected, int max) {
        int start = atEnd ? source.length : token.start();
        int line = 1;
        for (int i = 0; i < start; i++) {
            line += source[i] == '\n' ? 1 : 0;
        }
        String rest = new String(source, start, Math.min(source.length - start, max * 4), UTF_8);
        String near = rest.length() > max ? rest.substring(0, max) : rest;
        return StatementRefusedException.syntax(
                "You have an error in your SQL syntax near '" + near + "' at line " + line + ": expected " + expected);
    }
}
