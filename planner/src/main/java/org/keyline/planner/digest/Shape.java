package org.keyline.planner.digest;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A statement's normalised text and its tokens. Immutable.
 *
 * @param text every literal is {@code ?}, one space separates tokens, without comments
 * @param tokens of {@code text}, without the END token
 * @param statements how many statements the text has
 * @param whole false for a statement that was too long for a digest: the text is empty, and after
 * the first tokens only names, variables, dots, and parentheses after names are present
 */
public record Shape(String text, List<Token> tokens, int statements, boolean whole) {
    public Shape {
        requireNonNull(text, "text is null");
        tokens = List.copyOf(tokens);
    }

    /** Returns the shape of a statement; null if it may do anything. */
    public static @Nullable Shape of(Digester digested) {
        return switch (digested.outcome()) {
            case DIGESTED -> {
                String text = digested.normalised();
                yield new Shape(text, Lexer.tokens(text, SqlMode.DEFAULT), digested.statements(), true);
            }
            case TOO_LONG -> LongStatement.read(digested);
            case MALFORMED, AMBIGUOUS, EXECUTABLE_COMMENT -> null;
        };
    }
}
