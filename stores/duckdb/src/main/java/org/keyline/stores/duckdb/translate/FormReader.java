package org.keyline.stores.duckdb.translate;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.duckdb.translate.StatementForm.Cell;

/** Takes a statement apart into its clauses. Used once. */
public final class FormReader {

    private static final int MAX_COLUMNS = 4_096;

    private final StatementText text;
    private final List<Token> tokens;
    private final int end;
    private int position;

    private FormReader(StatementText text) {
        this.text = text;
        this.tokens = text.tokens();
        int last = tokens.size();
        while (last > 0 && tokens.get(last - 1).type() == TokenType.SEMICOLON) {
            last--;
        }
        this.end = last;
    }

    /** Reads a statement; 1064 if it cannot be read, 1235 if it is none of the kinds that are translated. */
    public static StatementForm read(StatementText text) {
        FormReader reader = new FormReader(text);
        while (reader.atType(TokenType.HINT)) {
            reader.position++;
        }
        if (reader.take("INSERT")) {
            return reader.insert(false);
        }
        if (reader.take("REPLACE")) {
            return reader.insert(true);
        }
        if (reader.take("UPDATE")) {
            return reader.update();
        }
        if (reader.take("DELETE")) {
            return reader.delete();
        }
        return new StatementForm.Query(reader.query(reader.position, reader.end));
    }

    private Token peek() {
        return at(position);
    }

    private Token at(int index) {
        return index < end ? tokens.get(index) : new Token(TokenType.END, "", 0, 0);
    }

    private boolean atType(TokenType type) {
        return peek().type() == type;
    }

    private boolean take(String word) {
        if (peek().is(word)) {
            position++;
            return true;
        }
        return false;
    }

    private boolean takeSymbol(String symbol) {
        if (peek().isSymbol(symbol)) {
            position++;
            return true;
        }
        return false;
    }

    private void expect(String word) {
        if (!take(word)) {
            throw text.error(position, word);
        }
    }

    private void expectSymbol(String symbol) {
        if (!takeSymbol(symbol)) {
            throw text.error(position, "'" + symbol + "'");
        }
    }

    private String name(String what) {
        if (!peek().type().isName()) {
            throw text.error(position, what);
        }
        return tokens.get(position++).name();
    }

    private List<String> dottedName(String what) {
        List<String> parts = new ArrayList<>();
        do {
            if (parts.size() == 3) {
                throw text.error(position, what);
            }
            parts.add(name(what));
        } while (takeSymbol("."));
        return parts;
    }

    private ParserText query(int from, int to) {
        return new ParserTextWriter(text).tokens(from, to).written();
    }

    /** Index of the first token from {@code from} on, outside of parentheses, that is one of the words; the end if none is. */
    private int find(int from, String... words) {
        int depth = 0;
        for (int i = from; i < end; i++) {
            Token token = tokens.get(i);
            if (token.type() == TokenType.LEFT_PARENTHESIS) {
                depth++;
            } else if (token.type() == TokenType.RIGHT_PARENTHESIS) {
                depth--;
            } else if (depth == 0
                    && token.type() == TokenType.WORD
                    && !at(Math.max(i - 1, 0)).isSymbol(".")) {
                for (String word : words) {
                    if (token.is(word)) {
                        return i;
                    }
                }
            }
        }
        return end;
    }

    /** Index of the comma or the end of the list item that begins at {@code from}. */
    private int itemEnd(int from, int to) {
        int depth = 0;
        for (int i = from; i < to; i++) {
            TokenType type = tokens.get(i).type();
            if (depth == 0 && (type == TokenType.COMMA || type == TokenType.RIGHT_PARENTHESIS)) {
                return i;
            }
            depth += type == TokenType.LEFT_PARENTHESIS ? 1 : type == TokenType.RIGHT_PARENTHESIS ? -1 : 0;
        }
        return to;
    }

    private StatementForm insert(boolean replace) {
        boolean ignore = false;
        boolean modifiers = true;
        while (modifiers) {
            ignore |= peek().is("IGNORE");
            modifiers = take("IGNORE") || take("LOW_PRIORITY") || take("DELAYED") || take("HIGH_PRIORITY");
        }
        if (peek().is("OVERWRITE")) {
            throw StatementRefusedException.unsupported("INSERT OVERWRITE");
        }
        take("INTO");
        take("TABLE");
        List<String> table = dottedName("a table name");
        if (peek().is("PARTITION") || peek().is("PARTITIONS")) {
            throw StatementRefusedException.unsupported("INSERT into a partition");
        }
        if (peek().is("WITH") && at(position + 1).is("LABEL")) {
            position += 2;
            label = name("a label");
        }
        @Nullable List<String> columns = columns();
        if (take("SET")) {
            return insertSet(table, replace, ignore);
        }
        List<List<Cell>> rows = new ArrayList<>();
        List<int[]> expressions = new ArrayList<>();
        @Nullable ParserText query = null;
        if (take("VALUES") || take("VALUE")) {
            rows(rows, expressions);
        } else {
            int tail = onDuplicate(position);
            if (position == tail) {
                throw text.error(position, "VALUES, SET or a query");
            }
            query = query(position, tail);
            position = tail;
        }
        return finish(table, replace, ignore, columns, rows, expressions, query);
    }

    private int onDuplicate(int from) {
        int on = find(from, "ON");
        while (on < end && !at(on + 1).is("DUPLICATE")) {
            on = find(on + 1, "ON");
        }
        return on;
    }

    private @Nullable List<String> columns() {
        if (!peek().isSymbol("(")
                || at(position + 1).is("SELECT")
                || at(position + 1).is("WITH")
                || at(position + 1).isSymbol("(")) {
            return null;
        }
        position++;
        List<String> columns = new ArrayList<>();
        if (takeSymbol(")")) {
            return columns;
        }
        do {
            if (columns.size() == MAX_COLUMNS) {
                throw text.error(position, "at most " + MAX_COLUMNS + " columns");
            }
            List<String> parts = dottedName("a column name");
            columns.add(parts.get(parts.size() - 1));
        } while (takeSymbol(","));
        expectSymbol(")");
        return columns;
    }

    private void rows(List<List<Cell>> rows, List<int[]> expressions) {
        do {
            take("ROW");
            expectSymbol("(");
            List<Cell> row = new ArrayList<>();
            while (!peek().isSymbol(")")) {
                row.add(cell(itemEnd(position, end), expressions));
                if (!takeSymbol(",")) {
                    break;
                }
            }
            expectSymbol(")");
            rows.add(row);
        } while (takeSymbol(","));
    }

    private Cell cell(int to, List<int[]> expressions) {
        int from = position;
        position = to;
        int value = tokens.get(from).type() == TokenType.INTRODUCER ? from + 1 : from;
        boolean negated = tokens.get(from).isSymbol("-");
        value = negated ? from + 1 : value;
        if (to == value + 1 && tokens.get(value).type().isValue()) {
            return new Cell.Value(slot(value), negated);
        }
        if (to == from + 1 && tokens.get(from).is("NULL")) {
            return new Cell.Null();
        }
        if (to == from + 1 && tokens.get(from).is("DEFAULT")) {
            return new Cell.Default();
        }
        if (to == from) {
            throw text.error(from, "an expression");
        }
        expressions.add(new int[] {from, to});
        return new Cell.Expression(expressions.size() - 1);
    }

    private @Nullable String label;
    private int nextSlot;

    /** Cells are read in text order, so the slot is searched from the last one on. */
    private int slot(int token) {
        int offset = tokens.get(token).start();
        while (text.slots().get(nextSlot).start() < offset) {
            nextSlot++;
        }
        return nextSlot;
    }

    private StatementForm insertSet(List<String> table, boolean replace, boolean ignore) {
        List<String> columns = new ArrayList<>();
        List<Cell> row = new ArrayList<>();
        List<int[]> expressions = new ArrayList<>();
        int tail = onDuplicate(position);
        do {
            List<String> parts = dottedName("a column name");
            columns.add(parts.get(parts.size() - 1));
            expectSymbol("=");
            row.add(cell(itemEnd(position, tail), expressions));
        } while (takeSymbol(","));
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
        @Nullable String rowAlias = take("AS") ? name("a row alias") : null;
        List<List<String>> targets = new ArrayList<>();
        @Nullable ParserText updates = null;
        if (take("ON")) {
            if (replace) {
                throw text.error(position - 1, "the end of REPLACE");
            }
            expect("DUPLICATE");
            expect("KEY");
            expect("UPDATE");
            List<int[]> ranges = new ArrayList<>();
            assignments(end, targets, ranges);
            updates = items(ranges, end, end);
        }
        if (position < end) {
            throw text.error(position, "the end of the statement");
        }
        @Nullable ParserText cells = expressions.isEmpty() ? null : items(expressions, end, end);
        return new StatementForm.Insert(
                table, replace, ignore, columns, rows, cells, query, targets, updates, rowAlias, label);
    }

    /** {@code a = expression, …} up to {@code to}. */
    private void assignments(int to, List<List<String>> targets, List<int[]> ranges) {
        do {
            targets.add(dottedName("a column name"));
            if (!takeSymbol(":=")) {
                expectSymbol("=");
            }
            int itemEnd = itemEnd(position, to);
            if (itemEnd == position) {
                throw text.error(position, "an expression");
            }
            ranges.add(new int[] {position, itemEnd});
            position = itemEnd;
        } while (takeSymbol(","));
    }

    /** SELECT of the items, followed by the tokens from {@code from} to {@code to}. */
    private ParserText items(List<int[]> ranges, int from, int to) {
        ParserTextWriter writer = new ParserTextWriter(text);
        writer.raw("SELECT ");
        for (int i = 0; i < ranges.size(); i++) {
            if (i > 0) {
                writer.raw(", ");
            }
            writer.tokens(ranges.get(i)[0], ranges.get(i)[1]);
        }
        if (from < to) {
            writer.raw(" FROM ");
            writer.tokens(from, to);
        }
        return writer.written();
    }

    private StatementForm update() {
        boolean ignore = false;
        boolean modifiers = true;
        while (modifiers) {
            ignore |= peek().is("IGNORE");
            modifiers = take("IGNORE") || take("LOW_PRIORITY");
        }
        int tables = position;
        int set = find(position, "SET");
        if (set == end || set == tables) {
            throw text.error(set, "SET");
        }
        position = set + 1;
        int where = find(position, "WHERE", "ORDER", "LIMIT", "FROM");
        if (at(where).is("FROM")) {
            throw StatementRefusedException.unsupported("UPDATE … FROM");
        }
        List<List<String>> targets = new ArrayList<>();
        List<int[]> ranges = new ArrayList<>();
        assignments(where, targets, ranges);
        if (position != where) {
            throw text.error(position, "',', WHERE, ORDER BY or LIMIT");
        }
        ParserTextWriter writer = new ParserTextWriter(text);
        writer.raw("SELECT ");
        for (int i = 0; i < ranges.size(); i++) {
            writer.raw(i > 0 ? ", " : "");
            writer.tokens(ranges.get(i)[0], ranges.get(i)[1]);
        }
        writer.raw(" FROM ").tokens(tables, set).raw(" ").tokens(where, end);
        return new StatementForm.Update(ignore, targets, writer.written());
    }

    private StatementForm delete() {
        boolean modifiers = true;
        while (modifiers) {
            modifiers = take("LOW_PRIORITY") || take("QUICK") || take("IGNORE");
        }
        List<List<String>> targets = new ArrayList<>();
        int from = find(position, "FROM");
        if (from > position) {
            targets(targets);
            expect("FROM");
            return new StatementForm.Delete(targets, deleteQuery(position));
        }
        expect("FROM");
        int using = find(position, "USING", "WHERE", "JOIN");
        if (at(using).is("USING")) {
            targets(targets);
            expect("USING");
            if (!namesTarget(targets)) {
                throw StatementRefusedException.unsupported(
                        "DELETE … USING that names the table once, as Doris has it");
            }
        }
        return new StatementForm.Delete(targets, deleteQuery(position));
    }

    /** Whether the tables of USING have the one that rows go from, as in MySQL. */
    private boolean namesTarget(List<List<String>> targets) {
        List<String> target = targets.get(0);
        String name = target.get(target.size() - 1);
        for (int i = position; i < find(position, "WHERE", "ORDER", "LIMIT"); i++) {
            if (at(i).type().isName() && at(i).name().equalsIgnoreCase(name)) {
                return true;
            }
        }
        return false;
    }

    private void targets(List<List<String>> targets) {
        do {
            List<String> parts = new ArrayList<>();
            parts.add(name("a table name"));
            while (takeSymbol(".")) {
                if (!takeSymbol("*")) {
                    parts.add(name("a table name"));
                }
            }
            targets.add(parts);
        } while (takeSymbol(","));
    }

    private ParserText deleteQuery(int from) {
        return new ParserTextWriter(text)
                .raw("SELECT NULL FROM ")
                .tokens(from, end)
                .written();
    }
}
