package org.keyline.planner.digest;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells optimizer hints that mean nothing for a reply: {@code SET_VAR(…)} of variables that change none. Confined to one thread; a hint
 * that is the same as the last one costs a comparison.
 */
final class SetVarHint {
    private static final String VALUE = "(?:'[^'\\\\]*'|\"[^\"\\\\]*\"|[\\w.+-]+)";
    private static final String ONE = "\\s*(\\w+)\\s*=\\s*" + VALUE + "\\s*";
    private static final Pattern ASSIGNMENT = Pattern.compile(ONE);
    private static final Pattern HINT =
            Pattern.compile("\\s*SET_VAR\\s*\\((" + ONE + "(?:," + ONE + ")*+)\\)\\s*", Pattern.CASE_INSENSITIVE);
    /** Longer ones are not looked at. */
    private static final int MAX_BYTES = 1024;

    private final Set<String> harmless;
    private byte[] last = {};

    /** @param harmless names of variables in lower case */
    SetVarHint(Set<String> harmless) {
        this.harmless = Set.copyOf(harmless);
    }

    /** Whether a hint, the text between its marks, may be left out. */
    boolean isHarmless(byte[] sql, int from, int to) {
        if (harmless.isEmpty() || to - from > MAX_BYTES) {
            return false;
        }
        if (last.length > 0 && Arrays.equals(last, 0, last.length, sql, from, to)) {
            return true;
        }
        String text = new String(sql, from, to - from, StandardCharsets.ISO_8859_1);
        Matcher hint = HINT.matcher(text);
        if (!hint.matches()) {
            return false;
        }
        Matcher assignment = ASSIGNMENT.matcher(hint.group(1));
        while (assignment.find()) {
            if (!harmless.contains(assignment.group(1).toLowerCase(Locale.ROOT))) {
                return false;
            }
        }
        last = Arrays.copyOfRange(sql, from, to);
        return true;
    }
}
