package org.keyline.stores.duckdb.session;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.ddl.Strings;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.TokenPosition;

/** The tokens of a statement, with a reading position. Used by one thread at a time. */
final class Words extends TokenPosition {

    private final byte[] bytes;
    private final SqlMode mode;
    private final List<Token> tokens;
    private final @Nullable String first;
    private @Nullable StatementText text;

    private Words(byte[] sql, SqlMode mode, List<Token> tokens) {
        super(sql, tokens);
        this.bytes = sql;
        this.mode = mode;
        this.tokens = tokens;
        this.first = tokens.isEmpty() || tokens.get(0).type() != TokenType.WORD
                ? null
                : tokens.get(0).text().toUpperCase(Locale.ROOT);
    }

    Words(byte[] sql, SqlMode mode) {
        this(sql, mode, Lexer.tokens(sql, mode));
    }

    /** Returns the statement in UTF-8; callers must not change it. */
    byte[] bytes() {
        return bytes;
    }

    String sql() {
        return new String(bytes, UTF_8);
    }

    SqlMode mode() {
        return mode;
    }

    List<Token> tokens() {
        return tokens;
    }

    /** Returns the first word in upper case; null if the statement does not begin with a word. */
    @Nullable
    String first() {
        return first;
    }

    /** Returns the statement with the values of its literals, but not of its placeholders. */
    StatementText text() {
        StatementText known = text;
        if (known == null) {
            known = StatementText.of(bytes, mode, tokens);
            text = known;
        }
        return known;
    }

    String name() {
        return name("a name");
    }

    /** Consumes the name of a database, with or without Doris's catalog {@code internal}. */
    String database() {
        String name = name();
        if (!takeSymbol(".")) {
            return name;
        }
        requireInternal(name);
        return name();
    }

    /** Refuses catalogs other than Doris's own. */
    static void requireInternal(String catalog) {
        if (!catalog.equals("internal")) {
            throw StatementRefusedException.unsupported("the catalog '" + catalog + "'");
        }
    }

    String nameOrString() {
        return token().type() == TokenType.STRING ? string() : name();
    }

    String string() {
        if (token().type() != TokenType.STRING) {
            throw error("a string");
        }
        return Strings.value(next().text(), mode);
    }

    long number() {
        if (token().type() != TokenType.INTEGER) {
            throw error("a number");
        }
        try {
            return Long.parseLong(next().text());
        } catch (NumberFormatException e) {
            throw error(index() - 1, "a smaller number");
        }
    }

    String quoted(String value) {
        String doubled = value.replace("'", "''");
        return "'" + (mode.noBackslashEscapes() ? doubled : doubled.replace("\\", "\\\\")) + "'";
    }

    /** Returns the text from the next token to the end of the statement, without a semicolon. */
    String rest() {
        if (atEnd()) {
            return "";
        }
        int last = index();
        while (at(last + 1).type() != TokenType.END) {
            last++;
        }
        return between(token().start(), at(last).end());
    }

    /** Consumes an expression up to a comma or the end of the statement; returns its text. */
    String expression() {
        int depth = 0;
        int from = token().start();
        int to = from;
        while (!atEnd() && !(depth == 0 && token().type() == TokenType.COMMA)) {
            Token token = next();
            if (token.type() == TokenType.LEFT_PARENTHESIS) {
                depth++;
            } else if (token.type() == TokenType.RIGHT_PARENTHESIS) {
                depth--;
            }
            to = token.end();
        }
        if (to == from) {
            throw error("an expression");
        }
        return between(from, to);
    }

    String between(int from, int to) {
        return new String(bytes, from, to - from, UTF_8);
    }
}
