package org.keyline.gateway.session.settings;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The isolation level of a transaction. */
enum IsolationLevel {
    /** Reads can see uncommitted rows. Only the store can answer them. */
    READ_UNCOMMITTED,
    /** Each read sees the rows committed when it begins. */
    READ_COMMITTED,
    /** All reads see the rows committed when the first read began. */
    REPEATABLE_READ,
    /** Like REPEATABLE READ, but reads lock rows. */
    SERIALIZABLE,
    UNKNOWN;

    /** Returns the level that a variable or a statement names. */
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
