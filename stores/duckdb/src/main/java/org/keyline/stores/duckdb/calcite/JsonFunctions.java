package org.keyline.stores.duckdb.calcite;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.calcite.sql.SqlNode;
import org.keyline.stores.duckdb.calcite.Functions.Function;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/** Functions of JSON, as far as DuckDB's answer alike. */
final class JsonFunctions {

    private JsonFunctions() {}

    static void register(Map<String, Function> all) {
        all.put("json_extract", c -> extract(c.arity(2, 2).arg(0), c.arg(1)));
        all.put(
                "json_unquote",
                c -> c.string(
                        Duck.call("json_extract_string", json(c.arity(1, 1).arg(0)), Duck.string("$"))));
        all.put(
                "json_valid",
                c -> Coercions.bool(Duck.call("json_valid", c.arity(1, 1).text(0))));
        all.put(
                "json_length",
                c -> c.integer(Duck.cast(
                        Duck.around(
                                "CASE json_type(",
                                "",
                                " END",
                                Duck.around(
                                        "",
                                        ") WHEN 'ARRAY' THEN ",
                                        "",
                                        json(c.arity(1, 1).arg(0)),
                                        Duck.around(
                                                "json_array_length(",
                                                ") WHEN 'OBJECT' THEN len(json_keys(",
                                                ")) ELSE 1",
                                                json(c.arg(0)),
                                                json(c.arg(0))))),
                        "BIGINT")));
        all.put("json_array", c -> {
            List<SqlNode> values = new ArrayList<>();
            c.args().forEach(x -> values.add(value(x)));
            return Typed.of(Duck.call("json_array", values), SqlType.JSON);
        });
        all.put("json_object", c -> {
            List<SqlNode> values = new ArrayList<>();
            for (int i = 0; i < c.size(); i++) {
                values.add(i % 2 == 0 ? c.text(i) : value(c.arg(i)));
            }
            return Typed.of(Duck.call("json_object", values), SqlType.JSON);
        });
        all.put(
                "json_contains_path",
                c -> Coercions.bool(Duck.call("json_exists", json(c.arity(3, 3).arg(0)), c.text(2))));
        all.put(
                "json_quote",
                c -> c.string(Duck.cast(Duck.call("to_json", c.arity(1, 1).text(0)), "VARCHAR")));
    }

    static Typed extract(Typed document, Typed path) {
        return Typed.of(
                Duck.call("json_extract", json(document), Coercions.text(path).node()), SqlType.JSON);
    }

    /** {@code document->>path}. */
    static Typed extractText(Typed document, Typed path) {
        return Typed.of(
                Duck.call(
                        "json_extract_string",
                        json(document),
                        Coercions.text(path).node()),
                SqlType.STRING);
    }

    private static SqlNode json(Typed x) {
        return x.family() == Family.JSON && !x.isParameter()
                ? x.node()
                : Duck.cast(Coercions.text(x).node(), "JSON");
    }

    private static SqlNode value(Typed x) {
        return switch (x.family()) {
            case DATE, DATETIME, TIME, STRING -> Coercions.text(x).node();
            default -> x.node();
        };
    }
}
