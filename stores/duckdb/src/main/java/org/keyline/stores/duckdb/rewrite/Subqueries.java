package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.List;

/** Writes IN with a subquery. Columns of the subquery are compared like columns of a table. */
final class Subqueries {
    private Subqueries() {}

    static Sql in(Typed left, Queries.Result query, Rewriting rewriting) {
        int size = Math.max(left.row().size(), 1);
        if (query.columns().size() != size) {
            throw Rewriting.operands(size);
        }
        String alias = rewriting.freshName();
        Sql derived = Sql.derived(query.sql(), alias, size);
        if (left.row().isEmpty()) {
            Typed column =
                    Typed.of(Sql.name(alias, "c0"), query.columns().get(0).type());
            Sql[] sides = Comparisons.sides(left, column);
            return Sql.of("({} = ANY (SELECT {} FROM {}))", sides[0], sides[1], derived);
        }
        // In DuckDB's comparison of rows, NULL equals NULL, unlike in MySQL. So CASE tests a
        // maximum: 2 if a row is equal, 1 if a row might be equal, and 0 if no row is equal.
        List<Sql> equal = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            Typed column =
                    Typed.of(Sql.name(alias, "c" + i), query.columns().get(i).type());
            equal.add(Comparisons.compare("=", left.row().get(i), column));
        }
        return Sql.of(
                "CASE coalesce((SELECT max(coalesce(2 * CAST({} AS INTEGER), 1)) FROM {}), 0)"
                        + " WHEN 2 THEN TRUE WHEN 0 THEN FALSE END",
                Sql.chain("AND", equal),
                derived);
    }
}
