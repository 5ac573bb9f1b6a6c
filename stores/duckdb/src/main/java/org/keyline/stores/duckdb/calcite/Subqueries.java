package org.keyline.stores.duckdb.calcite;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.ParserText;

/** IN, ANY and ALL of a subquery: its columns are compared as columns of any other table. */
final class Subqueries {

    private Subqueries() {}

    static SqlNode in(
            SqlNode left,
            SqlNode query,
            ExpressionTranslator expressions,
            QueryTranslator queries,
            ParserText text,
            NameScope scope) {
        List<Typed> row = left.getKind() == SqlKind.ROW
                ? expressions.all(((SqlCall) left).getOperandList())
                : List.of(expressions.translate(left));
        QueryTranslator.Result result = queries.nested(query, text, scope);
        if (result.columns().size() != row.size()) {
            throw new StatementRefusedException(1241, "21000", "Operand should contain " + row.size() + " column(s)");
        }
        if (row.size() == 1) {
            return some("=", row.get(0), result, expressions.translation());
        }
        // DuckDB compares rows as values, in which NULL equals NULL; MySQL does not.
        String alias = expressions.translation().freshName();
        List<SqlNode> equal = new ArrayList<>();
        List<SqlNode> names = new ArrayList<>();
        for (int i = 0; i < row.size(); i++) {
            names.add(Duck.name("c" + i));
            equal.add(Comparisons.compare(
                    "=",
                    row.get(i),
                    Typed.of(Duck.name(alias, "c" + i), result.columns().get(i).type())));
        }
        return Duck.around(
                "coalesce((SELECT max(CASE WHEN ",
                " FROM ",
                "), 0) = 1",
                Duck.around("", "", " THEN 1 ELSE 0 END)", Duck.chain("AND", equal)),
                Duck.derived(result.node(), alias, names));
    }

    static SqlNode quantified(
            String operator,
            boolean all,
            SqlNode left,
            SqlNode query,
            ExpressionTranslator expressions,
            QueryTranslator queries,
            ParserText text,
            NameScope scope) {
        if (left.getKind() == SqlKind.ROW || !QueryTranslator.isQuery(query)) {
            throw StatementRefusedException.unsupported("ANY and ALL of anything but one column");
        }
        Typed x = expressions.translate(left);
        QueryTranslator.Result result = queries.nested(query, text, scope);
        if (result.columns().size() != 1) {
            throw new StatementRefusedException(1241, "21000", "Operand should contain 1 column(s)");
        }
        if (all) {
            return Duck.prefix("NOT", some(inverse(operator), x, result, expressions.translation()));
        }
        return some(operator, x, result, expressions.translation());
    }

    private static String inverse(String operator) {
        return switch (operator) {
            case "=" -> "<>";
            case "<>" -> "=";
            case "<" -> ">=";
            case "<=" -> ">";
            case ">" -> "<=";
            default -> "<";
        };
    }

    /** {@code x operator ANY (query)}, both sides coerced. */
    private static SqlNode some(String operator, Typed x, QueryTranslator.Result query, Translation translation) {
        String alias = translation.freshName();
        Typed column = Typed.of(Duck.name(alias, "c"), query.columns().get(0).type());
        SqlNode[] sides = Comparisons.sides(x, column);
        SqlNode inner = Duck.around(
                "SELECT ",
                " FROM ",
                "",
                sides[1],
                Duck.around("(", ") AS ", "(\"c\")", query.node(), Duck.name(alias)));
        return Duck.around("(", " " + operator + " ANY (", "))", sides[0], inner);
    }
}
