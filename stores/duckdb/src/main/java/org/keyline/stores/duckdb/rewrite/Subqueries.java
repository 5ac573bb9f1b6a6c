package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.List;

/** IN, ANY and ALL of a subquery. The subquery's columns are compared like those of a table. */
final class Subqueries {
    private Subqueries() {}

    static Sql in(Typed left, Queries.Result query, Rewriting rewriting) {
        int size = Math.max(left.row().size(), 1);
        if (query.columns().size() != size) {
            throw Rewriting.operands(size);
        }
        if (left.row().isEmpty()) {
            return some("=", left, query, rewriting);
        }
        // DuckDB compares rows as values, in which NULL equals NULL. In MySQL it does not.
        String alias = rewriting.freshName();
        List<Sql> equal = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            Typed column =
                    Typed.of(Sql.name(alias, "c" + i), query.columns().get(i).type());
            equal.add(Comparisons.compare("=", left.row().get(i), column));
        }
        return Sql.of(
                "coalesce((SELECT max(CASE WHEN {} THEN 1 ELSE 0 END) FROM {}), 0) = 1",
                Sql.chain("AND", equal),
                Sql.derived(query.sql(), alias, size));
    }

    static Sql quantified(String operator, boolean all, Typed x, Queries.Result query, Rewriting rewriting) {
        if (query.columns().size() != 1) {
            throw Rewriting.operands(1);
        }
        return all
                ? Sql.of("(NOT {})", some(inverse(operator), x, query, rewriting))
                : some(operator, x, query, rewriting);
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

    /** Returns {@code x operator ANY (query)}, with both sides coerced. */
    private static Sql some(String operator, Typed x, Queries.Result query, Rewriting rewriting) {
        String alias = rewriting.freshName();
        Typed column = Typed.of(Sql.name(alias, "c0"), query.columns().get(0).type());
        Sql[] sides = Comparisons.sides(x, column);
        return Sql.of(
                "({} " + operator + " ANY (SELECT {} FROM {}))",
                sides[0],
                sides[1],
                Sql.derived(query.sql(), alias, 1));
    }
}
