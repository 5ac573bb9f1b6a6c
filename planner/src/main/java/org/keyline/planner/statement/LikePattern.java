package org.keyline.planner.statement;

import java.util.Arrays;

/** A pattern of LIKE with {@code %}, {@code _} and backslash escapes. Ignores case. Immutable. */
public final class LikePattern {
    /*
     * After a mismatch, only the last % needs another attempt, because an early match of the text
     * between two % signs is never worse. So the number of steps is at most the product of the two
     * lengths.
     */

    private static final int ANY_TEXT = -1;
    private static final int ANY_CHARACTER = -2;

    /** Folded code points, or wildcards. Two ANY_TEXT are never adjacent. */
    private final int[] pattern;

    private LikePattern(int[] pattern) {
        this.pattern = pattern;
    }

    /** Returns the pattern of a text. Every text is valid; a backslash at the end is literal. */
    public static LikePattern of(String text) {
        int[] read = new int[text.length()];
        int length = 0;
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
            if (c == '%') {
                if (length == 0 || read[length - 1] != ANY_TEXT) {
                    read[length++] = ANY_TEXT;
                }
                continue;
            }
            if (c == '_') {
                read[length++] = ANY_CHARACTER;
                continue;
            }
            if (c == '\\' && i < text.length()) {
                c = text.codePointAt(i);
                i += Character.charCount(c);
            }
            read[length++] = folded(c);
        }
        return new LikePattern(Arrays.copyOf(read, length));
    }

    public boolean matches(String text) {
        int[] characters = text.codePoints().map(LikePattern::folded).toArray();
        int at = 0;
        int wanted = 0;
        int afterAnyText = -1;
        int retry = 0;
        while (at < characters.length) {
            if (wanted < pattern.length && pattern[wanted] == ANY_TEXT) {
                afterAnyText = ++wanted;
                retry = at;
            } else if (wanted < pattern.length
                    && (pattern[wanted] == ANY_CHARACTER || pattern[wanted] == characters[at])) {
                wanted++;
                at++;
            } else if (afterAnyText >= 0) {
                wanted = afterAnyText;
                at = ++retry;
            } else {
                return false;
            }
        }
        return wanted == pattern.length || (wanted == pattern.length - 1 && pattern[wanted] == ANY_TEXT);
    }

    private static int folded(int character) {
        return Character.toLowerCase(Character.toUpperCase(character));
    }
}
