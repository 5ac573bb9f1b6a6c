package org.keyline.stores.duckdb.translate;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/** What is correct in a query or a write of Doris and is not built here: it is refused by its name, not as a syntax error. */
final class DorisSyntax {
    private static final Token END = new Token(TokenType.END, "", 0, 0);
    private static final Set<String> MATCHES = Set.of(
            "MATCH",
            "MATCH_ALL",
            "MATCH_ANY",
            "MATCH_PHRASE",
            "MATCH_PHRASE_EDGE",
            "MATCH_PHRASE_PREFIX",
            "MATCH_REGEXP");

    private final List<Token> tokens;
    private final int index;

    private DorisSyntax(List<Token> tokens, int index) {
        this.tokens = tokens;
        this.index = index;
    }

    /**
     * The construct that a statement has where it can't be read; null if it is none of these.
     *
     * @param index of the token that is not understood
     */
    static @Nullable String at(List<Token> tokens, int index) {
        DorisSyntax syntax = new DorisSyntax(tokens, index);
        String clause = syntax.clause();
        return clause == null ? syntax.operator() : clause;
    }

    private Token at(int ahead) {
        int i = index + ahead;
        return i >= 0 && i < tokens.size() ? tokens.get(i) : END;
    }

    private @Nullable String clause() {
        Token token = at(0);
        if (tokens.get(0).is("WITH") && (token.is("INSERT") || token.is("UPDATE") || token.is("DELETE"))) {
            return "WITH … " + upper(token);
        }
        if (token.is("FOR") && (at(1).is("VERSION") || at(1).is("TIME")) && at(2).is("AS")) {
            return "FOR " + upper(at(1)) + " AS OF";
        }
        if (token.isSymbol("[")) {
            return "hints and arrays in brackets ([…])";
        }
        if (token.type() == TokenType.USER_VARIABLE && at(1).type() == TokenType.LEFT_PARENTHESIS) {
            return token.text() + "(…) behind a table";
        }
        if (token.is("INDEX") && at(1).type().isName()) {
            return "reads of a rollup (INDEX " + at(1).text() + ")";
        }
        if (token.is("KEY") && at(1).type().isName()) {
            return "KEY " + at(1).text();
        }
        if ((token.is("LEFT") || token.is("RIGHT")) && (at(1).is("SEMI") || at(1).is("ANTI"))) {
            return upper(token) + " " + upper(at(1)) + " JOIN";
        }
        if (token.is("JOIN") && (at(-1).is("FULL") || (at(-1).is("OUTER") && at(-2).is("FULL")))) {
            return "FULL OUTER JOIN";
        }
        if (token.is("SETS") && at(-1).is("GROUPING")) {
            return "GROUPING SETS";
        }
        if (token.is("NULLS") && (at(1).is("FIRST") || at(1).is("LAST"))) {
            return "NULLS " + upper(at(1));
        }
        return null;
    }

    private @Nullable String operator() {
        Token token = at(0);
        if (token.type() == TokenType.WORD && MATCHES.contains(upper(token))) {
            return upper(token);
        }
        if (token.isSymbol("->") || at(-1).isSymbol("->")) {
            return "functions as arguments (->)";
        }
        if (token.text().startsWith(":")
                && (token.text().equals("::") || at(1).text().equals(":"))) {
            return "casts by ::";
        }
        return token.is("AS") && isInTryCast() ? "TRY_CAST" : null;
    }

    private boolean isInTryCast() {
        int depth = 0;
        for (int i = index - 1; i > 0; i--) {
            TokenType type = tokens.get(i).type();
            if (type == TokenType.LEFT_PARENTHESIS && depth-- == 0) {
                return tokens.get(i - 1).is("TRY_CAST");
            }
            depth += type == TokenType.RIGHT_PARENTHESIS ? 1 : 0;
        }
        return false;
    }

    private static String upper(Token token) {
        return token.text().toUpperCase(Locale.ROOT);
    }
}
