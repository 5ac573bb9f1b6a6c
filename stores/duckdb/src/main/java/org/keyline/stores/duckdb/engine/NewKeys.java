package org.keyline.stores.duckdb.engine;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The guess that upserts of a table bring keys that it does not have, as they do while it is loaded; then nothing needs to be
 * deleted first, which is two fifths of their cost. A wrong guess fails, is rolled back and run again without it. Confined to one
 * thread.
 */
final class NewKeys {
    /** How many upserts of a table go without the guess after one that was wrong. */
    static final int DOUBTS = 64;

    private static final int MAX_TABLES = 1_000;

    private final Map<String, Integer> doubts = new LinkedHashMap<>();
    private boolean refuted;

    /** Whether the next upsert of a table should be taken for one of new rows. */
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

    /** A key was there. */
    void refuted(String table) {
        refuted = true;
        doubts.put(table, DOUBTS);
        if (doubts.size() > MAX_TABLES) {
            doubts.remove(doubts.keySet().iterator().next());
        }
    }

    /** Whether a guess was wrong since the last call. */
    boolean wasRefuted() {
        boolean was = refuted;
        refuted = false;
        return was;
    }
}
