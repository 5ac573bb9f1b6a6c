package org.keyline.gateway.session.settings;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.keyline.planner.digest.Token;
import org.keyline.stores.Store;

/**
 * Whether stored code has set variables of its session or made temporary tables in it, by the store's own count of the statements that
 * do. Confined to one event loop.
 */
final class SettingCounts {
    /*
     * What functions and triggers set leaves no trace in the reply of the statement that ran them. But the store counts for each session
     * the statements that set something or make a table, those within stored code as well. It is asked ahead of a statement that may run
     * stored code, and again before the session is next answered from a line. If the counts rose by no more than the session's own SETs
     * and tables, nothing was set. Stored code that is run by something else than a CALL can neither run texts nor set the counts back.
     */
    private static final String SETS = "com_set_option";

    private static final String CREATES = "com_create_table";

    /** First words of statements that leave the counts alone. */
    private static final Set<String> UNCOUNTED = Set.of(
            "SELECT",
            "INSERT",
            "REPLACE",
            "UPDATE",
            "DELETE",
            "WITH",
            "VALUES",
            "TABLE",
            "SHOW",
            "DESC",
            "DESCRIBE",
            "EXPLAIN",
            "SAVEPOINT",
            "RELEASE",
            "BEGIN",
            "START",
            "COMMIT",
            "ROLLBACK",
            "USE",
            "ALTER",
            "DROP",
            "TRUNCATE",
            "RENAME");

    /** What CREATE makes that is counted. */
    private static final Set<String> COUNTED = Set.of("TEMPORARY", "SEQUENCE");

    private Map<String, String> counts = Map.of();
    /** The session's own SETs since. */
    private long sets;
    /** Its own tables since. */
    private long creates;
    /** Whether stored code may have run since. */
    private boolean ran;

    private boolean refused;

    /** As a session begins. */
    void reset() {
        forget();
        refused = false;
    }

    /** Whether they were told, and nothing has come since that moves them in a way of its own. */
    boolean known() {
        return !counts.isEmpty();
    }

    /** Whether the store was asked and did not tell. */
    boolean refused() {
        return refused;
    }

    /** A SET of the gateway's own was run. */
    void setBeside() {
        sets++;
    }

    /**
     * A statement of the session's own was run.
     *
     * @return as for {@link #forget}
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
     * They may have moved in a way that is not known.
     *
     * @return whether it will never be known what stored code has done since they were told
     */
    boolean forget() {
        boolean lost = ran;
        counts = Map.of();
        sets = 0;
        creates = 0;
        ran = false;
        return lost;
    }

    /** Stored code may have run: what it did is known when they are told again. */
    void codeMayHaveRun() {
        ran = true;
    }

    /** Whether stored code may have run since they were told. */
    boolean pending() {
        return ran;
    }

    /**
     * The store's answer to the question for {@link Store#settingCounts}; empty if it refused.
     *
     * @return whether stored code may have set something since the answer before
     */
    boolean told(Map<String, String> now) {
        boolean moved = ran && !now.equals(expected());
        counts = Map.copyOf(now);
        sets = 0;
        creates = 0;
        ran = false;
        refused = counts.isEmpty();
        return moved;
    }

    /** What they are if nothing but the session's own SETs and tables moved them. */
    private Map<String, String> expected() {
        Map<String, String> moved = new HashMap<>(counts);
        moved.computeIfPresent(SETS, (name, count) -> String.valueOf(Long.parseLong(count) + sets));
        moved.computeIfPresent(CREATES, (name, count) -> String.valueOf(Long.parseLong(count) + creates));
        return moved;
    }
}
