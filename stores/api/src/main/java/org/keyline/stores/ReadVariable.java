package org.keyline.stores;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * A variable of the store that affects the result of a plain read: its rows, their versions or
 * their bytes. Immutable.
 *
 * @param name the name in lower case
 * @param value the value that load sessions set, as SQL; null if they do not set the variable
 * @param shown the value that a session must have to be answered from lines, as the store shows it;
 * null if any value is allowed
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

    public boolean isAsked() {
        return shown != null || value == null;
    }

    /** Returns a variable that load sessions set. Client sessions may have any value. */
    public static ReadVariable ofLoads(String name, String value) {
        return new ReadVariable(name, value, null);
    }
}
