package org.keyline.gateway.session.settings;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.keyline.planner.digest.Token;
import org.keyline.stores.Store;

/**
 * Detects whether stored code ran SETs or CREATEs, by the store's counts of these statements.
 * Confined to one event loop.
 */
final class SettingCounts {
    /*
     * The reply to a statement does not show which variables its functions and triggers set.
     * However, the store counts for each session the statements that set a variable or create a
     * table, also in stored code. Keyline reads the counts before a statement that may run stored
     * code, and again before a line answers the session. If they increased only by the session's
     * own statements, stored code set nothing. Outside of a CALL, stored code can neither run
     * dynamic SQL nor reset the counts.
     */
    private static final String SETS = "com_set_option";

    private static final String CREATES = "com_create_table";

    /** Statements that do not change the counts. */
    private static final Set<String> UNCOUNTED = Set.of("""
            SELECT INSERT REPLACE UPDATE DELETE WITH VALUES TABLE SHOW DESC DESCRIBE EXPLAIN SAVEPOINT
            RELEASE BEGIN START COMMIT ROLLBACK USE ALTER DROP TRUNCATE RENAME
            """.strip().split("\\s+"));

    /** Objects whose CREATE is counted. */
    private static final Set<String> COUNTED = Set.of("TEMPORARY", "SEQUENCE");

    private Map<String, String> counts = Map.of();
    /** Number of SETs by the session itself since the store's last answer. */
    private long sets;
    /** Number of tables that the session itself created since the store's last answer. */
    private long creates;
    /** Whether stored code may have run since the store's last answer. */
    private boolean ran;

    private boolean refused;

    void reset() {
        forget();
        refused = false;
    }

    /** Returns whether Keyline can compute the current counts from the store's last answer. */
    boolean known() {
        return !counts.isEmpty();
    }

    boolean refused() {
        return refused;
    }

    /** Counts a SET by the gateway itself. */
    void setBeside() {
        sets++;
    }

    /**
     * Counts a statement of the session. Returns the result of {@link #forget} if the statement
     * changes the counts unpredictably; false if it does not.
     */
    boolean follow(List<Token> statement) {
        String first = statement.get(0).text().toUpperCase(Locale.ROOT);
        if (first.equals("SET")) {
            sets++;
            return false;
        }
        if (first.equals("CREATE")) {
            int made = statement.size() > 3 && statement.get(1).is("OR") ? 3 : 1;
            Token what = statement.get(Math.min(made, statement.size() - 1));
            creates += what.is("TABLE") ? 1 : 0;
            return COUNTED.stream().anyMatch(what::is) && forget();
        }
        return !UNCOUNTED.contains(first) && forget();
    }

    /**
     * Called when the counts may have changed unpredictably.
     *
     * @return whether the effect of stored code since the last answer remains unknown
     */
    boolean forget() {
        boolean lost = ran;
        counts = Map.of();
        sets = 0;
        creates = 0;
        ran = false;
        return lost;
    }

    /** Called when stored code may have run. The next answer shows its effect. */
    void codeMayHaveRun() {
        ran = true;
    }

    boolean pending() {
        return ran;
    }

    /**
     * Receives the values of {@link Store#settingCounts}; empty if the store refused.
     *
     * @return whether stored code may have set a variable or created a table since the previous
     * answer
     */
    boolean received(Map<String, String> now) {
        boolean moved = ran && !now.equals(expected());
        counts = Map.copyOf(now);
        sets = 0;
        creates = 0;
        ran = false;
        refused = counts.isEmpty();
        return moved;
    }

    /** Returns the counts to expect if only the session's own statements have changed them. */
    private Map<String, String> expected() {
        Map<String, String> moved = new HashMap<>(counts);
        moved.computeIfPresent(SETS, (name, count) -> String.valueOf(Long.parseLong(count) + sets));
        moved.computeIfPresent(CREATES, (name, count) -> String.valueOf(Long.parseLong(count) + creates));
        return moved;
    }
}
