package org.keyline.stores.duckdb.translate;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.duckdb.translate.StatementForm.Cell;

/** Takes an INSERT or REPLACE apart into its clauses. Used once. */
final class InsertReader {
    private static final int MAX_COLUMNS = 4_096;

    private final FormCursor at;
    private @Nullable String label;
    private int nextSlot;

    InsertReader(FormCursor at) {
        this.at = at;
    }

    /**
     * Reads an INSERT or REPLACE, after its verb.
     *
     * @param replace whether it is a REPLACE
     */
    StatementForm read(boolean replace) {
        boolean ignore = false;
        boolean modifiers = true;
        while (modifiers) {
            ignore |= at.peek().is("IGNORE");
            modifiers = at.take("IGNORE") || at.take("LOW_PRIORITY") || at.take("DELAYED") || at.take("HIGH_PRIORITY");
        }
        if (at.peek().is("OVERWRITE")) {
            throw StatementRefusedException.unsupported("INSERT OVERWRITE");
        }
        at.take("INTO");
        at.take("TABLE");
        List<String> table = at.dottedName("a table name");
        if (at.peek().is("PARTITION") || at.peek().is("PARTITIONS")) {
            throw StatementRefusedException.unsupported("INSERT into a partition");
        }
        if (at.peek().is("WITH") && at.at(at.position + 1).is("LABEL")) {
            at.position += 2;
            label = at.name("a label");
        }
        @Nullable List<String> columns = columns();
        if (at.take("SET")) {
            return insertSet(table, replace, ignore);
        }
        List<List<Cell>> rows = new ArrayList<>();
        List<int[]> expressions = new ArrayList<>();
        @Nullable ParserText query = null;
        if (at.take("VALUES") || at.take("VALUE")) {
            rows(rows, expressions);
        } else {
            int tail = onDuplicate(at.position);
            if (at.position == tail) {
                throw at.text.error(at.position, "VALUES, SET or a query");
            }
            query = at.query(at.position, tail);
            at.position = tail;
        }
        return finish(table, replace, ignore, columns, rows, expressions, query);
    }

    private int onDuplicate(int from) {
        int on = at.find(from, "ON");
        while (on < at.end && !at.at(on + 1).is("DUPLICATE")) {
            on = at.find(on + 1, "ON");
        }
        return on;
    }

    private @Nullable List<String> columns() {
        if (!at.peek().isSymbol("(")
                || at.at(at.position + 1).is("SELECT")
                || at.at(at.position + 1).is("WITH")
                || at.at(at.position + 1).isSymbol("(")) {
            return null;
        }
        at.position++;
        List<String> columns = new ArrayList<>();
        if (at.takeSymbol(")")) {
            return columns;
        }
        do {
            if (columns.size() == MAX_COLUMNS) {
                throw at.text.error(at.position, "at most " + MAX_COLUMNS + " columns");
            }
            List<String> parts = at.dottedName("a column name");
            columns.add(parts.get(parts.size() - 1));
        } while (at.takeSymbol(","));
        at.expectSymbol(")");
        return columns;
    }

    private void rows(List<List<Cell>> rows, List<int[]> expressions) {
        do {
            at.take("ROW");
            at.expectSymbol("(");
            List<Cell> row = new ArrayList<>();
            while (!at.peek().isSymbol(")")) {
                row.add(cell(at.itemEnd(at.position, at.end), expressions));
                if (!at.takeSymbol(",")) {
                    break;
                }
            }
            at.expectSymbol(")");
            rows.add(row);
        } while (at.takeSymbol(","));
    }

    private Cell cell(int to, List<int[]> expressions) {
        int from = at.position;
        at.position = to;
        int value = at.tokens.get(from).type() == TokenType.INTRODUCER ? from + 1 : from;
        boolean negated = at.tokens.get(from).isSymbol("-");
        value = negated ? from + 1 : value;
        if (to == value + 1 && at.tokens.get(value).type().isValue()) {
            return new Cell.Value(slot(value), negated);
        }
        if (to == from + 1 && at.tokens.get(from).is("NULL")) {
            return new Cell.Null();
        }
        if (to == from + 1 && at.tokens.get(from).is("DEFAULT")) {
            return new Cell.Default();
        }
        if (to == from) {
            throw at.text.error(from, "an expression");
        }
        expressions.add(new int[] {from, to});
        return new Cell.Expression(expressions.size() - 1);
    }

    /** Cells are read in text order, so the slot is searched from the last one on. */
    private int slot(int token) {
        int offset = at.tokens.get(token).start();
        while (at.text.slots().get(nextSlot).start() < offset) {
            nextSlot++;
        }
        return nextSlot;
    }

    private StatementForm insertSet(List<String> table, boolean replace, boolean ignore) {
        List<String> columns = new ArrayList<>();
        List<Cell> row = new ArrayList<>();
        List<int[]> expressions = new ArrayList<>();
        int tail = onDuplicate(at.position);
        do {
            List<String> parts = at.dottedName("a column name");
            columns.add(parts.get(parts.size() - 1));
            at.expectSymbol("=");
            row.add(cell(at.itemEnd(at.position, tail), expressions));
        } while (at.takeSymbol(","));
        return finish(table, replace, ignore, columns, List.of(row), expressions, null);
    }

    private StatementForm finish(
            List<String> table,
            boolean replace,
            boolean ignore,
            @Nullable List<String> columns,
            List<List<Cell>> rows,
            List<int[]> expressions,
            @Nullable ParserText query) {
        @Nullable String rowAlias = at.take("AS") ? at.name("a row alias") : null;
        List<List<String>> targets = new ArrayList<>();
        @Nullable ParserText updates = null;
        if (at.take("ON")) {
            if (replace) {
                throw at.text.error(at.position - 1, "the end of REPLACE");
            }
            at.expect("DUPLICATE");
            at.expect("KEY");
            at.expect("UPDATE");
            List<int[]> ranges = new ArrayList<>();
            at.assignments(at.end, targets, ranges);
            updates = at.items(ranges).written();
        }
        if (at.position < at.end) {
            throw at.text.error(at.position, "the end of the statement");
        }
        @Nullable
        ParserText cells = expressions.isEmpty() ? null : at.items(expressions).written();
        return new StatementForm.Insert(
                table, replace, ignore, columns, rows, cells, query, targets, updates, rowAlias, label);
    }
}
