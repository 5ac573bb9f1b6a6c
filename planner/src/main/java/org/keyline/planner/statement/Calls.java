package org.keyline.planner.statement;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.keyline.planner.Catalog;
import org.keyline.planner.digest.BuiltinFunctions;
import org.keyline.planner.digest.ReservedWords;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/** Finds calls that may write, or that read the previous statement's diagnostics. */
final class Calls {
    private static final Set<String> DIAGNOSTIC_FUNCTIONS = Set.of("FOUND_ROWS", "ROW_COUNT", "LAST_INSERT_ID");
    private static final Set<String> DIAGNOSTIC_VARIABLES =
            Set.of("WARNING_COUNT", "ERROR_COUNT", "LAST_INSERT_ID", "IDENTITY");

    private Calls() {}

    /**
     * Returns whether the tokens can call a stored function, by name or through a view. A qualified
     * name is never a built-in function.
     */
    static boolean mayBeStored(List<Token> tokens, int from, int to, Catalog catalog) {
        boolean views = mayNameTables(tokens, from, to);
        for (int i = from; i < to; i++) {
            Token name = tokens.get(i);
            if (isCall(tokens, i, to)) {
                boolean qualified = i > from && tokens.get(i - 1).type() == TokenType.DOT;
                boolean known = name.type() == TokenType.WORD
                        && (ReservedWords.contains(name.text())
                                || (BuiltinFunctions.contains(name.text())
                                        && catalog.isBuiltIn(name.text().toUpperCase(Locale.ROOT))));
                if (qualified || !known) {
                    return true;
                }
            } else if (views && name.type().isName() && catalog.mayCallFunctions(name.name())) {
                boolean reserved = name.type() == TokenType.WORD && ReservedWords.contains(name.text());
                if (!reserved) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Returns whether tokens can name tables. The SELECTs and SETs without FROM that drivers send
     * when they connect do not name tables.
     */
    private static boolean mayNameTables(List<Token> tokens, int at, int to) {
        int begin = at;
        while (begin > 0 && tokens.get(begin - 1).type() != TokenType.SEMICOLON) {
            begin--;
        }
        boolean plain = begin < to
                && (tokens.get(begin).is("SELECT") || tokens.get(begin).is("SET"));
        return !plain || tokens.subList(begin, to).stream().anyMatch(token -> token.is("FROM") || token.is("TABLE"));
    }

    static boolean readDiagnostics(List<Token> tokens, int from, int to) {
        for (int i = from; i < to; i++) {
            Token token = tokens.get(i);
            if (token.type() == TokenType.SYSTEM_VARIABLE && DIAGNOSTIC_VARIABLES.contains(variable(token))) {
                return true;
            }
            if (isCall(tokens, i, to)
                    && DIAGNOSTIC_FUNCTIONS.contains(token.name().toUpperCase(Locale.ROOT))) {
                return true;
            }
        }
        return false;
    }

    static boolean isCall(List<Token> tokens, int index, int to) {
        return index + 1 < to
                && tokens.get(index).type().isName()
                && tokens.get(index + 1).type() == TokenType.LEFT_PARENTHESIS;
    }

    /** Returns a system variable's name: WARNING_COUNT for {@code @@session.warning_count}. */
    private static String variable(Token token) {
        String name = token.text().substring(2);
        return name.substring(name.lastIndexOf('.') + 1).replace("`", "").toUpperCase(Locale.ROOT);
    }
}
