package org.keyline.planner.digest;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * MariaDB's prefix {@code SET STATEMENT variable = value, … FOR}, which sets variables for one
 * statement. Immutable.
 *
 * @param end index of the first token after the prefix; 0 if there is no prefix
 * @param harmless whether the variables change only the time limit and the logging of the statement
 * @see <a href="https://mariadb.com/kb/en/set-statement/">SET STATEMENT</a>
 */
public record SettingPrefix(int end, boolean harmless) {
    private static final SettingPrefix NONE = new SettingPrefix(0, true);

    private static final Set<String> HARMLESS =
            Set.of("max_statement_time", "lock_wait_timeout", "innodb_lock_wait_timeout", "long_query_time");

    /** Returns the prefix of these tokens, in which {@link Digester} has retained all values. */
    public static SettingPrefix of(List<Token> tokens) {
        if (tokens.size() < 3 || !tokens.get(0).is("SET") || !tokens.get(1).is("STATEMENT")) {
            return NONE;
        }
        boolean harmless = true;
        int at = 2;
        while (at + 2 < tokens.size()) {
            Token name = tokens.get(at);
            boolean assigns =
                    name.type() == TokenType.WORD && tokens.get(at + 1).isSymbol("=");
            if (!assigns) {
                return NONE;
            }
            int value = at + 2;
            boolean number = tokens.get(value).type() == TokenType.INTEGER
                    || tokens.get(value).type() == TokenType.DECIMAL;
            harmless &= number && HARMLESS.contains(name.text().toLowerCase(Locale.ROOT));
            int end = valueEnd(tokens, value);
            boolean more = end < tokens.size() && tokens.get(end).type() == TokenType.COMMA;
            harmless &= end == value + 1;
            if (!more) {
                boolean complete = end + 1 < tokens.size() && tokens.get(end).is("FOR");
                return complete ? new SettingPrefix(end + 1, harmless) : NONE;
            }
            at = end + 1;
        }
        return NONE;
    }

    /** Returns the index of the comma or the FOR after a value; the number of tokens if unknown. */
    private static int valueEnd(List<Token> tokens, int from) {
        int depth = 0;
        for (int i = from; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            switch (token.type()) {
                case LEFT_PARENTHESIS -> depth++;
                case RIGHT_PARENTHESIS -> depth--;
                // A placeholder here would shift the slots of the statement.
                case PLACEHOLDER, SEMICOLON -> {
                    return tokens.size();
                }
                default -> {
                    if (depth == 0 && i > from && (token.type() == TokenType.COMMA || token.is("FOR"))) {
                        return i;
                    }
                }
            }
        }
        return tokens.size();
    }
}
