package org.keyline.stores.duckdb.session;

import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.ddl.DeclaredColumn;
import org.keyline.planner.ddl.SqlText;
import org.keyline.planner.ddl.TableDefinition;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.duckdb.translate.OutputColumn;
import org.keyline.stores.duckdb.translate.ValueType;

/**
 * CREATE TABLE … AS SELECT, as the two statements that it comes to. A plain column has the type that its table declares, an expression
 * the widest of its kind.
 *
 * @param head from CREATE to the name of the table
 * @param name as written
 * @param clauses between the name and the query: keys, distribution, properties
 */
record CreateTableAs(String head, String name, String clauses, String query) {

    /** Reads a statement; null if it is another one. The words stay where they are. */
    static @Nullable CreateTableAs read(Words words) {
        int start = words.position();
        try {
            return words.take("CREATE") && words.take("TABLE") ? afterTable(words) : null;
        } finally {
            words.position(start);
        }
    }

    private static @Nullable CreateTableAs afterTable(Words words) {
        boolean ifNotExists = words.takeAll("IF", "NOT", "EXISTS");
        int from = words.peek().start();
        if (!words.peek().type().isName()) {
            return null;
        }
        words.next();
        if (words.takeSymbol(".")) {
            words.next();
        }
        boolean columns = words.atSymbol("(") && !words.peek(1).is("SELECT");
        int clausesFrom = words.peek().start();
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
        String clauses = words.between(clausesFrom, words.peek().start());
        words.take("AS");
        return new CreateTableAs("CREATE TABLE " + (ifNotExists ? "IF NOT EXISTS " : ""), name, clauses, words.rest());
    }

    private static boolean beginsQuery(Words words) {
        return words.at("AS")
                || words.at("SELECT")
                || words.at("WITH")
                || (words.atSymbol("(") && words.peek(1).is("SELECT"));
    }

    /** The statement that makes the table for these columns. */
    String create(List<OutputColumn> columns) {
        StringJoiner declared = new StringJoiner(", ", " (", ") ");
        for (OutputColumn column : columns) {
            declared.add(
                    SqlText.name(column.label()) + " " + type(column) + (column.nullable() ? " NULL" : " NOT NULL"));
        }
        return head + name + declared + clauses;
    }

    /** The statement that fills it. */
    String insert() {
        return "INSERT INTO " + name + " " + query;
    }

    private static String type(OutputColumn column) {
        OutputColumn.Origin origin = column.origin();
        TableDefinition table = origin == null ? null : origin.relation().definition();
        if (origin != null && table != null) {
            DeclaredColumn declared =
                    table.columns().get(table.ordinal(origin.column().name()));
            return declared.type().text();
        }
        ValueType type = column.type();
        return switch (type.family()) {
            case NULL, BOOLEAN -> "TINYINT";
            case INTEGER -> type.unsigned() ? "DECIMAL(20,0)" : "BIGINT";
            case DECIMAL -> "DECIMAL(" + (type.digits() == 0 ? 38 : type.digits()) + "," + type.scale() + ")";
            case DOUBLE -> "DOUBLE";
            case STRING, UNKNOWN -> "TEXT";
            case BYTES -> "BLOB";
            case DATE -> "DATE";
            case DATETIME -> "DATETIME" + digits(type);
            case TIME -> "TIME" + digits(type);
            case JSON -> "JSON";
            case INTERVAL, ROW ->
                throw StatementRefusedException.unsupported("such a column in CREATE TABLE … AS SELECT");
        };
    }

    private static String digits(ValueType type) {
        return type.scale() == 0 ? "" : "(" + type.scale() + ")";
    }
}
