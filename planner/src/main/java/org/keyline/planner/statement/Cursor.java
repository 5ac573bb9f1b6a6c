package org.keyline.planner.statement;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Catalog;
import org.keyline.planner.KeyPart;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;

/** A position in the tokens of one statement. Confined to one thread. */
public final class Cursor {
    private static final Token END = new Token(TokenType.END, "", 0, 0);

    private final List<Token> tokens;
    private final int end;
    private int index;
    private int slot;

    /** @param slot slot of the first value at or after {@code from} */
    Cursor(List<Token> tokens, int from, int end, int slot) {
        this.tokens = tokens;
        this.index = from;
        this.end = end;
        this.slot = slot;
    }

    public static Cursor of(List<Token> tokens) {
        return new Cursor(tokens, 0, tokens.size(), 0);
    }

    Cursor copy() {
        return new Cursor(tokens, index, end, slot);
    }

    public int index() {
        return index;
    }

    public void moveTo(int to) {
        while (index > to) {
            index--;
            slot -= tokens.get(index).type() == TokenType.PLACEHOLDER ? 1 : 0;
        }
        advance(to - index);
    }

    public boolean atEnd() {
        return index >= end;
    }

    /** Returns the current token; END after the last one. */
    public Token token() {
        return token(0);
    }

    public Token token(int distance) {
        int at = index + distance;
        return at < end ? tokens.get(at) : END;
    }

    public boolean at(String word) {
        return token().is(word);
    }

    public boolean atSymbol(String symbol) {
        return token().isSymbol(symbol);
    }

    public void advance() {
        if (index < end) {
            if (tokens.get(index).type() == TokenType.PLACEHOLDER) {
                slot++;
            }
            index++;
        }
    }

    void advance(int count) {
        for (int i = 0; i < count; i++) {
            advance();
        }
    }

    /** Skips the next token if it is among the words. Returns whether it was. */
    public boolean accept(String... words) {
        for (String word : words) {
            if (at(word)) {
                advance();
                return true;
            }
        }
        return false;
    }

    /** Returns whether these words follow in this order. */
    public boolean atAll(String... words) {
        for (int i = 0; i < words.length; i++) {
            if (!token(i).is(words[i])) {
                return false;
            }
        }
        return true;
    }

    /** Skips these words if all of them follow in this order. */
    public boolean acceptAll(String... words) {
        if (!atAll(words)) {
            return false;
        }
        advance(words.length);
        return true;
    }

    public boolean acceptSymbol(String symbol) {
        if (atSymbol(symbol)) {
            advance();
            return true;
        }
        return false;
    }

    public void skip(String... words) {
        boolean more = true;
        while (more) {
            more = accept(words);
        }
    }

    /** Skips and returns a name of up to three parts; null, without a skip, if no name follows. */
    public @Nullable List<String> name() {
        if (!token().type().isName()) {
            return null;
        }
        List<String> parts = new ArrayList<>(3);
        parts.add(token().name());
        int length = 1;
        while (parts.size() < 3
                && token(length).type() == TokenType.DOT
                && token(length + 1).type().isName()) {
            parts.add(token(length + 1).name());
            length += 2;
        }
        advance(length);
        return parts;
    }

    /** Returns whether a value is in the place of a name, which every store rejects. */
    boolean lacksName() {
        return token().type() == TokenType.PLACEHOLDER;
    }

    /** Skips and returns an optionally signed value; null, without a skip, if no value follows. */
    public @Nullable KeyPart value() {
        boolean negated = atSymbol("-");
        if (token(negated ? 1 : 0).type() != TokenType.PLACEHOLDER) {
            return null;
        }
        if (negated) {
            advance();
        }
        KeyPart part = new KeyPart(slot, negated);
        advance();
        return part;
    }

    /** Skips parentheses with their content. Returns whether a parenthesis was next. */
    boolean acceptParenthesised() {
        if (!atSymbol("(")) {
            return false;
        }
        int depth = 0;
        do {
            if (atSymbol("(")) {
                depth++;
            } else if (atSymbol(")")) {
                depth--;
            }
            advance();
        } while (depth > 0 && !atEnd());
        return true;
    }

    /** Returns whether one of the words follows before the end of the statement. */
    public boolean ahead(String... words) {
        for (int i = index; i < end; i++) {
            for (String word : words) {
                if (tokens.get(i).is(word)) {
                    return true;
                }
            }
        }
        return false;
    }

    boolean mayCallStored(int from, Catalog catalog) {
        return Calls.mayBeStored(tokens, from, end, catalog);
    }

    boolean readsDiagnostics() {
        return Calls.readDiagnostics(tokens, index, end);
    }
}
