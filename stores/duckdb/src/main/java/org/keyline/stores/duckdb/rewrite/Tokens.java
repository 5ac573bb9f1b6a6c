package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.duckdb.translate.StatementText;

/** A position in the tokens of a statement. What is expected and missing is error 1064, near the place. Confined to one call. */
final class Tokens {
    private static final Token END = new Token(TokenType.END, "", 0, 0);

    private final StatementText text;
    private final List<Token> tokens;
    private final int end;
    private int index;

    /** The tokens of a statement without the semicolons at its end. */
    Tokens(StatementText text) {
        this.text = text;
        this.tokens = text.tokens();
        int last = tokens.size();
        while (last > 0 && tokens.get(last - 1).type() == TokenType.SEMICOLON) {
            last--;
        }
        this.end = last;
    }

    StatementText text() {
        return text;
    }

    int index() {
        return index;
    }

    void go(int to) {
        index = to;
    }

    boolean atEnd() {
        return index >= end;
    }

    Token token() {
        return at(index);
    }

    Token token(int distance) {
        return at(index + distance);
    }

    Token at(int i) {
        return i >= 0 && i < end ? tokens.get(i) : END;
    }

    Token next() {
        Token token = token();
        index++;
        return token;
    }

    boolean is(String word) {
        return token().is(word);
    }

    boolean isAny(String... words) {
        for (String word : words) {
            if (is(word)) {
                return true;
            }
        }
        return false;
    }

    boolean isSymbol(String symbol) {
        return isSymbol(0, symbol);
    }

    /** Whether a sign stands there; strings and quoted names that look like one do not count. */
    boolean isSymbol(int distance, String symbol) {
        Token token = token(distance);
        return token.isSymbol(symbol) && !token.type().isName() && !token.type().isValue();
    }

    boolean take(String word) {
        boolean there = is(word);
        index += there ? 1 : 0;
        return there;
    }

    /** Passes these words, if all are there in this order. */
    boolean takeAll(String... words) {
        for (int i = 0; i < words.length; i++) {
            if (!token(i).is(words[i])) {
                return false;
            }
        }
        index += words.length;
        return true;
    }

    boolean takeSymbol(String symbol) {
        boolean there = isSymbol(symbol);
        index += there ? 1 : 0;
        return there;
    }

    void expect(String word) {
        if (!take(word)) {
            throw error(word);
        }
    }

    void expectSymbol(String symbol) {
        if (!takeSymbol(symbol)) {
            throw error("'" + symbol + "'");
        }
    }

    void expectEnd() {
        if (!atEnd()) {
            throw error("the end of the statement");
        }
    }

    StatementRefusedException error(String expected) {
        return text.error(index, expected);
    }

    String name(String what) {
        if (!token().type().isName()) {
            throw error(what);
        }
        return next().name();
    }

    /** {@code a}, {@code a.b}, {@code a.b.c}, or with Doris's catalog before it. */
    List<String> path(String what) {
        List<String> parts = new ArrayList<>();
        do {
            if (parts.size() == 4) {
                throw error(what);
            }
            parts.add(name(what));
        } while (takeSymbol("."));
        return parts;
    }

    /** Slot of the value at an index. */
    int slot(int i) {
        return text.slotAt(at(i).start());
    }

    /** The index after the parenthesis that closes the one at an index. */
    int behind(int open) {
        int depth = 0;
        for (int i = open; i < end; i++) {
            TokenType type = tokens.get(i).type();
            depth += type == TokenType.LEFT_PARENTHESIS ? 1 : type == TokenType.RIGHT_PARENTHESIS ? -1 : 0;
            if (depth == 0) {
                return i + 1;
            }
        }
        throw text.error(end, "')'");
    }

    /** Index of the first of these words from {@code from} on in the same parentheses; -1 if none comes before they close. */
    int find(int from, String... words) {
        int depth = 0;
        for (int i = from; i < end && depth >= 0; i++) {
            Token token = tokens.get(i);
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

    /** The text between two tokens as it is written. */
    String written(int from, int to) {
        return text.text(at(from).start(), at(to - 1).end());
    }

    /** The words of a comma list in parentheses; null and no move if none opens here. */
    @Nullable
    List<String> names(String what) {
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
