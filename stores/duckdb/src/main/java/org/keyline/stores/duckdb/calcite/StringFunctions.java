package org.keyline.stores.duckdb.calcite;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.calcite.sql.SqlNode;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.calcite.Functions.Function;
import org.keyline.stores.duckdb.translate.DuckMacros;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/** Functions of text and bytes. Positions count from 1 in characters, as both sides do; lengths count bytes where MySQL's do. */
final class StringFunctions {
    /** Of one character in UTF-8, at most: so MySQL counts texts that are padded. */
    private static final int CHARACTER_BYTES = 4;

    /** Arguments that are joined without a look at their lengths, if no function made them. */
    private static final int FEW = 8;

    private static final Pattern ARGUMENT = Pattern.compile("\\ba\\d+\\b");

    /** How long a0 is with every a1 replaced by a2; its occurrences are counted only where they may matter. */
    private static final String REPLACED_BYTES = "strlen(a0) + CASE WHEN strlen(a1) = 0 OR strlen(a2) <= strlen(a1)"
            + " OR strlen(a0) // strlen(a1) * strlen(a2) <= " + DuckMacros.MAX_TEXT_BYTES + " - strlen(a0) THEN 0 ELSE"
            + " (strlen(a0) - strlen(replace(a0, a1, ''))) // strlen(a1) * (strlen(a2) - strlen(a1)) END";

    /** How long a0 is at most with every match of a1 replaced by a2, which may name groups of the match. */
    private static final String MATCHED_BYTES = "CASE WHEN (strlen(a0) + 1) * (strlen(a2) + 1) <= "
            + DuckMacros.MAX_TEXT_BYTES + " AND strlen(a0) * (strlen(a2) + 1) <= " + DuckMacros.MAX_TEXT_BYTES
            + " THEN 0 ELSE strlen(a0) * (1 + strlen(a2) - strlen(replace(a2, '\\', '')))"
            + " + len(regexp_extract_all(a0, a1)) * strlen(a2) END";

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
        all.put("concat", StringFunctions::concat);
        all.put("concat_ws", c -> {
            List<SqlNode> texts = new ArrayList<>(c.arity(2, Integer.MAX_VALUE).texts());
            String separators = (texts.size() - 2) + " * strlen(" + argument(0) + ")";
            // A separator that is NULL makes NULL of all.
            return c.string(bounded(
                    joined(texts.size(), i -> "coalesce(strlen(" + argument(i) + "), 0)", " + ") + " + " + separators,
                    "CASE WHEN " + argument(0) + " IS NULL THEN NULL ELSE concat_ws("
                            + joined(texts.size(), StringFunctions::argument, ", ") + ") END",
                    varchars(texts)));
        });
        // DuckDB makes a capital of the sharp s, which MySQL leaves as it is.
        Function upper = c -> c.string(Duck.call(
                "replace", Duck.call("upper", c.arity(1, 1).text(0)), Duck.string("\u1E9E"), Duck.string("\u00DF")));
        Function lower = c -> c.string(Duck.call("lower", c.arity(1, 1).text(0)));
        all.put("upper", upper);
        all.put("ucase", upper);
        all.put("lower", lower);
        all.put("lcase", lower);
        all.put(
                "replace",
                c -> c.string(bounded(
                        REPLACED_BYTES,
                        "CASE WHEN a1 = '' THEN a0 ELSE replace(a0, a1, a2) END",
                        varchars(c.arity(3, 3).texts()))));
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
        all.put(
                "quote",
                c -> c.string(bounded(
                        "2 * strlen(a0) + 2",
                        "keyline_quote(a0)",
                        varchars(c.arity(1, 1).texts()))));
        all.put("format", StringFunctions::format);
        all.put(
                "regexp_replace",
                c -> c.string(bounded(
                        MATCHED_BYTES,
                        "regexp_replace(a0, a1, a2, 'g')",
                        varchars(c.arity(3, 3).texts()))));
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
                                Duck.infix(n, ">", Duck.number(DuckMacros.MAX_TEXT_BYTES / CHARACTER_BYTES)))),
                Duck.around("THEN NULL WHEN ", " THEN '' ELSE ", "", nothing, Duck.call(name, s, n, p))));
    }

    private static Typed insert(FunctionCall c) {
        List<SqlNode> texts = c.arity(4, 4).texts();
        return c.string(bounded(
                "strlen(a0) + strlen(a1)",
                "CASE WHEN a2 < 1 OR a2 > length(a0) THEN a0"
                        + " ELSE left(a0, a2 - 1) || a1 || substr(a0, a2 + CASE WHEN a3 < 0 THEN length(a0) ELSE a3 END) END",
                List.of(
                        Duck.cast(texts.get(0), "VARCHAR"),
                        Duck.cast(texts.get(3), "VARCHAR"),
                        Duck.cast(c.toInt(1), "BIGINT"),
                        Duck.cast(c.toInt(2), "BIGINT"))));
    }

    private static Typed concat(FunctionCall c) {
        List<Typed> args = c.arity(1, Integer.MAX_VALUE).args();
        boolean bytes = args.stream().anyMatch(x -> x.family() == Family.BYTES && !x.isParameter());
        List<SqlNode> nodes = bytes ? args.stream().map(Coercions::bytes).toList() : varchars(c.texts());
        boolean plain = args.size() <= FEW && args.stream().allMatch(StringFunctions::isGiven);
        String length = bytes ? "octet_length(" : "strlen(";
        SqlNode joined = plain
                ? Duck.chain("||", nodes)
                : bounded(
                        joined(nodes.size(), i -> length + argument(i) + ")", " + "),
                        joined(nodes.size(), StringFunctions::argument, " || "),
                        nodes);
        return bytes ? Typed.of(joined, SqlType.BYTES) : c.string(joined);
    }

    /** Whether a value was stored or sent as it is, or is short: no function made it long. */
    private static boolean isGiven(Typed x) {
        return x.isParameter()
                || x.origin() != null
                || x.type().numeric()
                || x.type().temporal();
    }

    private static List<SqlNode> varchars(List<SqlNode> texts) {
        return texts.stream().map(x -> Duck.cast(x, "VARCHAR")).toList();
    }

    private static String argument(int i) {
        return "a" + i;
    }

    private static String joined(int count, IntFunction<String> part, String between) {
        return IntStream.range(0, count).mapToObj(part).collect(Collectors.joining(between));
    }

    /**
     * A value that a function makes of texts; NULL if it would be longer than a packet, as in MySQL. That is decided before it is made,
     * since DuckDB does not count such texts against its memory. A lambda computes each argument once.
     *
     * @param bytes how long the value would be, of the arguments a0, a1, …
     * @param value the value, of the same
     */
    private static SqlNode bounded(String bytes, String value, List<SqlNode> arguments) {
        List<SqlNode> fields = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            fields.add(Duck.around("'" + argument(i) + "': ", "", "", arguments.get(i)));
        }
        String body = "CASE WHEN " + bytes + " > " + DuckMacros.MAX_TEXT_BYTES + " THEN NULL ELSE " + value + " END";
        return Duck.around(
                "list_transform([{",
                ", ",
                "}], lambda keyline_of: " + ARGUMENT.matcher(body).replaceAll("keyline_of.$0") + ")[1]",
                fields.toArray(new SqlNode[0]));
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
                    : c.string(bounded("2 * octet_length(a0)", "hex(a0)", List.of(Coercions.bytes(x))));
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
                c -> c.string(bounded(
                        "(octet_length(a0) + 2) // 3 * 4",
                        "to_base64(a0)",
                        List.of(Coercions.bytes(c.arity(1, 1).arg(0))))));
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
