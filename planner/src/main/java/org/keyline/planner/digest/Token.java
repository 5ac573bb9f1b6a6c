package org.keyline.planner.digest;

import static java.util.Objects.requireNonNull;

/**
 * A token of a statement. Immutable.
 *
 * @param start offset of its first byte in the statement's UTF-8 text
 * @param end offset after its last byte
 */
public record Token(TokenType type, String text, int start, int end) {
    public Token {
        requireNonNull(type, "type is null");
        requireNonNull(text, "text is null");
    }

    /** Returns whether this is the unquoted word, ignoring case. */
    public boolean is(String word) {
        return type == TokenType.WORD && text.equalsIgnoreCase(word);
    }

    public boolean isSymbol(String symbol) {
        return text.equals(symbol);
    }

    public String name() {
        if (type != TokenType.QUOTED) {
            return text;
        }
        String quote = text.substring(0, 1);
        return text.substring(1, text.length() - 1).replace(quote + quote, quote);
    }
}
