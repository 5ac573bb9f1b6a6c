package org.keyline.stores.duckdb.translate;

import java.util.List;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.ddl.Strings;

/** A position in a statement's tokens; ignores semicolons at the end. Confined to one thread. */
public abstract class TokenPosition {
    private static final Token END = new Token(TokenType.END, "", 0, 0);

    private static final int SHOWN = 80;
    private final byte[] source;
    private final List<Token> tokens;
    private final int end;
    private int index;

    protected TokenPosition(byte[] source, List<Token> tokens) {
        this.source = source;
        this.tokens = tokens;
        int last = tokens.size();
        while (last > 0 && tokens.get(last - 1).type() == TokenType.SEMICOLON) {
            last--;
        }
        this.end = last;
    }

    /** Returns error 1064, which shows the text at the token with this index. */
    protected final StatementRefusedException error(int token, String expected) {
        Token at = at(token);
        return Strings.syntaxError(source, at, at.type() == TokenType.END, expected, SHOWN);
    }

    public final int index() {
        return index;
    }

    public final void go(int to) {
        index = to;
    }

    public final boolean atEnd() {
        return index >= end;
    }

    public final Token token() {
        return at(index);
    }

    public final Token token(int distance) {
        return at(index + distance);
    }

    public final Token at(int i) {
        return i >= 0 && i < end ? tokens.get(i) : END;
    }

    public final Token next() {
        Token token = token();
        index += index < end ? 1 : 0;
        return token;
    }

    public final boolean is(String word) {
        return token().is(word);
    }

    public final boolean isAny(String... words) {
        for (String word : words) {
            if (is(word)) {
                return true;
            }
        }
        return false;
    }

    public final boolean isSymbol(String symbol) {
        return isSymbol(0, symbol);
    }

    /**
     * Returns whether the token at this distance from the next token is this symbol. Strings and
     * quoted names that look like the symbol do not count.
     */
    public final boolean isSymbol(int distance, String symbol) {
        Token token = token(distance);
        return token.isSymbol(symbol)
                && !token.type().isName()
                && (token.type() == TokenType.PLACEHOLDER || !token.type().isValue());
    }

    public final boolean take(String word) {
        boolean found = is(word);
        index += found ? 1 : 0;
        return found;
    }

    /** Skips these words and returns true if all of them follow in this order. */
    public final boolean takeAll(String... words) {
        for (int i = 0; i < words.length; i++) {
            if (!token(i).is(words[i])) {
                return false;
            }
        }
        index += words.length;
        return true;
    }

    public final boolean takeSymbol(String symbol) {
        boolean found = isSymbol(symbol);
        index += found ? 1 : 0;
        return found;
    }

    public final void expect(String word) {
        if (!take(word)) {
            throw error(word);
        }
    }

    public final void expectSymbol(String symbol) {
        if (!takeSymbol(symbol)) {
            throw error("'" + symbol + "'");
        }
    }

    public final void expectEnd() {
        if (!atEnd()) {
            throw error("the end of the statement");
        }
    }

    public final StatementRefusedException error(String expected) {
        return error(index, expected);
    }

    public final String name(String what) {
        if (!token().type().isName()) {
            throw error(what);
        }
        return next().name();
    }
}
