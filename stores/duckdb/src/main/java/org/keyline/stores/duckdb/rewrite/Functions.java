package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.Conversion;
import org.keyline.stores.duckdb.translate.Parameter.Source;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/**
 * Writes the functions that cannot be {@link Macros}: those with a variable number of arguments,
 * with a result that depends on the arguments' types, or with a value of the session.
 */
final class Functions {
    private static final int MANY = Integer.MAX_VALUE;
    /** Functions that, as in MariaDB, can report a number without logarithm as division by zero. */
    private static final Set<String> LOGARITHMS = Set.of("ln", "log", "log10", "log2");

    private static final Map<String, Function<FunctionCall, Typed>> TYPED = typed();

    private Functions() {}

    static boolean exists(String name) {
        return TYPED.containsKey(name.toLowerCase(Locale.ROOT)) || Macros.exists(name);
    }

    /** Returns the call of an existing function. */
    static Typed call(FunctionCall call) {
        String name = call.name().toLowerCase(Locale.ROOT);
        Function<FunctionCall, Typed> function = TYPED.get(name);
        Typed result = function == null ? Macros.call(call) : function.apply(call);
        if (LOGARITHMS.contains(name) && call.expressions().zeroDivisionFails()) {
            List<Sql> numbers =
                    call.arguments().stream().map(Coercions::toDouble).toList();
            return Typed.computed(Sql.call("keyline_logarithm", result.open().sql(), Sql.chain("+", numbers)));
        }
        return TextRoom.held(call, result);
    }

    private static Map<String, Function<FunctionCall, Typed>> typed() {
        Map<String, Function<FunctionCall, Typed>> all = new HashMap<>();
        control(all);
        texts(all);
        numbers(all);
        AggregateFunctions.register(all);
        DateFunctions.register(all);
        session(all);
        return all;
    }

    private static void put(
            Map<String, Function<FunctionCall, Typed>> all, Function<FunctionCall, Typed> function, String... names) {
        Arrays.stream(names).forEach(name -> all.put(name, function));
    }

    private static void control(Map<String, Function<FunctionCall, Typed>> all) {
        all.put("if", c -> {
            List<Typed> branches = c.arity(3, 3).arguments().subList(1, 3);
            Sql condition = Coercions.truth(c.arg(0));
            return Coercions.merged(
                    branches,
                    branches.get(0).nullable() || branches.get(1).nullable(),
                    values -> Sql.of("CASE WHEN {} THEN {} ELSE {} END", condition, values.get(0), values.get(1)));
        });
        put(all, c -> coalesce(c.arity(2, 2)), "ifnull", "nvl");
        all.put("coalesce", c -> coalesce(c.arity(1, MANY)));
        all.put("nullif", c -> {
            Typed x = c.arity(2, 2).arg(0);
            Sql equal = Comparisons.compare("=", x, c.arg(1));
            return Operators.exact(
                    Sql.of(
                            "CASE WHEN {} THEN NULL ELSE {} END",
                            equal,
                            Coercions.opened(x).sql()),
                    x.scale(),
                    x.type());
        });
        all.put("greatest", c -> extreme(c, "greatest"));
        all.put("least", c -> extreme(c, "least"));
    }

    private static Typed coalesce(FunctionCall c) {
        boolean nullable = c.arguments().stream().allMatch(Typed::nullable);
        return Coercions.merged(c.arguments(), nullable, values -> Sql.call("coalesce", values));
    }

    /** Writes GREATEST or LEAST. Unlike in DuckDB, the result is NULL if any argument is NULL. */
    private static Typed extreme(FunctionCall c, String name) {
        if (c.arguments().stream().anyMatch(x -> x.type().textual())) {
            // Whether MySQL compares texts or numbers depends on the use of the result.
            throw StatementRefusedException.unsupported("GREATEST and LEAST of texts");
        }
        return Coercions.merged(c.arity(2, MANY).arguments(), true, values -> {
            List<Sql> nulls =
                    values.stream().map(value -> Sql.of("({} IS NULL)", value)).toList();
            return Sql.of("CASE WHEN {} THEN NULL ELSE {} END", Sql.chain("OR", nulls), Sql.call(name, values));
        });
    }

    private static void texts(Map<String, Function<FunctionCall, Typed>> all) {
        put(
                all,
                c -> {
                    Typed x = c.arity(1, 1).arg(0);
                    return c.integer(
                            x.family() == Family.BYTES
                                    ? Sql.call("octet_length", Coercions.bytes(x))
                                    : Sql.call("length", c.text(0)));
                },
                "char_length",
                "character_length");
        all.put("concat", Functions::concat);
        all.put("concat_ws", c -> {
            // A NULL separator makes the result NULL.
            List<Sql> texts = c.arity(2, MANY).arguments().stream()
                    .map(x -> Coercions.text(x).sql())
                    .toList();
            return c.string(Sql.of(
                    "CASE WHEN CAST({} AS VARCHAR) IS NULL THEN NULL ELSE concat_ws({}) END",
                    texts.get(0),
                    Sql.list(texts)));
        });
        all.put("field", c -> {
            List<Sql> cases = new ArrayList<>();
            for (int i = 1; i < c.arity(2, MANY).size(); i++) {
                cases.add(Sql.of("WHEN {} THEN " + i, Comparisons.compare("=", c.arg(0), c.arg(i))));
            }
            return c.integer(Sql.of("CASE {} ELSE 0 END", Sql.joined(" ", cases)));
        });
        all.put("hex", c -> {
            Typed x = c.arity(1, 1).arg(0);
            return c.string(
                    x.type().numeric()
                            ? Sql.of("hex(keyline_bits({}))", Coercions.toInteger(x))
                            : Sql.call("hex", Coercions.bytes(x)));
        });
    }

    private static Typed concat(FunctionCall c) {
        List<Typed> parts = c.arity(1, MANY).arguments();
        if (parts.stream().anyMatch(x -> x.family() == Family.BYTES && !x.isParameter())) {
            return Typed.of(Sql.chain("||", parts.stream().map(Coercions::bytes).toList()), SqlType.BYTES);
        }
        return c.string(Sql.chain(
                "||",
                parts.stream()
                        .map(x -> Sql.cast(Coercions.text(x).sql(), "VARCHAR"))
                        .toList()));
    }

    static Sql json(Typed x) {
        return x.family() == Family.JSON && !x.isParameter()
                ? x.sql()
                : Sql.cast(Coercions.text(x).sql(), "JSON");
    }

    private static void numbers(Map<String, Function<FunctionCall, Typed>> all) {
        put(all, c -> whole(c, "ceil"), "ceil", "ceiling");
        all.put("floor", c -> whole(c, "floor"));
        all.put("round", Functions::round);
        all.put("truncate", Functions::truncate);
        all.put(
                "mod",
                c -> Operators.modulo(
                        c.arity(2, 2).arg(0), c.arg(1), c.expressions().zeroDivisionFails()));
    }

    private static Typed whole(FunctionCall c, String name) {
        Typed x = Coercions.number(c.arity(1, 1).arg(0));
        return switch (x.family()) {
            case INTEGER -> x;
            case DECIMAL -> c.integer(Sql.of("CAST(" + name + "({}) AS HUGEINT)", x.sql()));
            default -> Typed.of(Sql.call(name, x.sql()), SqlType.DOUBLE);
        };
    }

    private static Typed round(FunctionCall c) {
        Typed x = Coercions.number(c.arity(1, 2).arg(0));
        if (c.size() == 1) {
            return switch (x.family()) {
                case INTEGER -> x;
                case DECIMAL -> Typed.of(Sql.of("CAST(round({}) AS DECIMAL(38,0))", x.sql()), SqlType.decimal(38, 0));
                default -> Typed.computed(Sql.of("round_even({}, 0)", x.sql()));
            };
        }
        return cut(c, x, "round", x.family() == Family.DECIMAL ? "round" : "round_even");
    }

    private static Typed truncate(FunctionCall c) {
        return cut(c, Coercions.number(c.arity(2, 2).arg(0)), "trunc", "trunc");
    }

    /** Writes ROUND or TRUNCATE, by different functions of DuckDB for exact numbers and doubles. */
    private static Typed cut(FunctionCall c, Typed x, String exact, String approximate) {
        if (c.arg(1).family() == Family.NULL) {
            // DuckDB refuses this argument if it is a constant NULL.
            return Typed.of(Sql.raw("NULL"), x.type());
        }
        if (x.family() == Family.INTEGER) {
            return c.integer(
                    Sql.of("CAST(" + exact + "(CAST({} AS DECIMAL(38,0)), {}) AS HUGEINT)", x.sql(), c.toInt(1)));
        }
        var slot = c.rewriting().literal(c.arg(1));
        if (x.family() == Family.DECIMAL && slot != null && slot.value() instanceof Long count) {
            var parameter = c.arg(1).parameter();
            long digits = parameter != null && parameter.negated() ? -count : count;
            int scale = (int) Math.max(Math.min(digits, 37), 0);
            String to = "CAST(" + Math.max(-37, Math.min(digits, 37)) + " AS INTEGER)";
            return Typed.of(
                    Sql.of("CAST(" + exact + "({}, " + to + ") AS DECIMAL(38," + scale + "))", x.sql()),
                    SqlType.decimal(38, scale));
        }
        return Typed.computed(Sql.of(approximate + "(CAST({} AS DOUBLE), {})", Coercions.toDouble(x), c.toInt(1)));
    }

    /**
     * Returns a moment of which a function uses the time of day. Refuses computed text, which can
     * be a time without a date. A literal or placeholder without a date causes error 1525.
     */
    static Typed clock(FunctionCall call, int i) {
        Typed x = call.arg(i);
        if (x.isParameter()) {
            Sql moment = x.converted(Conversion.MOMENT, SqlType.datetime(6)).sql();
            return Typed.of(Sql.cast(moment, "TIMESTAMP"), SqlType.datetime(6));
        }
        if (x.type().textual()) {
            throw StatementRefusedException.unsupported(
                    call.name().toUpperCase(Locale.ROOT) + " of a text; write CAST(… AS DATETIME)");
        }
        return Typed.of(call.timestamp(i), SqlType.datetime(6));
    }

    /**
     * Registers the functions that return values of the session. Each becomes a parameter, so that
     * sessions share translations.
     */
    private static void session(Map<String, Function<FunctionCall, Typed>> all) {
        put(all, of(Source.DATABASE, SqlType.STRING), "database", "schema");
        put(all, of(Source.USER, SqlType.STRING), "user", "session_user", "system_user");
        put(all, of(Source.CURRENT_USER, SqlType.STRING), "current_user");
        put(all, of(Source.CONNECTION_ID, SqlType.INTEGER), "connection_id");
        put(all, of(Source.ROW_COUNT, SqlType.INTEGER), "row_count");
        put(all, of(Source.FOUND_ROWS, SqlType.INTEGER), "found_rows");
        put(all, of(Source.VERSION, SqlType.STRING), "version");
        Function<FunctionCall, Typed> lastInsertId = of(Source.LAST_INSERT_ID, SqlType.INTEGER);
        all.put("last_insert_id", c -> {
            if (c.size() > 0) {
                throw StatementRefusedException.unsupported("LAST_INSERT_ID with an argument");
            }
            return lastInsertId.apply(c);
        });
        Function<FunctionCall, Typed> refused = c -> {
            throw StatementRefusedException.unsupported("the function " + c.name());
        };
        put(all, refused, "sleep", "benchmark", "is_free_lock", "is_used_lock");
        put(
                all,
                refused,
                "release_all_locks",
                "load_file",
                "default",
                "char",
                "grouping",
                "rollup",
                "cube",
                "str_to_date");
        put(all, refused, "try_cast", "row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile");
        put(all, refused, "json_array", "json_object", "bit_and", "bit_or", "bit_xor");
        put(all, refused, "time", "curtime", "current_time", "utc_time", "timediff", "sec_to_time", "time_to_sec");
        put(all, refused, "first_value", "last_value", "nth_value", "lag", "lead");
    }

    private static Function<FunctionCall, Typed> of(Source source, SqlType type) {
        String duckType = type.family() == Family.STRING ? "VARCHAR" : "BIGINT";
        return c -> Typed.of(
                Sql.cast(c.arity(0, 0).rewriting().session(source, type).sql(), duckType),
                type,
                source == Source.DATABASE);
    }

    /** Returns the text of a literal argument in lower case; null for other arguments. */
    static @Nullable String word(FunctionCall c, int i) {
        String text = c.rewriting().literalText(c.arg(i));
        return text == null ? null : text.toLowerCase(Locale.ROOT);
    }
}
