package org.keyline.stores.duckdb.calcite;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.calcite.sql.SqlNode;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.calcite.Functions.Function;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/** Aggregates and functions of windows. Sums and averages of exact numbers stay exact. */
final class AggregateFunctions {

    private AggregateFunctions() {}

    static void register(Map<String, Function> all) {
        all.put("count", AggregateFunctions::count);
        all.put("sum", AggregateFunctions::sum);
        all.put("avg", AggregateFunctions::avg);
        all.put("min", c -> extreme(c, "min"));
        all.put("max", c -> extreme(c, "max"));
        for (String name : new String[] {"stddev_pop", "stddev_samp", "var_pop", "var_samp"}) {
            all.put(name, c -> Typed.of(c.over(Duck.call(name, c.arity(1, 1).toDouble(0))), SqlType.DOUBLE));
        }
        all.put(
                "std",
                c -> Typed.of(c.over(Duck.call("stddev_pop", c.arity(1, 1).toDouble(0))), SqlType.DOUBLE));
        all.put(
                "stddev",
                c -> Typed.of(c.over(Duck.call("stddev_pop", c.arity(1, 1).toDouble(0))), SqlType.DOUBLE));
        all.put(
                "variance",
                c -> Typed.of(c.over(Duck.call("var_pop", c.arity(1, 1).toDouble(0))), SqlType.DOUBLE));
        all.put("bit_and", c -> bits(c, "bit_and", "18446744073709551615"));
        all.put("bit_or", c -> bits(c, "bit_or", "0"));
        all.put("bit_xor", c -> bits(c, "bit_xor", "0"));
        for (String name : new String[] {"row_number", "rank", "dense_rank"}) {
            all.put(name, c -> Typed.of(c.over(Duck.call(name)), SqlType.INTEGER, false));
        }
        all.put("percent_rank", c -> Typed.of(c.over(Duck.call("percent_rank")), SqlType.DOUBLE, false));
        all.put("cume_dist", c -> Typed.of(c.over(Duck.call("cume_dist")), SqlType.DOUBLE, false));
        all.put("ntile", c -> c.integer(c.over(Duck.call("ntile", c.arity(1, 1).toInt(0)))));
        for (String name : new String[] {"first_value", "last_value"}) {
            all.put(name, c -> {
                Typed x = c.arity(1, 1).arg(0);
                return Typed.of(c.over(Duck.call(name, x.node())), x.type());
            });
        }
        all.put("nth_value", c -> {
            Typed x = c.arity(2, 2).arg(0);
            return Typed.of(c.over(Duck.call("nth_value", x.node(), c.toInt(1))), x.type());
        });
        all.put("lag", c -> shifted(c, "lag"));
        all.put("lead", c -> shifted(c, "lead"));
        all.put(
                "grouping",
                c -> c.integer(Duck.call("grouping", c.arity(1, 1).arg(0).node())));
    }

    private static Typed shifted(FunctionCall c, String name) {
        Typed x = c.arity(1, 3).arg(0);
        List<SqlNode> args = new ArrayList<>(List.of(x.node()));
        if (c.size() > 1) {
            args.add(c.toInt(1));
        }
        if (c.size() > 2) {
            args.add(Coercions.as(x.type(), c.arg(2)));
        }
        return Typed.of(c.over(Duck.call(name, args)), x.type());
    }

    private static SqlNode call(FunctionCall c, String name, SqlNode argument) {
        return c.over(c.distinct() ? Duck.around(name + "(DISTINCT ", "", ")", argument) : Duck.call(name, argument));
    }

    private static Typed count(FunctionCall c) {
        // Doris takes COUNT() for COUNT(*).
        if (c.size() == 0
                || (c.size() == 1 && c.raw(0) instanceof org.apache.calcite.sql.SqlIdentifier id && id.isStar())) {
            return Typed.of(c.over(Duck.call("count", Duck.raw("*"))), SqlType.INTEGER, false);
        }
        c.arity(1, c.distinct() ? Integer.MAX_VALUE : 1);
        if (c.size() == 1) {
            return Typed.of(call(c, "count", c.arg(0).node()), SqlType.INTEGER, false);
        }
        // A combination with a NULL in it is not counted.
        List<SqlNode> nodes = new ArrayList<>();
        List<SqlNode> present = new ArrayList<>();
        c.args().forEach(x -> {
            nodes.add(x.node());
            present.add(Duck.postfix(x.node(), "IS NOT NULL"));
        });
        SqlNode row = Duck.around("CASE WHEN ", " THEN ", " END", Duck.chain("AND", present), Duck.call("row", nodes));
        return Typed.of(call(c, "count", row), SqlType.INTEGER, false);
    }

    private static Typed sum(FunctionCall c) {
        Typed x = Coercions.number(c.arity(1, 1).arg(0));
        SqlNode sum = call(c, "sum", x.node());
        return switch (x.family()) {
            case INTEGER -> Typed.of(Duck.cast(sum, "DECIMAL(38,0)"), SqlType.decimal(38, 0));
            case DECIMAL -> Typed.of(sum, SqlType.decimal(38, x.type().scale()));
            default -> Typed.of(sum, SqlType.DOUBLE);
        };
    }

    private static Typed avg(FunctionCall c) {
        Typed x = Coercions.number(c.arity(1, 1).arg(0));
        if (x.family() != Family.INTEGER && x.family() != Family.DECIMAL) {
            return Typed.of(call(c, "avg", x.node()), SqlType.DOUBLE);
        }
        Typed sum = Typed.of(call(c, "sum", x.node()), x.type());
        return NumberFunctions.divide(sum, Typed.of(call(c, "count", x.node()), SqlType.INTEGER));
    }

    private static Typed extreme(FunctionCall c, String name) {
        Typed x = c.arity(1, 1).arg(0);
        SqlNode node = x.family() == Family.BOOLEAN ? Duck.cast(x.node(), "INTEGER") : x.node();
        SqlType type = x.family() == Family.BOOLEAN ? SqlType.INTEGER : x.type();
        return Typed.of(c.over(Duck.call(name, node)), type);
    }

    private static Typed bits(FunctionCall c, String name, String none) {
        SqlNode bits =
                Duck.call("keyline_bits", Coercions.toInteger(c.arity(1, 1).arg(0)));
        return Typed.of(
                Duck.call("coalesce", c.over(Duck.call(name, bits)), Duck.raw(none + "::UBIGINT")),
                SqlType.UNSIGNED,
                false);
    }

    /** GROUP_CONCAT([DISTINCT] a ORDER BY c SEPARATOR s). */
    static Typed concatenated(List<Typed> parts, boolean distinct, List<SqlNode> order, String separator) {
        if (parts.isEmpty()) {
            throw StatementRefusedException.syntax("GROUP_CONCAT needs an expression");
        }
        if (parts.size() > 1) {
            // MySQL joins the expressions, Doris takes the second for the separator.
            throw StatementRefusedException.unsupported(
                    "GROUP_CONCAT of several expressions; write CONCAT(a, b), or SEPARATOR 's'");
        }
        SqlNode text = Coercions.text(parts.get(0)).node();
        SqlNode head = distinct ? Duck.around("DISTINCT ", "", "", text) : text;
        SqlNode body = order.isEmpty()
                ? Duck.around("", ", ", "", head, Duck.string(separator))
                : Duck.around(
                        "",
                        " ORDER BY ",
                        "",
                        Duck.around("", ", ", "", head, Duck.string(separator)),
                        Duck.around("", ", ", "", order.toArray(new SqlNode[0])));
        return Typed.of(Duck.call("string_agg", body), SqlType.STRING);
    }
}
