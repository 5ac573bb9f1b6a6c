package org.keyline.gateway.otlp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The span that a statement belongs to, as its text names it in a comment: {@code /*traceparent='00-…-…-01'*}{@code /}.
 *
 * @param trace 32 hexadecimal digits, in lower case
 * @param span 16 of them
 * @param sampled whether whoever began the trace keeps it
 * @see <a href="https://google.github.io/sqlcommenter/spec/">sqlcommenter</a>
 * @see <a href="https://www.w3.org/TR/trace-context/#traceparent-header">traceparent</a>
 */
public record TraceParent(String trace, String span, boolean sampled) {
    /** The comment is the first or the last thing of a text. */
    private static final int LOOKED_AT = 1_024;

    private static final Pattern COMMENT = Pattern.compile(
            "/\\*(?:[^*]|\\*(?!/))*?\\btraceparent='([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})[-']");
    private static final String WORD = "traceparent='";
    private static final String INVALID_VERSION = "ff";

    /** The one that {@code sql[from..to)} names; null if there is none, or it says nothing. */
    static @Nullable TraceParent in(byte[] sql, int from, int to) {
        TraceParent last =
                find(new String(sql, Math.max(from, to - LOOKED_AT), Math.min(to - from, LOOKED_AT), ISO_8859_1));
        return last != null || to - from <= LOOKED_AT ? last : find(new String(sql, from, LOOKED_AT, ISO_8859_1));
    }

    private static @Nullable TraceParent find(String text) {
        Matcher comment = COMMENT.matcher(text);
        if (!text.contains(WORD)
                || !comment.find()
                || comment.group(1).equals(INVALID_VERSION)
                || isZero(comment.group(2))
                || isZero(comment.group(3))) {
            return null;
        }
        return new TraceParent(comment.group(2), comment.group(3), (Integer.parseInt(comment.group(4), 16) & 1) != 0);
    }

    private static boolean isZero(String digits) {
        return digits.chars().allMatch(digit -> digit == '0');
    }
}
