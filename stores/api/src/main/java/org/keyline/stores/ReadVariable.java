package org.keyline.stores;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * A variable of the store that decides which rows, which version of rows, or which bytes a plain read has. Immutable.
 *
 * @param name lower case
 * @param value what sessions that load set it to, as SQL; null if they leave it as it is
 * @param shown how the store shows the value that a session needs to have whose reads lines answer; null if any will do
 */
public record ReadVariable(
        String name, @Nullable String value, @Nullable String shown) {
    public ReadVariable {
        requireNonNull(name, "name is null");
    }

    /** A variable on whose value it depends which collation a character set has that is named without one. */
    public static ReadVariable ofCollations(String name) {
        return new ReadVariable(name, null, null);
    }

    /** Whether sessions are asked for it. */
    public boolean isAsked() {
        return shown != null || value == null;
    }

    /** A variable that loads set, and of which sessions may have any value. */
    public static ReadVariable ofLoads(String name, String value) {
        return new ReadVariable(name, value, null);
    }
}
