package org.keyline.stores;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * A variable of the store that affects which rows, which version of rows, or which bytes a plain
 * read returns. Immutable.
 *
 * @param name lower case
 * @param value the value for the gateway's load sessions, as SQL; null if they do not set it
 * @param shown the value, as the store shows it, that a session must have to be answered from
 *     lines; null if any value will do
 */
public record ReadVariable(
        String name, @Nullable String value, @Nullable String shown) {
    public ReadVariable {
        requireNonNull(name, "name is null");
    }

    /** Returns a variable whose value determines the default collation of a character set. */
    public static ReadVariable ofCollations(String name) {
        return new ReadVariable(name, null, null);
    }

    /** Returns whether sessions are asked for this variable. */
    public boolean isAsked() {
        return shown != null || value == null;
    }

    /** Returns a variable that load sessions set, and that may have any value in other sessions. */
    public static ReadVariable ofLoads(String name, String value) {
        return new ReadVariable(name, value, null);
    }
}
