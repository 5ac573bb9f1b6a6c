package org.keyline.planner;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.keyline.planner.digest.Token;

/**
 * A statement's normalised text and its tokens. Immutable.
 *
 * @param text every literal is {@code ?}, tokens are one space apart, comments are gone
 * @param tokens of {@code text}, without the END token
 * @param statements how many statements the text has
 * @param whole false for a statement that was too long for a digest: its text is empty, and after the first tokens only names and
 *     what makes them calls are left
 */
public record Shape(String text, List<Token> tokens, int statements, boolean whole) {
    public Shape {
        requireNonNull(text, "text is null");
        tokens = List.copyOf(tokens);
    }
}
