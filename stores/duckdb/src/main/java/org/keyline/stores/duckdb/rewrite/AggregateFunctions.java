package org.keyline.stores.duckdb.rewrite;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;
import org.keyline.stores.duckdb.translate.Tokens;

/** Writes the aggregate functions. Sums and averages of exact numbers are exact. */
final class AggregateFunctions {
    private static final Set<String> NAMES = Set.of("count sum avg min max group_concat std stddev stddev_pop"
            .concat(" stddev_samp var_pop var_samp variance any_value approx_count_distinct ndv")
            .split(" ", -1));

    private AggregateFunctions() {}

    /** Returns whether tokens between two indexes, outside of subqueries, call an aggregate. */
    static boolean areIn(Tokens tokens, int from, int to) {
        for (int i = from; i < to; i++) {
            boolean call = tokens.at(i + 1).type() == TokenType.LEFT_PARENTHESIS;
            if (tokens.at(i).type() == TokenType.LEFT_PARENTHESIS
                    && tokens.at(i + 1).is("SELECT")) {
                i = tokens.behind(i) - 1;
            } else if (call
                    && tokens.at(i).type() == TokenType.WORD
                    && NAMES.contains(tokens.at(i).text().toLowerCase(Locale.ROOT))) {
                return true;
            }
        }
        return false;
    }

    static void register(Map<String, Function<FunctionCall, Typed>> all) {
        all.put("count", AggregateFunctions::count);
        all.put("sum", AggregateFunctions::sum);
        all.put("avg", AggregateFunctions::avg);
        all.put("min", c -> extreme(c, "min"));
        all.put("max", c -> extreme(c, "max"));
    }

    private static Sql call(FunctionCall c, String name, Sql argument) {
        return Sql.of(name + (c.distinct() ? "(DISTINCT {})" : "({})"), argument);
    }

    private static Typed count(FunctionCall c) {
        if (c.size() == 0) {
            return Typed.of(Sql.raw("count(*)"), SqlType.INTEGER, false);
        }
        c.arity(1, c.distinct() ? Integer.MAX_VALUE : 1);
        if (c.size() == 1) {
            return Typed.of(call(c, "count", c.arg(0).sql()), SqlType.INTEGER, false);
        }
        // COUNT(DISTINCT a, b) does not count rows in which an argument is NULL.
        List<Sql> values = c.arguments().stream().map(Typed::sql).toList();
        List<Sql> present =
                values.stream().map(x -> Sql.of("({} IS NOT NULL)", x)).toList();
        Sql row = Sql.of("CASE WHEN {} THEN {} END", Sql.chain("AND", present), Sql.call("row", values));
        return Typed.of(call(c, "count", row), SqlType.INTEGER, false);
    }

    private static Typed sum(FunctionCall c) {
        Typed x = Coercions.number(c.arity(1, 1).arg(0));
        Sql sum = call(c, "sum", x.sql());
        return switch (x.family()) {
            case INTEGER -> Typed.of(Sql.cast(sum, "DECIMAL(38,0)"), SqlType.decimal(38, 0));
            case DECIMAL ->
                Operators.exact(
                        sum, c.arg(0).scale(), SqlType.decimal(38, x.type().scale()));
            default -> Typed.computed(sum);
        };
    }

    private static Typed avg(FunctionCall c) {
        Typed x = Coercions.number(c.arity(1, 1).arg(0));
        if (!Operators.isExact(x)) {
            return Typed.computed(call(c, "avg", x.sql()));
        }
        Typed sum = Operators.exact(call(c, "sum", x.sql()), c.arg(0).scale(), x.type());
        return Operators.divide(sum, Typed.of(call(c, "count", x.sql()), SqlType.INTEGER), false);
    }

    private static Typed extreme(FunctionCall c, String name) {
        Typed x = c.arity(1, 1).arg(0);
        boolean truth = x.family() == Family.BOOLEAN;
        if (x.family() == Family.DECIMAL) {
            return Operators.exact(Sql.call(name, x.open().sql()), x.scale(), x.type());
        }
        return Typed.of(
                Sql.call(name, truth ? Sql.cast(x.sql(), "INTEGER") : x.sql()), truth ? SqlType.INTEGER : x.type());
    }
}
