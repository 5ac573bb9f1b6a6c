package org.keyline.stores.duckdb.translate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.ReservedWords;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.ddl.Strings;

/**
 * The tokens of a statement, with a reading position. Ignores semicolons at the end. Used by one
 * thread at a time.
 */
public final class Tokens {
    private static final Token END = new Token(TokenType.END, "", 0, 0);

    private static final int SHOWN = 80;
    private final byte[] source;
    private final SqlMode mode;
    private final List<Token> tokens;
    private final int end;
    private @Nullable StatementText text;
    private int index;

    private Tokens(byte[] source, SqlMode mode, List<Token> tokens) {
        this.source = source;
        this.mode = mode;
        this.tokens = tokens;
        int last = tokens.size();
        while (last > 0 && tokens.get(last - 1).type() == TokenType.SEMICOLON) {
            last--;
        }
        this.end = last;
    }

    public Tokens(byte[] source, SqlMode mode) {
        this(source, mode, Lexer.tokens(source, mode));
    }

    public Tokens(StatementText text) {
        this(text.source(), text.mode(), text.tokens());
        this.text = text;
    }

    /** Returns error 1064, which shows the text at the token with this index. */
    public StatementRefusedException error(int token, String expected) {
        Token at = at(token);
        return Strings.syntaxError(source, at, at.type() == TokenType.END, expected, SHOWN);
    }

    public int index() {
        return index;
    }

    public void go(int to) {
        index = to;
    }

    public boolean atEnd() {
        return index >= end;
    }

    public Token token() {
        return at(index);
    }

    public Token token(int distance) {
        return at(index + distance);
    }

    public Token at(int i) {
        return i >= 0 && i < end ? tokens.get(i) : END;
    }

    public Token next() {
        Token token = token();
        index += index < end ? 1 : 0;
        return token;
    }

    public boolean is(String word) {
        return token().is(word);
    }

    public boolean isAny(String... words) {
        for (String word : words) {
            if (is(word)) {
                return true;
            }
        }
        return false;
    }

    public boolean isSymbol(String symbol) {
        return isSymbol(0, symbol);
    }

    /**
     * Returns whether the token at this distance from the next token is this symbol. Strings and
     * quoted names that look like the symbol do not count.
     */
    public boolean isSymbol(int distance, String symbol) {
        Token token = token(distance);
        return token.isSymbol(symbol)
                && !token.type().isName()
                && (token.type() == TokenType.PLACEHOLDER || !token.type().isValue());
    }

    public boolean take(String word) {
        boolean found = is(word);
        index += found ? 1 : 0;
        return found;
    }

    /** Skips these words and returns true if all of them follow in this order. */
    public boolean takeAll(String... words) {
        for (int i = 0; i < words.length; i++) {
            if (!token(i).is(words[i])) {
                return false;
            }
        }
        index += words.length;
        return true;
    }

    public boolean takeSymbol(String symbol) {
        boolean found = isSymbol(symbol);
        index += found ? 1 : 0;
        return found;
    }

    public void expect(String word) {
        if (!take(word)) {
            throw error(word);
        }
    }

    public void expectSymbol(String symbol) {
        if (!takeSymbol(symbol)) {
            throw error("'" + symbol + "'");
        }
    }

    public void expectEnd() {
        if (!atEnd()) {
            throw error("the end of the statement");
        }
    }

    public StatementRefusedException error(String expected) {
        return error(index, expected);
    }

    public String name(String what) {
        if (!token().type().isName()) {
            throw error(what);
        }
        return next().name();
    }

    /** Returns the statement in UTF-8; callers must not change it. */
    public byte[] bytes() {
        return source;
    }

    public String sql() {
        return new String(source, UTF_8);
    }

    public SqlMode mode() {
        return mode;
    }

    public List<Token> tokens() {
        return tokens;
    }

    /** Returns the first word in upper case; null if the statement does not begin with a word. */
    @Nullable
    public String first() {
        return tokens.isEmpty() || tokens.get(0).type() != TokenType.WORD
                ? null
                : tokens.get(0).text().toUpperCase(Locale.ROOT);
    }

    /** Returns the statement with the values of its literals, but not of its placeholders. */
    public StatementText text() {
        StatementText known = text;
        if (known == null) {
            known = StatementText.of(source, mode, tokens);
            text = known;
        }
        return known;
    }

    public String name() {
        return name("a name");
    }

    /** Consumes the name of a database, with or without Doris's catalog {@code internal}. */
    public String database() {
        String name = name();
        if (!takeSymbol(".")) {
            return name;
        }
        requireInternal(name);
        return name();
    }

    /** Refuses catalogs other than Doris's own. */
    public static void requireInternal(String catalog) {
        if (!catalog.equals("internal")) {
            throw StatementRefusedException.unsupported("the catalog '" + catalog + "'");
        }
    }

    public String nameOrString() {
        return token().type() == TokenType.STRING ? string() : name();
    }

    public String string() {
        if (token().type() != TokenType.STRING) {
            throw error("a string");
        }
        return Strings.value(next().text(), mode);
    }

    public long number() {
        if (token().type() != TokenType.INTEGER) {
            throw error("a number");
        }
        try {
            return Long.parseLong(next().text());
        } catch (NumberFormatException e) {
            throw error(index() - 1, "a smaller number");
        }
    }

    public String quoted(String value) {
        String doubled = value.replace("'", "''");
        return "'" + (mode.noBackslashEscapes() ? doubled : doubled.replace("\\", "\\\\")) + "'";
    }

    /** Returns the text from the next token to the end of the statement, without a semicolon. */
    public String rest() {
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
    public String expression() {
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

    public String between(int from, int to) {
        return new String(source, from, to - from, UTF_8);
    }

    /**
     * Reads {@code a}, {@code a.b} or {@code a.b.c}, each with or without Doris's catalog before
     * it.
     */
    public List<String> path(String what) {
        List<String> parts = new ArrayList<>();
        do {
            if (parts.size() == 4) {
                throw error(what);
            }
            parts.add(name(what));
        } while (takeSymbol("."));
        return parts;
    }

    /** Reads {@code AS name} or {@code name}; returns null if neither follows. */
    @Nullable
    public String alias() {
        boolean as = take("AS");
        boolean name = token().type() == TokenType.QUOTED
                || (token().type() == TokenType.WORD && !ReservedWords.contains(token().text()));
        if (!name && as) {
            throw error("an alias");
        }
        return name ? next().name() : null;
    }

    public int slot(int i) {
        return text().slotAt(at(i).start());
    }

    /** Returns the index after the parenthesis that closes the parenthesis at {@code open}. */
    public int behind(int open) {
        int depth = 0;
        for (int i = open; at(i).type() != TokenType.END; i++) {
            TokenType type = at(i).type();
            depth += type == TokenType.LEFT_PARENTHESIS ? 1 : type == TokenType.RIGHT_PARENTHESIS ? -1 : 0;
            if (depth == 0) {
                return i + 1;
            }
        }
        throw error(tokens.size(), "')'");
    }

    /**
     * Returns the index of the first of these words from {@code from} on, within the same
     * parentheses; -1 if none of them occurs.
     */
    public int find(int from, String... words) {
        int depth = 0;
        for (int i = from; at(i).type() != TokenType.END && depth >= 0; i++) {
            Token token = at(i);
            TokenType type = token.type();
            depth += type == TokenType.LEFT_PARENTHESIS ? 1 : type == TokenType.RIGHT_PARENTHESIS ? -1 : 0;
            if (depth != 0 || type != TokenType.WORD || at(i - 1).type() == TokenType.DOT) {
                continue;
            }
            for (String word : words) {
                if (token.is(word)) {
                    return i;
                }
            }
        }
        return -1;
    }

    public String written(int from, int to) {
        return text().text(at(from).start(), at(to - 1).end());
    }

    /** Reads names in parentheses; returns null, without moving, if no parenthesis follows. */
    @Nullable
    public List<String> names(String what) {
        if (!takeSymbol("(")) {
            return null;
        }
        List<String> names = new ArrayList<>();
        do {
            names.add(name(what));
        } while (takeSymbol(","));
        expectSymbol(")");
        return names;
    }
}
