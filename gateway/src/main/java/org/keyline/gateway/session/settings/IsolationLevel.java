package org.keyline.gateway.session.settings;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The isolation level of a transaction. */
enum IsolationLevel {
    /** Also shows uncommitted rows: only the store can answer. */
    READ_UNCOMMITTED,
    /** Each read sees the rows committed when it begins. */
    READ_COMMITTED,
    /** All reads see the rows committed when the first began. */
    REPEATABLE_READ,
    /** The same, and reads lock. */
    SERIALIZABLE,
    UNKNOWN;

    /** Returns the level of this name, in a variable's spelling or a statement's. */
    static IsolationLevel of(@Nullable String name) {
        String constant = name == null
                ? ""
                : name.toUpperCase(Locale.ROOT).replace('-', '_').replace(' ', '_');
        for (IsolationLevel level : values()) {
            if (level.name().equals(constant)) {
                return level;
            }
        }
        return UNKNOWN;
    }
}
