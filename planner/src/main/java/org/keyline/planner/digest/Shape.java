package org.keyline.planner.digest;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A statement's normalised text and its tokens. Immutable.
 *
 * @param text has {@code ?} for every literal, one space between tokens, and no comments
 * @param tokens the tokens of {@code text}, without the END token
 * @param statements how many statements the text has
 * @param whole false if the statement was too long for a digest. Then the text is empty. After the
 * first 1,024 tokens, only names, variables, dots, and parentheses after names are present
 */
public record Shape(String text, List<Token> tokens, int statements, boolean whole) {
    public Shape {
        requireNonNull(text, "text is null");
        tokens = List.copyOf(tokens);
    }

    /** Returns the shape of a statement; null if the statement's effect is unknown. */
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
