package org.keyline.stores.duckdb.session;

import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.duckdb.meta.QueryColumns;
import org.keyline.stores.duckdb.translate.OutputColumn;

/**
 * CREATE TABLE … AS SELECT, as the two statements that it comes to.
 *
 * @param head from CREATE to the name of the table
 * @param name as written
 * @param clauses between the name and the query: keys, distribution, properties
 */
record CreateTableAs(String head, String name, String clauses, String query) {

    /** Reads a statement; null if it is another one. The words stay where they are. */
    static @Nullable CreateTableAs read(Words words) {
        int start = words.index();
        try {
            return words.take("CREATE") && words.take("TABLE") ? afterTable(words) : null;
        } finally {
            words.go(start);
        }
    }

    private static @Nullable CreateTableAs afterTable(Words words) {
        boolean ifNotExists = words.takeAll("IF", "NOT", "EXISTS");
        int from = words.token().start();
        if (!words.token().type().isName()) {
            return null;
        }
        words.next();
        if (words.takeSymbol(".")) {
            words.next();
        }
        boolean columns = words.isSymbol("(") && !words.token(1).is("SELECT");
        int clausesFrom = words.token().start();
        String name = words.between(from, clausesFrom).strip();
        int depth = 0;
        while (!words.atEnd() && !(depth == 0 && beginsQuery(words))) {
            TokenType type = words.next().type();
            depth += type == TokenType.LEFT_PARENTHESIS ? 1 : type == TokenType.RIGHT_PARENTHESIS ? -1 : 0;
        }
        if (words.atEnd()) {
            return null;
        }
        if (columns) {
            throw StatementRefusedException.unsupported("CREATE TABLE of declared columns … AS SELECT");
        }
        String clauses = words.between(clausesFrom, words.token().start());
        words.take("AS");
        return new CreateTableAs("CREATE TABLE " + (ifNotExists ? "IF NOT EXISTS " : ""), name, clauses, words.rest());
    }

    private static boolean beginsQuery(Words words) {
        return words.is("AS")
                || words.is("SELECT")
                || (words.is("WITH") && !words.token(1).is("ROLLUP"))
                || (words.isSymbol("(") && words.token(1).is("SELECT"));
    }

    /** The statement that makes the table for these columns. */
    String create(List<OutputColumn> columns) {
        StringJoiner declared = new StringJoiner(", ", " (", ") ");
        for (OutputColumn column : columns) {
            declared.add(QueryColumns.sql(column));
        }
        return head + name + declared + clauses;
    }

    /** The statement that fills it. */
    String insert() {
        return "INSERT INTO " + name + " " + query;
    }
}
