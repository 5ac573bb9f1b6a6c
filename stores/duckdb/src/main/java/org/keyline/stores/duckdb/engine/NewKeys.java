package org.keyline.stores.duckdb.engine;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Predicts whether replacing rows have new keys, for example while a table is loaded. Then the
 * writer need not delete the keys first, which saves two fifths of the cost. After a wrong
 * prediction the write is rolled back and runs again with the deletion. Confined to one thread.
 */
final class NewKeys {
    /** The number of writes to a table that are not predicted after a wrong prediction. */
    static final int DOUBTS = 64;

    private static final int MAX_TABLES = 1_000;

    private final Map<String, Integer> doubts = new LinkedHashMap<>();
    private boolean refuted;

    /** Returns whether the next rows of a table are expected to have new keys. */
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
