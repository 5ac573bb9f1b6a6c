package org.keyline.rowcache;

import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Runs a check with consecutive seeds; the failure's text contains the failing seed, which can run
 * alone.
 */
final class Seeds {
    private Seeds() {}

    static void forEach(long first, int count, Consumer<SplittableRandom> check) {
        Long only = Long.getLong("seed");
        long from = only == null ? first : only;
        int runs = only == null ? count : 1;
        for (long seed = from; seed < from + runs; seed++) {
            try {
                check.accept(new SplittableRandom(seed));
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + " (-Dseed=" + seed + "): " + e.getMessage(), e);
            }
        }
    }
}
