package org.keyline.gateway.config;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.function.ToIntFunction;

/** Suggests the known word that a mistyped word probably stands for. */
public final class Nearest {
    private static final int LETTERS_PER_ERROR = 3;
    /** Longer words get no suggestion, because a comparison takes quadratic time. */
    private static final int MAX_LENGTH = 64;

    private Nearest() {}

    /**
     * Returns the nearest word as a question for a message; empty if all words differ in over a
     * third of the typed letters.
     */
    public static String question(String typed, Collection<String> known) {
        if (typed.length() > MAX_LENGTH) {
            return "";
        }
        ToIntFunction<String> errors = word -> distance(typed.toLowerCase(Locale.ROOT), word.toLowerCase(Locale.ROOT));
        return known.stream()
                .filter(word -> errors.applyAsInt(word) <= (typed.length() + 1) / LETTERS_PER_ERROR)
                .min(Comparator.comparingInt(errors).thenComparing(Comparator.naturalOrder()))
                .map(meant -> ", did you mean " + meant + "?")
                .orElse("");
    }

    /** Returns how many letters to insert, delete or replace to get the other word. */
    private static int distance(String from, String to) {
        int[] row = new int[to.length() + 1];
        Arrays.setAll(row, i -> i);
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[to.length()];
    }
}
