package org.keyline.planner.digest;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads optimizer hints, and executable comments that have a modifier of SELECT. Confined to one thread; a text that is the same as the
 * last one costs a comparison.
 */
public final class Hint {
    /** What a hint or an executable comment means for the reply to a statement. */
    enum Meaning {
        /** It changes no byte of any reply: the statement is the one without it. */
        NOTHING,
        /**
         * It changes no row, but the store may refuse it or warn of it: the statement is another one than that without it, and has
         * replies of its own.
         */
        SAME_ROWS,
        /** Not known. */
        UNKNOWN
    }

    private static final String VALUE = "(?:'[^'\\\\]*'|\"[^\"\\\\]*\"|[\\w.+-]+)";
    private static final String ONE = "\\s*(\\w+)\\s*=\\s*" + VALUE + "\\s*";
    private static final Pattern ASSIGNMENT = Pattern.compile(ONE);
    private static final Pattern SET_VAR =
            Pattern.compile("\\s*SET_VAR\\s*\\((" + ONE + "(?:," + ONE + ")*+)\\)\\s*", Pattern.CASE_INSENSITIVE);

    /** Hints of one table that say how its rows are found. With another index they may come in another order. */
    private static final String ACCESS =
            "(?:NO_)?(?:INDEX|JOIN_INDEX|GROUP_INDEX|ORDER_INDEX|INDEX_MERGE|MRR|SKIP_SCAN)"
                    + "|NO_ICP|NO_RANGE_OPTIMIZATION";

    /** A limit of time, which no answer from memory reaches, and a name. */
    private static final String LIMITS = "MAX_EXECUTION_TIME|QB_NAME";

    private static final Pattern SAME_ROWS = Pattern.compile(
            "(?:\\s*(?:" + LIMITS + "|" + ACCESS + ")\\s*\\([\\w\\s,@`.]*\\))+\\s*", Pattern.CASE_INSENSITIVE);

    private static final Pattern ANY_ACCESS =
            Pattern.compile("(?:^|[^\\w`])(?:" + ACCESS + ")\\s*\\(", Pattern.CASE_INSENSITIVE);

    /** Whether the store executes it or not, the rows are the same. */
    private static final Pattern MODIFIER = Pattern.compile(
            "/\\*M?!(?:\\d{5,6})?\\s*(?:SQL_NO_CACHE|SQL_CACHE|HIGH_PRIORITY)\\s*\\*/", Pattern.CASE_INSENSITIVE);

    /** Longer ones are not looked at. */
    private static final int MAX_BYTES = 1024;

    private final Set<String> harmless;
    private byte[] last = {};
    private Meaning lastMeaning = Meaning.UNKNOWN;

    /** @param harmless names of variables, in lower case, that change no reply */
    Hint(Set<String> harmless) {
        this.harmless = Set.copyOf(harmless);
    }

    Set<String> harmless() {
        return harmless;
    }

    /** Reads the whole comment {@code sql[from..to)}, with its marks. */
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

    /** Returns whether a hint of a normalised text is one that changes no row: the digest keeps the text of no other. */
    public static boolean isKnown(Token hint) {
        return !hint.text().equals(UNKNOWN);
    }

    /** Returns whether a known hint may have the store find the rows by another index. */
    public static boolean choosesIndex(Token hint) {
        return ANY_ACCESS.matcher(hint.text()).find();
    }

    /** What a normalised text has in place of a hint that is not known. */
    static final String UNKNOWN = "/*+ */";
}
