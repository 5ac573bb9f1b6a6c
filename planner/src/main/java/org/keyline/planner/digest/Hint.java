package org.keyline.planner.digest;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Classifies optimizer hints and executable comments. Confined to one thread. */
public final class Hint {
    enum Meaning {
        /** The hint changes no byte of any reply, so the digest omits it. */
        NOTHING,
        /** The hint changes no row. The store may reject it or warn, so the digest retains it. */
        SAME_ROWS,
        UNKNOWN
    }

    private static final String VALUE = "(?:'[^'\\\\]*'|\"[^\"\\\\]*\"|[\\w.+-]+)";
    private static final String ONE = "\\s*(\\w+)\\s*=\\s*" + VALUE + "\\s*";
    private static final Pattern ASSIGNMENT = Pattern.compile(ONE);
    private static final Pattern SET_VAR =
            Pattern.compile("\\s*SET_VAR\\s*\\((" + ONE + "(?:," + ONE + ")*+)\\)\\s*", Pattern.CASE_INSENSITIVE);

    /** Hints on a table's access path. With another index, the order of rows may change. */
    private static final String ACCESS =
            "(?:NO_)?(?:INDEX|JOIN_INDEX|GROUP_INDEX|ORDER_INDEX|INDEX_MERGE|MRR|SKIP_SCAN)"
                    + "|NO_ICP|NO_RANGE_OPTIMIZATION";

    /** Hints that set a time limit, which cache hits never exceed, or name a query block. */
    private static final String LIMITS = "MAX_EXECUTION_TIME|QB_NAME";

    private static final Pattern SAME_ROWS = Pattern.compile(
            "(?:\\s*(?:" + LIMITS + "|" + ACCESS + ")\\s*\\([\\w\\s,@`.]*\\))+\\s*", Pattern.CASE_INSENSITIVE);

    private static final Pattern ANY_ACCESS =
            Pattern.compile("(?:^|[^\\w`])(?:" + ACCESS + ")\\s*\\(", Pattern.CASE_INSENSITIVE);

    /** Matches executable comments that change no row, whether the store executes them or not. */
    private static final Pattern MODIFIER = Pattern.compile(
            "/\\*M?!(?:\\d{5,6})?\\s*(?:SQL_NO_CACHE|SQL_CACHE|HIGH_PRIORITY)\\s*\\*/", Pattern.CASE_INSENSITIVE);

    /** Maximum bytes of a hint. Longer hints count as unknown. */
    private static final int MAX_BYTES = 1024;

    private final Set<String> harmless;
    private byte[] last = {};
    private Meaning lastMeaning = Meaning.UNKNOWN;

    /** @param harmless variables, in lower case, that change no reply */
    Hint(Set<String> harmless) {
        this.harmless = Set.copyOf(harmless);
    }

    Set<String> harmless() {
        return harmless;
    }

    Meaning meaning(byte[] sql, int from, int to) {
        if (to - from > MAX_BYTES) {
            return Meaning.UNKNOWN;
        }
        if (last.length > 0 && Arrays.equals(last, 0, last.length, sql, from, to)) {
            return lastMeaning;
        }
        lastMeaning = read(new String(sql, from, to - from, StandardCharsets.ISO_8859_1));
        last = Arrays.copyOfRange(sql, from, to);
        return lastMeaning;
    }

    private Meaning read(String comment) {
        if (!isOptimizerHint(comment)) {
            return MODIFIER.matcher(comment).matches() ? Meaning.SAME_ROWS : Meaning.UNKNOWN;
        }
        String text = comment.substring(3, comment.length() - 2);
        if (SAME_ROWS.matcher(text).matches()) {
            return Meaning.SAME_ROWS;
        }
        Matcher variables = SET_VAR.matcher(text);
        if (harmless.isEmpty() || !variables.matches()) {
            return Meaning.UNKNOWN;
        }
        Matcher assignment = ASSIGNMENT.matcher(variables.group(1));
        while (assignment.find()) {
            if (!harmless.contains(assignment.group(1).toLowerCase(Locale.ROOT))) {
                return Meaning.UNKNOWN;
            }
        }
        return Meaning.NOTHING;
    }

    private static boolean isOptimizerHint(String comment) {
        return comment.startsWith("/*+");
    }

    /** Returns whether the hint changes no row. The digest retains only the text of such hints. */
    public static boolean isKnown(Token hint) {
        return !hint.text().equals(UNKNOWN);
    }

    /** Returns whether the hint may make the store choose another index. */
    public static boolean choosesIndex(Token hint) {
        return ANY_ACCESS.matcher(hint.text()).find();
    }

    /** The normalised text of an unknown hint. */
    static final String UNKNOWN = "/*+ */";
}
