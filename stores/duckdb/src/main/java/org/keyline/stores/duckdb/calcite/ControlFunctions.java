package org.keyline.stores.duckdb.calcite;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.calcite.sql.SqlNode;
import org.keyline.stores.duckdb.calcite.Functions.Function;
import org.keyline.stores.duckdb.translate.SqlType;

/** IF, COALESCE and their like: all branches get one type. */
final class ControlFunctions {

    private ControlFunctions() {}

    static void register(Map<String, Function> all) {
        all.put("if", c -> {
            List<Typed> branches = List.of(c.arity(3, 3).arg(1), c.arg(2));
            SqlType common = Coercions.common(branches);
            return new Typed(
                    Duck.around(
                            "CASE WHEN ",
                            " THEN ",
                            " END",
                            Coercions.truth(c.arg(0)),
                            Duck.around(
                                    "",
                                    " ELSE ",
                                    "",
                                    Coercions.as(common, branches.get(0)),
                                    Coercions.as(common, branches.get(1)))),
                    common,
                    branches.get(0).nullable() || branches.get(1).nullable(),
                    null);
        });
        all.put("ifnull", c -> coalesce(c.arity(2, 2)));
        all.put("coalesce", c -> coalesce(c.arity(1, Integer.MAX_VALUE)));
        all.put("nvl", c -> coalesce(c.arity(2, 2)));
        all.put("nullif", c -> {
            Typed x = c.arity(2, 2).arg(0);
            return Typed.of(
                    Duck.around(
                            "CASE WHEN ", " THEN NULL ELSE ", " END", Comparisons.compare("=", x, c.arg(1)), x.node()),
                    x.type());
        });
        all.put(
                "isnull",
                c -> new Typed(Duck.postfix(c.arity(1, 1).arg(0).node(), "IS NULL"), SqlType.BOOLEAN, false, null));
        all.put("greatest", c -> extreme(c, "greatest"));
        all.put("least", c -> extreme(c, "least"));
        all.put("#group", c -> c.arg(0));
        all.put("any_value", c -> {
            Typed x = c.arity(1, 1).arg(0);
            return Typed.of(Duck.call("first", x.node()), x.type());
        });
    }

    private static Typed coalesce(FunctionCall c) {
        List<Typed> args = c.args();
        SqlType common = Coercions.common(args);
        boolean nullable = args.stream().allMatch(Typed::nullable);
        return new Typed(Duck.call("coalesce", Coercions.as(common, args)), common, nullable, null);
    }

    /** NULL if any is, which DuckDB's functions of these names are not. */
    private static Typed extreme(FunctionCall c, String name) {
        List<Typed> args = c.arity(2, Integer.MAX_VALUE).args();
        SqlType common = Coercions.common(args);
        List<SqlNode> nodes = Coercions.as(common, args);
        List<SqlNode> nulls = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            nulls.add(Duck.postfix(nodes.get(i), "IS NULL"));
        }
        return Typed.of(
                Duck.around("CASE WHEN ", " THEN NULL ELSE ", " END", Duck.chain("OR", nulls), Duck.call(name, nodes)),
                common);
    }
}
