package org.keyline.stores.duckdb.session;

import java.util.ArrayList;
import java.util.List;
import org.keyline.planner.StatementRefusedException;

/** The diagnostics of the last statement, for SHOW WARNINGS. Used by one thread at a time. */
final class Diagnostics {
    record Condition(String level, int code, String message) {}

    private static final int MAX_CONDITIONS = 1024;

    private final List<Condition> conditions = new ArrayList<>();
    private int count;
    private boolean shown;

    void clear() {
        conditions.clear();
        count = 0;
        shown = false;
    }

    /** Call if the current statement shows the previous statement's conditions (SHOW WARNINGS). */
    void shown() {
        shown = true;
    }

    /** Returns the number of warnings of the current statement, for its reply. */
    int ownCount() {
        return shown ? 0 : count;
    }

    /** @param level Error, Warning or Note */
    void add(String level, StatementRefusedException condition) {
        if (shown) {
            // The statement that was to show the older conditions failed; its error replaces them.
            clear();
        }
        count++;
        if (conditions.size() < MAX_CONDITIONS) {
            conditions.add(new Condition(level, condition.code(), String.valueOf(condition.getMessage())));
        }
    }

    List<Condition> conditions() {
        return List.copyOf(conditions);
    }

    /** Returns the number of conditions, including those that were not retained. */
    int count() {
        return count;
    }

    int errors() {
        return (int) conditions.stream().filter(c -> c.level().equals("Error")).count();
    }
}
