package org.keyline.planner.statement;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Effect;

/**
 * Derives the effect of DDL on the named tables or on stored code. The definition of an event or a
 * procedure changes no row and no other statement, so it has no effect. Any other DDL may affect
 * everything.
 */
final class DefinitionEffect {
    private DefinitionEffect() {}

    static Effect create(Cursor at, Targets targets) {
        boolean temporary = at.at("TEMPORARY");
        if (!at.acceptAll("OR", "REPLACE") && (at.at("DATABASE") || at.at("SCHEMA"))) {
            return Effect.NONE;
        }
        if (isOfNoRows(at)) {
            return Effect.NONE;
        }
        if (isStoredCode(at)) {
            return Effect.STORED_CODE;
        }
        at.skip("TEMPORARY", "EXTERNAL", "UNIQUE", "FULLTEXT", "SPATIAL", "ONLINE", "OFFLINE");
        if (at.accept("INDEX")) {
            return index(at, targets);
        }
        if (!at.accept("TABLE")) {
            return Effect.EVERYTHING;
        }
        boolean ifAbsent = at.acceptAll("IF", "NOT", "EXISTS") && !temporary;
        List<@Nullable List<String>> names = new ArrayList<>();
        names.add(at.name());
        boolean selects = at.ahead("SELECT", "TABLE", "VALUES");
        if (selects && targets.mayCall(at)) {
            return Effect.EVERYTHING;
        }
        Effect effect = targets.definitions(names);
        return ifAbsent && !selects && effect instanceof Effect.Tables named
                ? new Effect.Tables(named.tables(), true)
                : effect;
    }

    static Effect drop(Cursor at, Targets targets) {
        if (isStoredCode(at)) {
            return Effect.STORED_CODE;
        }
        at.skip("TEMPORARY", "ONLINE", "OFFLINE");
        if (isOfNoRows(at)) {
            return Effect.NONE;
        }
        if (at.accept("INDEX")) {
            return index(at, targets);
        }
        if (!at.accept("TABLE", "TABLES")) {
            return Effect.EVERYTHING;
        }
        at.acceptAll("IF", "EXISTS");
        return targets.definitions(names(at));
    }

    static Effect truncate(Cursor at, Targets targets) {
        at.accept("TABLE");
        return targets.definitions(names(at));
    }

    /**
     * Returns the effect of an ALTER. It includes a new name of the table, and the table of
     * EXCHANGE PARTITION.
     */
    static Effect alter(Cursor at, Targets targets) {
        at.skip("ONLINE", "OFFLINE", "IGNORE");
        if (isOfNoRows(at)) {
            return Effect.NONE;
        }
        if (isStoredCode(at)) {
            return Effect.STORED_CODE;
        }
        if (!at.accept("TABLE")) {
            return Effect.EVERYTHING;
        }
        at.acceptAll("IF", "EXISTS");
        List<@Nullable List<String>> names = new ArrayList<>();
        names.add(at.name());
        while (!at.atEnd()) {
            if (at.accept("RENAME")) {
                boolean part = at.at("COLUMN")
                        || at.at("INDEX")
                        || at.at("KEY")
                        || at.at("ROLLUP")
                        || at.at("PARTITION")
                        || at.at("CONSTRAINT");
                if (!part) {
                    at.accept("TO", "AS");
                    names.add(at.name());
                }
            } else if (at.acceptAll("WITH", "TABLE")
                    || at.acceptAll("CONVERT", "TABLE")
                    || at.acceptAll("TO", "TABLE")) {
                // EXCHANGE PARTITION, or a table that becomes or was a partition.
                names.add(at.name());
            } else {
                at.advance();
            }
        }
        return targets.definitions(names);
    }

    static Effect rename(Cursor at, Targets targets) {
        if (!at.accept("TABLE", "TABLES")) {
            return Effect.EVERYTHING;
        }
        at.acceptAll("IF", "EXISTS");
        List<@Nullable List<String>> names = new ArrayList<>();
        do {
            names.add(at.name());
            if (!at.accept("TO")) {
                return Effect.EVERYTHING;
            }
            names.add(at.name());
        } while (at.acceptSymbol(","));
        return targets.definitions(names);
    }

    private static boolean isOfNoRows(Cursor at) {
        return at.at("PROCEDURE") || at.at("EVENT");
    }

    private static boolean isStoredCode(Cursor at) {
        return at.at("VIEW") || at.at("FUNCTION") || at.at("TRIGGER") || beginsDefiner(at);
    }

    private static boolean beginsDefiner(Cursor at) {
        return at.at("DEFINER") || at.at("ALGORITHM") || at.at("SQL");
    }

    private static Effect index(Cursor at, Targets targets) {
        while (!at.atEnd() && !at.at("ON")) {
            at.advance();
        }
        List<@Nullable List<String>> names = new ArrayList<>();
        names.add(at.accept("ON") ? at.name() : null);
        return targets.definitions(names);
    }

    private static List<@Nullable List<String>> names(Cursor at) {
        List<@Nullable List<String>> names = new ArrayList<>();
        do {
            names.add(at.name());
        } while (at.acceptSymbol(","));
        return names;
    }
}
