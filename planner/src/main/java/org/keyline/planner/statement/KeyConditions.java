package org.keyline.planner.statement;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.KeyPart;
import org.keyline.planner.TableSchema;
import org.keyline.planner.digest.ReservedWords;
import org.keyline.planner.digest.TokenType;

/** The key prefixes to which a WHERE clause limits an UPDATE or DELETE. Confined to one thread. */
final class KeyConditions {
    /*
     * A condition limits the rows if it is a conjunct of the whole clause. The clause is split at
     * the ANDs outside parentheses, except for the AND of a BETWEEN. Words that change the meaning
     * of AND (OR, CASE, …) make the clause unlimited. Only the conjuncts `column = value`, `value =
     * column` and `column IN (value, …)` count, optionally in parentheses; any other conjunct can
     * only narrow further.
     */

    private static final int MAX_PREFIXES = 1000;

    private final TableSchema table;
    private final List<String> qualifiers;
    private final Map<Integer, List<KeyPart>> bound = new HashMap<>();

    private KeyConditions(TableSchema table, List<String> qualifiers) {
        this.table = table;
        this.qualifiers = qualifiers;
    }

    /**
     * Returns the key prefixes to which the clause limits the rows; null if it does not limit them.
     *
     * @param clause a cursor at the first token after WHERE
     * @param qualifiers the names that may qualify a column of the table: its alias, or schema and
     * table
     */
    static @Nullable List<List<KeyPart>> prefixes(Cursor clause, TableSchema table, List<String> qualifiers) {
        KeyConditions conditions = new KeyConditions(table, qualifiers);
        return conditions.read(clause) ? conditions.expand() : null;
    }

    private boolean read(Cursor clause) {
        int depth = 0;
        boolean between = false;
        boolean begins = true;
        while (!clause.atEnd() && !endsClause(clause, depth)) {
            if (depth == 0 && begins) {
                begins = false;
                condition(clause.copy());
            }
            if (clause.atSymbol("(")) {
                depth++;
            } else if (clause.atSymbol(")")) {
                depth--;
            } else if (depth == 0 && breaksConjunction(clause)) {
                return false;
            } else if (depth == 0 && clause.at("BETWEEN")) {
                between = true;
            } else if (depth == 0 && (clause.at("AND") || clause.atSymbol("&&"))) {
                begins = !between;
                between = false;
            }
            if (depth < 0) {
                return false;
            }
            clause.advance();
        }
        return depth == 0;
    }

    private static boolean endsClause(Cursor clause, int depth) {
        return depth == 0 && (clause.at("ORDER") || clause.at("LIMIT") || clause.at("RETURNING"));
    }

    private static boolean breaksConjunction(Cursor clause) {
        return clause.at("OR")
                || clause.at("XOR")
                || clause.at("CASE")
                || clause.at("SELECT")
                || clause.at("UNION")
                || clause.atSymbol("||")
                || clause.atSymbol(":=");
    }

    private void condition(Cursor at) {
        int parentheses = 0;
        while (at.acceptSymbol("(")) {
            parentheses++;
        }
        List<KeyPart> values = new ArrayList<>();
        int column;
        KeyPart first = at.value();
        if (first != null) {
            values.add(first);
            if (!at.acceptSymbol("=")) {
                return;
            }
            column = column(at);
        } else {
            column = column(at);
            if (at.acceptSymbol("=")) {
                KeyPart value = at.value();
                if (value == null) {
                    return;
                }
                values.add(value);
            } else if (!at.accept("IN") || !list(at, values)) {
                return;
            }
        }
        for (int i = 0; i < parentheses; i++) {
            if (!at.acceptSymbol(")")) {
                return;
            }
        }
        boolean whole = at.atEnd() || at.at("AND") || at.atSymbol("&&") || endsClause(at, 0);
        if (whole && column >= 0) {
            bound.putIfAbsent(column, values);
        }
    }

    private static boolean list(Cursor at, List<KeyPart> values) {
        if (!at.acceptSymbol("(")) {
            return false;
        }
        do {
            KeyPart value = at.value();
            if (value == null) {
                return false;
            }
            values.add(value);
        } while (at.acceptSymbol(","));
        return at.acceptSymbol(")");
    }

    /** Skips a name. Returns the key position of the column with this name; -1 if there is none. */
    private int column(Cursor at) {
        boolean reserved = at.token().type() == TokenType.WORD
                && ReservedWords.contains(at.token().text());
        List<String> parts = at.name();
        if (parts == null || reserved || !isOwn(parts)) {
            return -1;
        }
        int ordinal = table.ordinal(parts.get(parts.size() - 1));
        return ordinal < 0 ? -1 : table.keyPosition(ordinal);
    }

    private boolean isOwn(List<String> parts) {
        int qualifier = parts.size() - 2;
        for (int i = qualifiers.size() - 1; qualifier >= 0; i--, qualifier--) {
            if (i < 0 || !qualifiers.get(i).equalsIgnoreCase(parts.get(qualifier))) {
                return false;
            }
        }
        return true;
    }

    private @Nullable List<List<KeyPart>> expand() {
        List<List<KeyPart>> prefixes = List.of(List.of());
        for (int position = 0; position < table.keyColumns().size(); position++) {
            List<KeyPart> values = bound.get(position);
            if (values == null || (long) prefixes.size() * values.size() > MAX_PREFIXES) {
                break;
            }
            List<List<KeyPart>> longer = new ArrayList<>();
            for (List<KeyPart> prefix : prefixes) {
                for (KeyPart value : values) {
                    List<KeyPart> next = new ArrayList<>(prefix);
                    next.add(value);
                    longer.add(next);
                }
            }
            prefixes = longer;
        }
        return prefixes.get(0).isEmpty() ? null : prefixes;
    }
}
