package org.keyline.stores.duckdb.engine;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Predicts whether rows that replace others have new keys, for example while a table is filled. If
 * all keys are new, the writer need not delete stored rows first, which saves two fifths of the
 * cost. After a wrong prediction, the writer rolls the write back and runs it again with the
 * deletion. Confined to one thread.
 */
final class NewKeys {
    /**
     * After a wrong prediction for a table, this many writes to the table are not expected to have
     * new keys.
     */
    static final int DOUBTS = 64;

    private static final int MAX_TABLES = 1_000;

    private final Map<String, Integer> doubts = new LinkedHashMap<>();
    private boolean refuted;

    /**
     * Returns whether the next write to a table is expected to have new keys. Call once for each
     * write.
     */
    boolean expected(String table) {
        Integer left = doubts.get(table);
        if (left == null) {
            return true;
        }
        if (left == 1) {
            doubts.remove(table);
        } else {
            doubts.put(table, left - 1);
        }
        return false;
    }

    void refuted(String table) {
        refuted = true;
        doubts.put(table, DOUBTS);
        if (doubts.size() > MAX_TABLES) {
            doubts.remove(doubts.keySet().iterator().next());
        }
    }

    /** Returns whether a prediction was wrong since the last call. */
    boolean wasRefuted() {
        boolean was = refuted;
        refuted = false;
        return was;
    }
}
