package org.keyline.planner.statement;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.Assignment;
import org.keyline.planner.KeyPart;
import org.keyline.planner.TableSchema;

/** The assignments of an UPDATE or ON DUPLICATE KEY UPDATE. Confined to one thread. */
final class Assignments {
    private final Cursor at;
    private final TableSchema table;
    private final List<String> qualifiers;
    private final List<Assignment> values = new ArrayList<>();
    private final Set<Integer> columns = new HashSet<>();
    /** Whether each column so far is assigned once, and to a value. */
    private boolean plain = true;

    private Assignments(Cursor at, TableSchema table, List<String> qualifiers) {
        this.at = at;
        this.table = table;
        this.qualifiers = qualifiers;
    }

    /**
     * @param values the assignments; empty if one is of an expression, or two are of one column
     * @param columns ordinals of all assigned columns
     */
    record Given(List<Assignment> values, Set<Integer> columns) {}

    /** Reads the assignments. Returns null if a key column or an unknown one may be assigned. */
    static @Nullable Given read(Cursor at, TableSchema table, List<String> qualifiers) {
        Assignments read = new Assignments(at, table, qualifiers);
        do {
            if (!read.one()) {
                return null;
            }
        } while (at.acceptSymbol(","));
        if (!at.atEnd() && !ends(at)) {
            return null;
        }
        return new Given(read.plain ? read.values : List.of(), read.columns);
    }

    private boolean one() {
        List<String> column = at.name();
        if (column == null || !(at.acceptSymbol("=") || at.acceptSymbol(":="))) {
            return false;
        }
        boolean own = column.size() == 1
                || column.get(column.size() - 2).equalsIgnoreCase(qualifiers.get(qualifiers.size() - 1));
        int ordinal = table.ordinal(column.get(column.size() - 1));
        if (!own || ordinal < 0 || table.keyPosition(ordinal) >= 0) {
            return false;
        }
        columns.add(ordinal);
        KeyPart value = at.value();
        if (value != null && (at.atEnd() || at.atSymbol(",") || ends(at))) {
            plain &= values.stream().noneMatch(other -> other.column() == ordinal);
            values.add(new Assignment(ordinal, value));
            return true;
        }
        plain = false;
        while (!at.atEnd() && !at.atSymbol(",") && !ends(at)) {
            if (!at.acceptParenthesised()) {
                at.advance();
            }
        }
        return true;
    }

    private static boolean ends(Cursor at) {
        return at.at("WHERE") || at.at("ORDER") || at.at("LIMIT") || at.at("RETURNING") || at.at("FROM");
    }
}
