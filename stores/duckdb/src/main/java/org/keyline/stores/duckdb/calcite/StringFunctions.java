package org.keyline.stores.duckdb.calcite;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.calcite.sql.SqlNode;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.calcite.Functions.Function;
import org.keyline.stores.duckdb.translate.DuckMacros;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/** Functions of text and bytes. Positions count from 1 in characters, as both sides do; lengths count bytes where MySQL's do. */
final class StringFunctions {

    private StringFunctions() {}

    static void register(Map<String, Function> all) {
        lengths(all);
        parts(all);
        changes(all);
        codes(all);
    }

    private static void lengths(Map<String, Function> all) {
        Function bytes = c -> c.integer(
                Duck.call("octet_length", Coercions.bytes(c.arity(1, 1).arg(0))));
        all.put("length", bytes);
        all.put("octet_length", bytes);
        Function characters = c -> {
            Typed x = c.arity(1, 1).arg(0);
            return x.family() == Family.BYTES
                    ? c.integer(Duck.call("octet_length", Coercions.bytes(x)))
                    : c.integer(Duck.call("length", Coercions.text(x).node()));
        };
        all.put("char_length", characters);
        all.put("character_length", characters);
        all.put(
                "bit_length",
                c -> c.integer(Duck.infix(
                        Duck.call("octet_length", Coercions.bytes(c.arity(1, 1).arg(0))), "*", Duck.number(8))));
        all.put(
                "locate",
                c -> c.arity(2, 3).size() == 2 ? c.integer(Duck.call("instr", c.text(1), c.text(0))) : locateFrom(c));
        all.put("position", c -> c.integer(Duck.call("instr", c.arity(2, 2).text(1), c.text(0))));
        all.put("instr", c -> c.integer(Duck.call("instr", c.arity(2, 2).text(0), c.text(1))));
        all.put("strcmp", c -> {
            SqlNode a = c.arity(2, 2).text(0);
            SqlNode b = c.text(1);
            return c.integer(Duck.around(
                    "CASE WHEN ",
                    " ",
                    " THEN 0 END",
                    Duck.infix(a, "<", b),
                    Duck.around("THEN -1 WHEN ", " THEN 1 WHEN ", "", Duck.infix(a, ">", b), Duck.infix(a, "=", b))));
        });
        all.put(
                "find_in_set",
                c -> c.integer(Duck.call("keyline_find_in_set", c.arity(2, 2).text(0), c.text(1))));
        all.put("field", StringFunctions::field);
        all.put("elt", StringFunctions::elt);
    }

    private static Typed locateFrom(FunctionCall c) {
        SqlNode from = c.toInt(2);
        SqlNode found = Duck.call("instr", Duck.call("substr", c.text(1), from), c.text(0));
        SqlNode position = Duck.infix(Duck.infix(found, "+", from), "-", Duck.number(1));
        return c.integer(Duck.around(
                "CASE WHEN ",
                " THEN 0 ELSE ",
                " END",
                Duck.chain(
                        "OR", List.of(Duck.infix(from, "<", Duck.number(1)), Duck.infix(found, "=", Duck.number(0)))),
                position));
    }

    private static Typed field(FunctionCall c) {
        c.arity(2, Integer.MAX_VALUE);
        Typed x = c.arg(0);
        List<SqlNode> cases = new ArrayList<>();
        for (int i = 1; i < c.size(); i++) {
            cases.add(Duck.around("WHEN ", " THEN ", "", Comparisons.compare("=", x, c.arg(i)), Duck.number(i)));
        }
        return c.integer(Duck.around("CASE ", " ", " ELSE 0 END", cases.toArray(new SqlNode[0])));
    }

    private static Typed elt(FunctionCall c) {
        c.arity(2, Integer.MAX_VALUE);
        SqlNode n = c.toInt(0);
        List<SqlNode> cases = new ArrayList<>();
        for (int i = 1; i < c.size(); i++) {
            cases.add(Duck.around("WHEN ", " THEN ", "", Duck.infix(n, "=", Duck.number(i)), c.text(i)));
        }
        return c.string(Duck.around("CASE ", " ", " ELSE NULL END", cases.toArray(new SqlNode[0])));
    }

    private static void parts(Map<String, Function> all) {
        Function substring = c -> {
            SqlNode s = c.arity(2, 3).text(0);
            SqlNode from = c.toInt(1);
            SqlNode part = c.size() == 2
                    ? Duck.call("substr", s, from)
                    : Duck.call("substr", s, from, Duck.call("greatest", c.toInt(2), Duck.number(0)));
            // Position 0 is nowhere to MySQL; a negative one before the beginning neither.
            return c.string(Duck.around(
                    "CASE WHEN ",
                    " THEN '' ELSE ",
                    " END",
                    Duck.chain(
                            "OR",
                            List.of(
                                    Duck.infix(from, "=", Duck.number(0)),
                                    Duck.infix(from, "<", Duck.prefix("-", Duck.call("length", s))))),
                    part));
        };
        all.put("substring", substring);
        all.put("substr", substring);
        all.put("mid", substring);
        all.put(
                "left",
                c -> c.string(
                        Duck.call("left", c.arity(2, 2).text(0), Duck.call("greatest", c.toInt(1), Duck.number(0)))));
        all.put(
                "right",
                c -> c.string(
                        Duck.call("right", c.arity(2, 2).text(0), Duck.call("greatest", c.toInt(1), Duck.number(0)))));
        all.put(
                "substring_index",
                c -> c.string(Duck.call("keyline_substring_index", c.arity(3, 3).text(0), c.text(1), c.toInt(2))));
        all.put("trim", StringFunctions::trim);
        all.put("ltrim", c -> c.string(Duck.call("ltrim", c.arity(1, 1).text(0), Duck.string(" "))));
        all.put("rtrim", c -> c.string(Duck.call("rtrim", c.arity(1, 1).text(0), Duck.string(" "))));
    }

    private static Typed trim(FunctionCall c) {
        c.arity(1, 3);
        String side = c.marked(0);
        int first = side == null ? 0 : 1;
        int count = c.size() - first;
        SqlNode text = c.text(c.size() - 1);
        if (count == 1) {
            return c.string(Duck.call(trimName(side), text, Duck.string(" ")));
        }
        // DuckDB trims any of the characters; MySQL the whole string, repeatedly.
        SqlNode pattern = Duck.call("regexp_escape", c.text(first));
        SqlNode result = text;
        if (!"TRAILING".equals(side)) {
            result = Duck.call(
                    "regexp_replace", result, Duck.around("('^(' || ", "", " || ')+')", pattern), Duck.string(""));
        }
        if (!"LEADING".equals(side)) {
            result = Duck.call(
                    "regexp_replace", result, Duck.around("('(' || ", "", " || ')+$')", pattern), Duck.string(""));
        }
        return c.string(result);
    }

    private static String trimName(@org.jspecify.annotations.Nullable String side) {
        return "LEADING".equals(side) ? "ltrim" : "TRAILING".equals(side) ? "rtrim" : "trim";
    }

    private static void changes(Map<String, Function> all) {
        all.put("concat", c -> {
            List<Typed> args = c.arity(1, Integer.MAX_VALUE).args();
            if (args.stream().anyMatch(x -> x.family() == Family.BYTES && !x.isParameter())) {
                return Typed.of(
                        Duck.chain("||", args.stream().map(Coercions::bytes).toList()), SqlType.BYTES);
            }
            return c.string(Duck.chain(
                    "||", c.texts().stream().map(x -> Duck.cast(x, "VARCHAR")).toList()));
        });
        all.put("concat_ws", c -> {
            SqlNode separator = c.arity(2, Integer.MAX_VALUE).text(0);
            List<SqlNode> nodes = new ArrayList<>(c.texts());
            // A separator that is NULL makes NULL of all.
            return c.string(Duck.around(
                    "CASE WHEN ",
                    " IS NULL THEN NULL ELSE ",
                    " END",
                    Duck.cast(separator, "VARCHAR"),
                    Duck.call("concat_ws", nodes)));
        });
        // DuckDB makes a capital of the sharp s, which MySQL leaves as it is.
        Function upper = c -> c.string(Duck.call(
                "replace", Duck.call("upper", c.arity(1, 1).text(0)), Duck.string("\u1E9E"), Duck.string("\u00DF")));
        Function lower = c -> c.string(Duck.call("lower", c.arity(1, 1).text(0)));
        all.put("upper", upper);
        all.put("ucase", upper);
        all.put("lower", lower);
        all.put("lcase", lower);
        all.put("replace", c -> {
            SqlNode s = c.arity(3, 3).text(0);
            SqlNode from = c.text(1);
            return c.string(Duck.around(
                    "CASE WHEN ",
                    " = '' THEN ",
                    " END",
                    from,
                    Duck.around("", " ELSE ", "", s, Duck.call("replace", s, from, c.text(2)))));
        });
        all.put("reverse", c -> c.string(Duck.call("reverse", c.arity(1, 1).text(0))));
        all.put(
                "repeat",
                c -> c.string(Duck.call("keyline_repeat", c.arity(2, 2).text(0), c.toInt(1))));
        all.put(
                "space",
                c -> c.string(Duck.call(
                        "keyline_repeat", Duck.string(" "), c.arity(1, 1).toInt(0))));
        all.put("lpad", c -> pad(c, "lpad"));
        all.put("rpad", c -> pad(c, "rpad"));
        all.put("insert", StringFunctions::insert);
        all.put("quote", c -> c.string(Duck.call("keyline_quote", c.arity(1, 1).text(0))));
        all.put("format", StringFunctions::format);
        all.put(
                "regexp_replace",
                c -> c.string(
                        Duck.call("regexp_replace", c.arity(3, 3).text(0), c.text(1), c.text(2), Duck.string("g"))));
        all.put(
                "regexp_like",
                c -> Coercions.bool(Duck.call("regexp_matches", c.arity(2, 2).text(0), c.text(1))));
        all.put(
                "regexp_substr",
                c -> c.string(Duck.call(
                        "nullif", Duck.call("regexp_extract", c.arity(2, 2).text(0), c.text(1)), Duck.string(""))));
    }

    private static Typed format(FunctionCall c) {
        long digits = Math.max(Math.min(c.arity(2, 2).integerLiteral(1), 30), 0);
        Typed x = Coercions.number(c.arg(0));
        if (x.family() == Family.INTEGER || x.family() == Family.DECIMAL) {
            SqlNode exact = Duck.cast(x.node(), "DECIMAL(38," + x.type().scale() + ")");
            SqlNode rounded = Duck.call("round", exact, Duck.number(digits));
            return c.string(Duck.call("keyline_grouped", Duck.cast(rounded, "VARCHAR"), Duck.number(digits)));
        }
        return c.string(Duck.call(
                "format",
                Duck.string("{:,." + digits + "f}"),
                Duck.call("round", Coercions.toDouble(x), Duck.number(digits))));
    }

    private static Typed pad(FunctionCall c, String name) {
        SqlNode s = c.arity(3, 3).text(0);
        SqlNode n = c.toInt(1);
        SqlNode p = c.text(2);
        SqlNode nothing = Duck.chain(
                "AND", List.of(Duck.infix(p, "=", Duck.string("")), Duck.infix(Duck.call("length", s), "<", n)));
        return c.string(Duck.around(
                "CASE WHEN ",
                " ",
                " END",
                Duck.chain(
                        "OR",
                        List.of(
                                Duck.infix(n, "<", Duck.number(0)),
                                Duck.infix(n, ">", Duck.number(DuckMacros.MAX_TEXT_BYTES)))),
                Duck.around("THEN NULL WHEN ", " THEN '' ELSE ", "", nothing, Duck.call(name, s, n, p))));
    }

    private static Typed insert(FunctionCall c) {
        SqlNode s = c.arity(4, 4).text(0);
        SqlNode from = c.toInt(1);
        SqlNode n = c.toInt(2);
        SqlNode length = Duck.call("length", s);
        SqlNode count = Duck.around("CASE WHEN ", " < 0 THEN ", " END", n, Duck.around("", " ELSE ", "", length, n));
        SqlNode whole = Duck.chain(
                "||",
                List.of(
                        Duck.call("left", s, Duck.infix(from, "-", Duck.number(1))),
                        c.text(3),
                        Duck.call("substr", s, Duck.infix(from, "+", count))));
        SqlNode outside =
                Duck.chain("OR", List.of(Duck.infix(from, "<", Duck.number(1)), Duck.infix(from, ">", length)));
        return c.string(Duck.around("CASE WHEN ", " THEN ", " END", outside, Duck.around("", " ELSE ", "", s, whole)));
    }

    private static void codes(Map<String, Function> all) {
        all.put("ascii", c -> {
            SqlNode s = Coercions.bytes(c.arity(1, 1).arg(0));
            return c.integer(Duck.call(
                    "coalesce",
                    Duck.cast(
                            Duck.around(
                                    "('0x' || ",
                                    "",
                                    ")",
                                    Duck.call(
                                            "nullif",
                                            Duck.call("left", Duck.call("hex", s), Duck.number(2)),
                                            Duck.string(""))),
                            "INTEGER"),
                    Duck.around("CASE WHEN ", "", " IS NULL THEN NULL ELSE 0 END", s)));
        });
        all.put("char", c -> {
            if (c.size() != 1 && c.marked(c.size() - 1) == null && c.size() > 8) {
                throw StatementRefusedException.unsupported("CHAR of more than 8 numbers");
            }
            List<SqlNode> parts = new ArrayList<>();
            for (int i = 0; i < c.size(); i++) {
                if (!(c.raw(i) instanceof org.apache.calcite.sql.SqlIdentifier)) {
                    parts.add(Duck.call("chr", c.toInt(i)));
                }
            }
            return c.string(Duck.chain("||", parts));
        });
        all.put("hex", c -> {
            Typed x = c.arity(1, 1).arg(0);
            return x.type().numeric()
                    ? c.string(Duck.call("hex", Duck.call("keyline_bits", Coercions.toInteger(x))))
                    : c.string(Duck.call("hex", Coercions.bytes(x)));
        });
        all.put(
                "unhex",
                c -> Typed.of(Duck.call("try", Duck.call("unhex", c.arity(1, 1).text(0))), SqlType.BYTES));
        all.put(
                "md5",
                c -> c.string(Duck.call("md5", Coercions.bytes(c.arity(1, 1).arg(0)))));
        Function sha1 =
                c -> c.string(Duck.call("sha1", Coercions.bytes(c.arity(1, 1).arg(0))));
        all.put("sha1", sha1);
        all.put("sha", sha1);
        all.put("sha2", c -> {
            long bits = c.arity(2, 2).integerLiteral(1);
            if (bits != 256 && bits != 0) {
                throw StatementRefusedException.unsupported("SHA2 of " + bits + " bits");
            }
            return c.string(Duck.call("sha256", Coercions.bytes(c.arg(0))));
        });
        all.put(
                "to_base64",
                c -> c.string(
                        Duck.call("to_base64", Coercions.bytes(c.arity(1, 1).arg(0)))));
        all.put(
                "from_base64",
                c -> Typed.of(
                        Duck.call("try", Duck.call("from_base64", c.arity(1, 1).text(0))), SqlType.BYTES));
        all.put(
                "bin",
                c -> c.string(Duck.call(
                        "bin",
                        Duck.call(
                                "keyline_bits",
                                Coercions.toInteger(c.arity(1, 1).arg(0))))));
        all.put("uuid", c -> c.string(Duck.cast(Duck.call("uuid"), "VARCHAR")));
    }
}
