package org.keyline.gateway.session.settings;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.units.Units;
import org.keyline.planner.digest.Digester;

/**
 * The maximum age of rows that a session, or one statement, accepts from the gateway. Immutable.
 *
 * @param nanos the maximum age; with 0, the store must answer
 * @param text the displayed value of the variable
 */
public record Staleness(long nanos, String text) {
    /** The session sets no limit. Only the limits of the tables apply. */
    public static final Staleness DEFAULT = new Staleness(Long.MAX_VALUE, "DEFAULT");

    private static final Staleness NONE = new Staleness(0, "0");
    private static final Duration MAX = Duration.ofDays(1);
    private static final Pattern DIRECTIVE =
            Pattern.compile("keyline_max_staleness\\s*=\\s*('?)([^']*)\\1", Pattern.CASE_INSENSITIVE);

    /**
     * Parses a limit: a duration such as {@code 200ms}, or 0.
     *
     * @throws IllegalArgumentException for any other text
     */
    public static Staleness parse(String text) {
        if (text.strip().equals("0")) {
            return NONE;
        }
        Duration read = Units.duration(text.strip());
        Duration limited = read.compareTo(MAX) > 0 ? MAX : read;
        return limited.isZero() ? NONE : new Staleness(limited.toNanos(), Units.format(limited));
    }

    /**
     * Returns the limit in the digested statement's own comment, such as <code>/*
     * keyline_max_staleness = 200ms *&#47;</code>; null if it has none. If the limit is unreadable,
     * the store must answer.
     */
    public static @Nullable Staleness of(Digester digested) {
        String comment = digested.directive();
        if (comment == null || !comment.regionMatches(true, 0, "keyline_max_staleness", 0, 21)) {
            return null;
        }
        Matcher directive = DIRECTIVE.matcher(comment);
        try {
            return directive.matches() ? parse(directive.group(2)) : NONE;
        } catch (IllegalArgumentException unreadable) {
            return NONE;
        }
    }
}
