package org.keyline.gateway.table;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.digest.Digester;

/** Figures by statement. Beyond a maximum, those with the least time are merged. Thread-safe. */
public final class Statements {
    /** Maximum number of statements with separate figures after a cleanup. */
    static final int MOST = 1_000;

    /** Number of statements beyond the maximum that triggers the next cleanup. */
    static final int ROOM = 250;

    private static final int MAX_TEXT = 4_096;
    /** Stands for the text of statements that were not normalised. */
    private static final String UNREAD = "(not read)";

    private static final String OTHERS = "(others)";

    private final ConcurrentMap<Key, StatementFigures> statements = new ConcurrentHashMap<>();
    private final StatementFigures others = new StatementFigures("", "", OTHERS);

    private record Key(String schema, String text) {
        /** Returns a key that does not retain the whole of a long text. */
        static Key of(String schema, String text) {
            return new Key(
                    schema,
                    text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + Digester.identity(schema, text));
        }
    }

    public StatementFigures of(String schema, String text) {
        String shown = text.isEmpty() ? UNREAD : text;
        Key key = Key.of(schema, shown);
        StatementFigures known = statements.get(key);
        if (known != null) {
            return known;
        }
        if (statements.size() >= MOST + ROOM) {
            makeRoom();
        }
        return statements.computeIfAbsent(
                key,
                made -> new StatementFigures(
                        Digester.identity(schema, shown),
                        schema,
                        shown.substring(0, Math.min(MAX_TEXT, shown.length()))));
    }

    /** Returns the figures of a statement; null if it has none. */
    public @Nullable StatementFigures find(String schema, String text) {
        return statements.get(Key.of(schema, text));
    }

    private synchronized void makeRoom() {
        if (statements.size() < MOST + ROOM) {
            return;
        }
        // The sort needs copies of the times, because the originals may change during the sort.
        record Timed(Key key, StatementFigures figures, long nanos) {}
        List<Timed> byTime = new ArrayList<>();
        statements.forEach((key, figures) -> byTime.add(new Timed(key, figures, figures.nanos())));
        byTime.sort(Comparator.comparingLong(Timed::nanos));
        for (Timed least : byTime.subList(0, byTime.size() - MOST)) {
            statements.remove(least.key());
            others.fold(least.figures());
        }
    }

    /** Returns the figures of all statements. The sum of the merged statements is last. */
    public List<StatementFigures> all() {
        List<StatementFigures> all = new ArrayList<>(statements.values());
        all.add(others);
        return all;
    }
}
