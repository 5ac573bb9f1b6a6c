package org.keyline.stores.duckdb.session;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.Lexer;
import org.keyline.planner.digest.SqlMode;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.ddl.Strings;
import org.keyline.stores.duckdb.engine.Errors;
import org.keyline.stores.duckdb.translate.StatementText;

/** The tokens of a statement, lexed once for everything that reads it, with a position. Used by one thread at a time. */
final class Words {
    private static final Token END = new Token(TokenType.END, "", 0, 0);
    private static final int SHOWN = 80;

    private final byte[] bytes;
    private final SqlMode mode;
    private final List<Token> tokens = new ArrayList<>();
    private final @Nullable String first;
    private @Nullable StatementText text;
    private int position;

    Words(String sql, SqlMode mode) {
        this(sql.getBytes(UTF_8), mode);
    }

    /** @param sql in UTF-8, where strings may hold any bytes */
    Words(byte[] sql, SqlMode mode) {
        this.bytes = sql;
        this.mode = mode;
        Lexer lexer = new Lexer();
        lexer.reset(sql, 0, sql.length, mode);
        for (TokenType type = lexer.next(); type != TokenType.END; type = lexer.next()) {
            tokens.add(lexer.token());
        }
        this.first = tokens.isEmpty() || tokens.get(0).type() != TokenType.WORD
                ? null
                : tokens.get(0).text().toUpperCase(Locale.ROOT);
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
        return Collections.unmodifiableList(tokens);
    }

    /** Returns the first word in upper case; null if the statement begins with none. */
    @Nullable
    String first() {
        return first;
    }

    /** Returns the statement with its values apart, whose placeholders have none yet. */
    StatementText text() {
        StatementText known = text;
        if (known == null) {
            known = StatementText.of(bytes, mode, tokens);
            text = known;
        }
        return known;
    }

    Token peek() {
        return peek(0);
    }

    Token peek(int distance) {
        int index = position + distance;
        return index < tokens.size() ? tokens.get(index) : END;
    }

    Token next() {
        Token token = peek();
        if (position < tokens.size()) {
            position++;
        }
        return token;
    }

    boolean at(String word) {
        return peek().is(word);
    }

    boolean atSymbol(String symbol) {
        Token token = peek();
        return !token.type().isName() && token.type() != TokenType.STRING && token.isSymbol(symbol);
    }

    boolean take(String word) {
        if (at(word)) {
            position++;
            return true;
        }
        return false;
    }

    boolean takeSymbol(String symbol) {
        if (atSymbol(symbol)) {
            position++;
            return true;
        }
        return false;
    }

    /** Takes all of these words, or none. */
    boolean takeAll(String... words) {
        for (int i = 0; i < words.length; i++) {
            if (!peek(i).is(words[i])) {
                return false;
            }
        }
        position += words.length;
        return true;
    }

    void expect(String word) {
        if (!take(word)) {
            throw unexpected();
        }
    }

    boolean atEnd() {
        return peek().type() == TokenType.END
                || (peek().type() == TokenType.SEMICOLON && peek(1).type() == TokenType.END);
    }

    void expectEnd() {
        if (!atEnd()) {
            throw unexpected();
        }
    }

    /** An identifier. */
    String name() {
        Token token = next();
        if (!token.type().isName()) {
            position--;
            throw unexpected();
        }
        return token.name();
    }

    /** A database; Doris's catalog {@code internal} may stand before it. */
    String database() {
        String name = name();
        if (!takeSymbol(".")) {
            return name;
        }
        requireInternal(name);
        return name();
    }

    /** 1235 for a catalog other than Doris's own. */
    static void requireInternal(String catalog) {
        if (!catalog.equals("internal")) {
            throw StatementRefusedException.unsupported("the catalog '" + catalog + "'");
        }
    }

    /** An identifier or a string. */
    String nameOrString() {
        return peek().type() == TokenType.STRING ? string() : name();
    }

    String string() {
        Token token = next();
        if (token.type() != TokenType.STRING) {
            position--;
            throw unexpected();
        }
        return Strings.value(token.text(), mode);
    }

    long number() {
        Token token = next();
        if (token.type() != TokenType.INTEGER) {
            position--;
            throw unexpected();
        }
        return Long.parseLong(token.text());
    }

    /** Text from the next token to the end of the statement, without a closing semicolon. */
    String rest() {
        if (atEnd()) {
            return "";
        }
        int last = tokens.size() - 1;
        if (tokens.get(last).type() == TokenType.SEMICOLON) {
            last--;
        }
        return text(peek().start(), tokens.get(last).end());
    }

    /** Passes over an expression, up to a comma or the end of the statement, and answers its text. */
    String expression() {
        int depth = 0;
        int from = peek().start();
        int to = from;
        while (!atEnd() && !(depth == 0 && peek().type() == TokenType.COMMA)) {
            Token token = next();
            if (token.type() == TokenType.LEFT_PARENTHESIS) {
                depth++;
            } else if (token.type() == TokenType.RIGHT_PARENTHESIS) {
                depth--;
            }
            to = token.end();
        }
        if (to == from) {
            throw unexpected();
        }
        return text(from, to);
    }

    /** The text between two offsets, such as those of tokens. */
    String between(int from, int to) {
        return text(from, to);
    }

    int position() {
        return position;
    }

    void position(int earlier) {
        position = earlier;
    }

    private String text(int from, int to) {
        return new String(bytes, from, to - from, UTF_8);
    }

    /** 1064 near the next token. */
    RuntimeException unexpected() {
        int from = peek().type() == TokenType.END ? bytes.length : peek().start();
        String near = text(from, bytes.length);
        return Errors.error(
                1064,
                "42000",
                "You have an error in your SQL syntax; check the manual that corresponds to your Keyline version for the"
                        + " right syntax to use near '"
                        + (near.length() > SHOWN ? near.substring(0, SHOWN) : near)
                        + "' at line " + line(from));
    }

    private int line(int offset) {
        int line = 1;
        for (int i = 0; i < offset; i++) {
            if (bytes[i] == '\n') {
                line++;
            }
        }
        return line;
    }
}
