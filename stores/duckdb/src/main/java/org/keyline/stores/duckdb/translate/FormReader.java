package org.keyline.stores.duckdb.translate;

import java.util.ArrayList;
import java.util.List;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.TokenType;

/** Takes a statement apart into its clauses. Used once. */
public final class FormReader {
    private final FormCursor at;

    private FormReader(FormCursor at) {
        this.at = at;
    }

    /** Reads a statement; 1064 if it cannot be read, 1235 if it is none of the kinds that are translated. */
    public static StatementForm read(StatementText text) {
        FormCursor at = new FormCursor(text);
        while (at.atType(TokenType.HINT)) {
            at.position++;
        }
        if (at.take("INSERT")) {
            return new InsertReader(at).read(false);
        }
        if (at.take("REPLACE")) {
            return new InsertReader(at).read(true);
        }
        if (at.take("UPDATE")) {
            return new FormReader(at).update();
        }
        if (at.take("DELETE")) {
            return new FormReader(at).delete();
        }
        return new StatementForm.Query(at.query(at.position, at.end));
    }

    private StatementForm update() {
        boolean ignore = false;
        boolean modifiers = true;
        while (modifiers) {
            ignore |= at.peek().is("IGNORE");
            modifiers = at.take("IGNORE") || at.take("LOW_PRIORITY");
        }
        int tables = at.position;
        int set = at.find(at.position, "SET");
        if (set == at.end || set == tables) {
            throw at.text.error(set, "SET");
        }
        at.position = set + 1;
        int where = at.find(at.position, "WHERE", "ORDER", "LIMIT", "FROM");
        if (at.at(where).is("FROM")) {
            throw StatementRefusedException.unsupported("UPDATE … FROM");
        }
        List<List<String>> targets = new ArrayList<>();
        List<int[]> ranges = new ArrayList<>();
        at.assignments(where, targets, ranges);
        if (at.position != where) {
            throw at.text.error(at.position, "',', WHERE, ORDER BY or LIMIT");
        }
        ParserTextWriter query =
                at.items(ranges).raw(" FROM ").tokens(tables, set).raw(" ").tokens(where, at.end);
        return new StatementForm.Update(ignore, targets, query.written());
    }

    private StatementForm delete() {
        boolean modifiers = true;
        while (modifiers) {
            modifiers = at.take("LOW_PRIORITY") || at.take("QUICK") || at.take("IGNORE");
        }
        List<List<String>> targets = new ArrayList<>();
        int from = at.find(at.position, "FROM");
        if (from > at.position) {
            targets(targets);
            at.expect("FROM");
            return new StatementForm.Delete(targets, deleteQuery(at.position));
        }
        at.expect("FROM");
        int using = at.find(at.position, "USING", "WHERE", "JOIN");
        if (at.at(using).is("USING")) {
            targets(targets);
            at.expect("USING");
            if (!namesTarget(targets)) {
                throw StatementRefusedException.unsupported(
                        "DELETE … USING that names the table once, as Doris has it");
            }
        }
        return new StatementForm.Delete(targets, deleteQuery(at.position));
    }

    /** Whether the tables of USING have the one that rows go from, as in MySQL. */
    private boolean namesTarget(List<List<String>> targets) {
        List<String> target = targets.get(0);
        String name = target.get(target.size() - 1);
        for (int i = at.position; i < at.find(at.position, "WHERE", "ORDER", "LIMIT"); i++) {
            if (at.at(i).type().isName() && at.at(i).name().equalsIgnoreCase(name)) {
                return true;
            }
        }
        return false;
    }

    private void targets(List<List<String>> targets) {
        do {
            List<String> parts = new ArrayList<>();
            parts.add(at.name("a table name"));
            while (at.takeSymbol(".")) {
                if (!at.takeSymbol("*")) {
                    parts.add(at.name("a table name"));
                }
            }
            targets.add(parts);
        } while (at.takeSymbol(","));
    }

    private ParserText deleteQuery(int from) {
        return new ParserTextWriter(at.text)
                .raw("SELECT NULL FROM ")
                .tokens(from, at.end)
                .written();
    }
}
