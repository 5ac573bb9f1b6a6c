package org.keyline.planner.statement;

import java.util.List;
import org.keyline.planner.TableSchema;

/** The list of assignments of an UPDATE or ON DUPLICATE KEY UPDATE. */
final class Assignments {
    private Assignments() {}

    /**
     * Passes assignments up to WHERE, ORDER, LIMIT, RETURNING, FROM or the end; whether all are to known columns of the table
     * outside its key.
     */
    static boolean leaveKey(Cursor at, TableSchema table, List<String> qualifiers) {
        do {
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
            while (!at.atEnd() && !at.atSymbol(",") && !ends(at)) {
                if (!at.acceptParenthesised()) {
                    at.advance();
                }
            }
        } while (at.acceptSymbol(","));
        return at.atEnd() || ends(at);
    }

    private static boolean ends(Cursor at) {
        return at.at("WHERE") || at.at("ORDER") || at.at("LIMIT") || at.at("RETURNING") || at.at("FROM");
    }
}
