package org.keyline.gateway.session.settings;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a transaction sees of others. */
enum IsolationLevel {
    /** Also what is not committed: only the store knows. */
    READ_UNCOMMITTED,
    /** Each read sees what is committed when it begins. */
    READ_COMMITTED,
    /** All reads see what was committed when the first began. */
    REPEATABLE_READ,
    /** The same, and reads lock. */
    SERIALIZABLE,
    /** Not known. */
    UNKNOWN;

    /** The level of this name, in a variable's spelling or a statement's. */
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
