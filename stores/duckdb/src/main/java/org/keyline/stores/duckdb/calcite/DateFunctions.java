package org.keyline.stores.duckdb.calcite;

import java.util.Locale;
import java.util.Map;
import org.apache.calcite.sql.SqlNode;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.calcite.Functions.Function;
import org.keyline.stores.duckdb.translate.Parameter.Source;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/** Functions of dates and times. "Now" is the moment the statement began, in the session's time zone. */
final class DateFunctions {

    private DateFunctions() {}

    static void register(Map<String, Function> all) {
        now(all);
        parts(all);
        weeks(all);
        conversions(all);
        arithmetic(all);
    }

    private static void now(Map<String, Function> all) {
        Function now = c -> now(c, Source.NOW);
        for (String name : new String[] {"now", "current_timestamp", "localtime", "localtimestamp", "sysdate"}) {
            all.put(name, now);
        }
        all.put("utc_timestamp", c -> now(c, Source.UTC_NOW));
        Function today = c -> Typed.of(Duck.cast(moment(c, Source.NOW), "DATE"), SqlType.DATE, false);
        all.put("curdate", today);
        all.put("current_date", today);
        all.put("utc_date", c -> Typed.of(Duck.cast(moment(c, Source.UTC_NOW), "DATE"), SqlType.DATE, false));
        Function clock = c -> Typed.of(
                Duck.cast(Duck.call("date_trunc", Duck.string("second"), moment(c, Source.NOW)), "TIME"),
                SqlType.time(0),
                false);
        all.put("curtime", clock);
        all.put("current_time", clock);
    }

    private static SqlNode moment(FunctionCall c, Source source) {
        return Duck.cast(c.translation().session(source, SqlType.datetime(6)).node(), "TIMESTAMP");
    }

    private static Typed now(FunctionCall c, Source source) {
        long digits = c.arity(0, 1).size() == 0 ? 0 : c.integerLiteral(0);
        if (digits < 0 || digits > 6) {
            throw new StatementRefusedException(
                    1426, "42000", "Too-big precision " + digits + " specified for 'now'. Maximum is 6.");
        }
        SqlNode moment = moment(c, source);
        SqlNode cut = digits == 6
                ? moment
                : digits == 0
                        ? Duck.call("date_trunc", Duck.string("second"), moment)
                        : Duck.call(
                                "time_bucket",
                                Duck.raw("to_microseconds(" + (long) Math.pow(10, 6.0 - digits) + ")"),
                                moment);
        return Typed.of(cut, SqlType.datetime((int) digits), false);
    }

    private static void parts(Map<String, Function> all) {
        for (String name : new String[] {"year", "month", "quarter", "dayofyear"}) {
            all.put(name, c -> c.integer(Duck.call(name, c.arity(1, 1).moment(0).node())));
        }
        Function day = c -> c.integer(Duck.call("day", c.arity(1, 1).moment(0).node()));
        all.put("day", day);
        all.put("dayofmonth", day);
        for (String name : new String[] {"hour", "minute", "second"}) {
            all.put(name, c -> {
                Typed x = c.arity(1, 1).arg(0);
                SqlNode time = x.family() == Family.TIME ? x.node() : clock(c, x);
                return c.integer(Duck.call(name, time));
            });
        }
        all.put("microsecond", c -> {
            Typed x = c.arity(1, 1).arg(0);
            return c.integer(Duck.infix(
                    Duck.call("microsecond", x.family() == Family.TIME ? x.node() : clock(c, x)),
                    "%",
                    Duck.number(1_000_000)));
        });
        all.put(
                "dayname",
                c -> c.string(Duck.call("dayname", c.arity(1, 1).moment(0).node())));
        all.put(
                "monthname",
                c -> c.string(Duck.call("monthname", c.arity(1, 1).moment(0).node())));
        all.put("extract", DateFunctions::extract);
        all.put("date_trunc", DateFunctions::truncated);
        all.put("last_day", c -> Typed.of(Duck.call("last_day", c.arity(1, 1).date(0)), SqlType.DATE));
        all.put(
                "to_days",
                c -> c.integer(Duck.infix(
                        Duck.call(
                                "date_diff",
                                Duck.string("day"),
                                Duck.raw("DATE '1970-01-01'"),
                                c.arity(1, 1).date(0)),
                        "+",
                        Duck.number(719_528))));
        all.put(
                "from_days",
                c -> Typed.of(
                        Duck.cast(
                                Duck.infix(
                                        Duck.raw("DATE '1970-01-01'"),
                                        "+",
                                        Duck.infix(c.arity(1, 1).toInt(0), "-", Duck.number(719_528))),
                                "DATE"),
                        SqlType.DATE));
        all.put(
                "time_to_sec",
                c -> c.integer(Duck.cast(
                        Duck.call("epoch", clock(c, c.arity(1, 1).arg(0))), "BIGINT")));
        all.put(
                "sec_to_time",
                c -> Typed.of(
                        Duck.infix(
                                Duck.raw("TIME '00:00:00'"),
                                "+",
                                Duck.call("to_seconds", c.arity(1, 1).toInt(0))),
                        SqlType.time(0)));
    }

    /** The time of day of a moment, or of text such as 10:11:12. */
    private static SqlNode clock(FunctionCall c, Typed x) {
        if (x.family() == Family.TIME) {
            return x.node();
        }
        if (x.isParameter()) {
            return Duck.cast(
                    x.converted(org.keyline.stores.duckdb.translate.Conversion.TIME, SqlType.time(6))
                            .node(),
                    "TIME");
        }
        if (x.type().textual()) {
            SqlNode text = Coercions.text(x).node();
            return Duck.call(
                    "coalesce", Duck.tryCast(text, "TIME"), Duck.cast(Duck.tryCast(text, "TIMESTAMP"), "TIME"));
        }
        return Duck.cast(Coercions.timestamp(x, c.translation()), "TIME");
    }

    /** Doris's {@code date_trunc(moment, unit)}; a unit that is none is DuckDB's error. */
    /** DATE_TRUNC in both of Doris's forms: (moment, unit) and (unit, moment). */
    private static Typed truncated(FunctionCall call) {
        String first = call.translation().literalText(call.arity(2, 2).arg(0));
        boolean unitFirst = first != null && first.chars().allMatch(Character::isLetter);
        Typed moment = call.moment(unitFirst ? 1 : 0);
        SqlNode truncated = Duck.call("date_trunc", call.text(unitFirst ? 0 : 1), moment.node());
        return moment.family() == Family.DATE
                ? Typed.of(Duck.cast(truncated, "DATE"), SqlType.DATE)
                : Typed.of(truncated, SqlType.datetime(0));
    }

    private static Typed extract(FunctionCall c) {
        @Nullable String unit = c.arity(2, 2).marked(0);
        if (unit == null) {
            throw StatementRefusedException.unsupported("EXTRACT of such a unit");
        }
        return switch (unit) {
            case "YEAR", "MONTH", "DAY", "QUARTER" ->
                c.integer(Duck.call(unit.toLowerCase(Locale.ROOT), c.moment(1).node()));
            case "HOUR", "MINUTE", "SECOND" -> c.integer(Duck.call(unit.toLowerCase(Locale.ROOT), clock(c, c.arg(1))));
            case "MICROSECOND" ->
                c.integer(Duck.infix(Duck.call("microsecond", clock(c, c.arg(1))), "%", Duck.number(1_000_000)));
            case "WEEK" ->
                c.integer(Duck.cast(Duck.call("strftime", c.moment(1).node(), Duck.string("%U")), "INTEGER"));
            case "YEAR_MONTH" ->
                c.integer(Duck.cast(Duck.call("strftime", c.moment(1).node(), Duck.string("%Y%m")), "BIGINT"));
            case "DAY_HOUR" ->
                c.integer(Duck.cast(Duck.call("strftime", c.moment(1).node(), Duck.string("%d%H")), "BIGINT"));
            case "DAY_MINUTE" ->
                c.integer(Duck.cast(Duck.call("strftime", c.moment(1).node(), Duck.string("%d%H%M")), "BIGINT"));
            case "DAY_SECOND" ->
                c.integer(Duck.cast(Duck.call("strftime", c.moment(1).node(), Duck.string("%d%H%M%S")), "BIGINT"));
            case "HOUR_MINUTE" ->
                c.integer(Duck.cast(Duck.call("strftime", c.timestamp(1), Duck.string("%H%M")), "BIGINT"));
            case "HOUR_SECOND" ->
                c.integer(Duck.cast(Duck.call("strftime", c.timestamp(1), Duck.string("%H%M%S")), "BIGINT"));
            case "MINUTE_SECOND" ->
                c.integer(Duck.cast(Duck.call("strftime", c.timestamp(1), Duck.string("%M%S")), "BIGINT"));
            default -> throw StatementRefusedException.unsupported("EXTRACT(" + unit + " …)");
        };
    }

    private static void weeks(Map<String, Function> all) {
        all.put(
                "dayofweek",
                c -> c.integer(Duck.infix(
                        Duck.call("dayofweek", c.arity(1, 1).moment(0).node()), "+", Duck.number(1))));
        all.put(
                "weekday",
                c -> c.integer(
                        Duck.infix(Duck.call("isodow", c.arity(1, 1).moment(0).node()), "-", Duck.number(1))));
        all.put(
                "weekofyear",
                c -> c.integer(Duck.call("weekofyear", c.arity(1, 1).moment(0).node())));
        all.put("week", c -> {
            long mode = c.arity(1, 2).size() == 1 ? 0 : c.integerLiteral(1);
            SqlNode moment = c.moment(0).node();
            if (mode == 1) {
                return c.integer(Duck.around(
                        "CASE WHEN ",
                        " ",
                        " END",
                        Duck.infix(Duck.call("isoyear", moment), "<", Duck.call("year", moment)),
                        Duck.around(
                                "THEN 0 WHEN ",
                                " THEN 53 ELSE ",
                                "",
                                Duck.infix(Duck.call("isoyear", moment), ">", Duck.call("year", moment)),
                                Duck.call("weekofyear", moment))));
            }
            String format = switch ((int) mode) {
                case 0 -> "%U";
                case 3 -> "%V";
                case 5 -> "%W";
                default -> throw StatementRefusedException.unsupported("WEEK(…, " + mode + ")");
            };
            return c.integer(Duck.cast(Duck.call("strftime", moment, Duck.string(format)), "INTEGER"));
        });
        all.put("yearweek", c -> {
            if (c.arity(1, 2).size() == 1 || (c.integerLiteral(1) != 3 && c.integerLiteral(1) != 1)) {
                throw StatementRefusedException.unsupported("YEARWEEK in a mode other than 1 and 3");
            }
            return c.integer(Duck.cast(Duck.call("strftime", c.moment(0).node(), Duck.string("%G%V")), "INTEGER"));
        });
    }

    private static void conversions(Map<String, Function> all) {
        all.put("date", c -> Typed.of(c.arity(1, 1).date(0), SqlType.DATE));
        all.put("#date", c -> Typed.of(c.date(0), SqlType.DATE));
        all.put(
                "timestamp",
                c -> Typed.of(
                        c.arity(1, 1).timestamp(0),
                        SqlType.datetime(c.moment(0).type().scale())));
        all.put(
                "#timestamp",
                c -> Typed.of(
                        c.timestamp(0), SqlType.datetime(c.moment(0).type().scale())));
        all.put("time", c -> {
            Typed x = c.arity(1, 1).arg(0);
            return Typed.of(
                    clock(c, x), SqlType.time(x.type().temporal() ? x.type().scale() : 0));
        });
        all.put("#time", c -> Typed.of(clock(c, c.arg(0)), SqlType.time(0)));
        all.put(
                "date_format",
                c -> c.string(Duck.call(
                        "strftime", c.arity(2, 2).timestamp(0), Duck.string(DateFormats.printing(c.literal(1))))));
        all.put(
                "time_format",
                c -> c.string(Duck.call(
                        "strftime",
                        Duck.infix(
                                Duck.raw("DATE '2000-01-01'"),
                                "+",
                                clock(c, c.arity(2, 2).arg(0))),
                        Duck.string(DateFormats.printing(c.literal(1))))));
        all.put("str_to_date", c -> {
            String format = c.arity(2, 2).literal(1);
            SqlNode parsed = Duck.call("try_strptime", c.text(0), Duck.string(DateFormats.reading(format)));
            if (!DateFormats.hasTime(format)) {
                return Typed.of(Duck.cast(parsed, "DATE"), SqlType.DATE);
            }
            if (!DateFormats.hasDate(format)) {
                return Typed.of(Duck.cast(parsed, "TIME"), SqlType.time(format.contains("%f") ? 6 : 0));
            }
            return Typed.of(parsed, SqlType.datetime(format.contains("%f") ? 6 : 0));
        });
        all.put("unix_timestamp", DateFunctions::unixTimestamp);
        all.put("from_unixtime", DateFunctions::fromUnixTime);
        all.put("convert_tz", c -> {
            c.arity(3, 3);
            Typed x = c.moment(0);
            SqlNode utc = Duck.call("keyline_utc", Coercions.timestamp(x, c.translation()), Duck.string(c.literal(1)));
            return Typed.of(
                    Duck.call("keyline_local", utc, Duck.string(c.literal(2))),
                    SqlType.datetime(x.type().scale()));
        });
        all.put(
                "makedate",
                c -> Typed.of(
                        Duck.around(
                                "CASE WHEN ",
                                " > 0 THEN ",
                                " END",
                                c.arity(2, 2).toInt(1),
                                Duck.cast(
                                        Duck.infix(
                                                Duck.call("make_date", c.toInt(0), Duck.number(1), Duck.number(1)),
                                                "+",
                                                Duck.infix(c.toInt(1), "-", Duck.number(1))),
                                        "DATE")),
                        SqlType.DATE));
    }

    private static SqlNode zone(FunctionCall c) {
        return Duck.cast(
                c.translation().session(Source.TIME_ZONE, SqlType.STRING).node(), "VARCHAR");
    }

    private static Typed unixTimestamp(FunctionCall c) {
        if (c.arity(0, 1).size() == 0) {
            return Typed.of(
                    Duck.cast(Duck.call("floor", Duck.call("epoch", moment(c, Source.UTC_NOW))), "BIGINT"),
                    SqlType.INTEGER,
                    false);
        }
        Typed x = c.moment(0);
        SqlNode micros =
                Duck.call("epoch_us", Duck.call("keyline_utc", Coercions.timestamp(x, c.translation()), zone(c)));
        int scale = x.type().scale();
        return scale == 0
                ? c.integer(Duck.infix(micros, "//", Duck.number(1_000_000)))
                : Typed.of(
                        Duck.cast(
                                Duck.infix(Duck.cast(micros, "DECIMAL(38,6)"), "/", Duck.number(1_000_000)),
                                "DECIMAL(38," + scale + ")"),
                        SqlType.decimal(38, scale));
    }

    private static Typed fromUnixTime(FunctionCall c) {
        Typed x = Coercions.number(c.arity(1, 2).arg(0));
        int scale = x.family() == Family.DECIMAL ? Math.min(x.type().scale(), 6) : x.family() == Family.DOUBLE ? 6 : 0;
        SqlNode micros = Duck.cast(Duck.call("round", Duck.infix(x.node(), "*", Duck.number(1_000_000))), "BIGINT");
        SqlNode local = Duck.call("keyline_local", Duck.call("make_timestamp", micros), zone(c));
        SqlNode guarded = Duck.around("CASE WHEN ", " >= 0 THEN ", " END", x.node(), local);
        return c.size() == 1
                ? Typed.of(guarded, SqlType.datetime(scale))
                : c.string(Duck.call("strftime", guarded, Duck.string(DateFormats.printing(c.literal(1)))));
    }

    private static void arithmetic(Map<String, Function> all) {
        Function add = c -> Intervals.shifted(c, c.arity(2, 2).arg(0), c.raw(1), true);
        Function subtract = c -> Intervals.shifted(c, c.arity(2, 2).arg(0), c.raw(1), false);
        all.put("date_add", add);
        all.put("adddate", add);
        all.put("date_sub", subtract);
        all.put("subdate", subtract);
        all.put(
                "datediff",
                c -> c.integer(
                        Duck.call("date_diff", Duck.string("day"), c.arity(2, 2).date(1), c.date(0))));
        all.put("timestampdiff", c -> {
            String unit = c.arity(3, 3).word(0).toUpperCase(Locale.ROOT).replace("SQL_TSI_", "");
            if (!Intervals.isPlain(unit)) {
                throw StatementRefusedException.unsupported("TIMESTAMPDIFF of " + unit);
            }
            int months = unit.equals("MONTH") ? 1 : unit.equals("QUARTER") ? 3 : unit.equals("YEAR") ? 12 : 0;
            SqlNode from = c.timestamp(1);
            SqlNode to = c.timestamp(2);
            return c.integer(
                    months == 0
                            ? Duck.call("date_sub", Duck.string(unit.toLowerCase(Locale.ROOT)), from, to)
                            : Duck.infix(Duck.call("keyline_months", from, to), "//", Duck.number(months)));
        });
        all.put(
                "timestampadd",
                c -> Intervals.shifted(
                        c,
                        c.arity(3, 3).arg(2),
                        c.word(0).toUpperCase(Locale.ROOT).replace("SQL_TSI_", ""),
                        c.arg(1),
                        true));
        all.put("addtime", c -> {
            Typed x = c.arity(2, 2).arg(0);
            if (x.type().textual()) {
                throw StatementRefusedException.unsupported(
                        "ADDTIME of text; use CAST(… AS TIME) or CAST(… AS DATETIME)");
            }
            SqlNode step = Duck.call("to_microseconds", Duck.call("epoch_us", clock(c, c.arg(1))));
            return x.family() == Family.TIME
                    ? Typed.of(Duck.infix(x.node(), "+", step), x.type())
                    : Typed.of(
                            Duck.infix(c.timestamp(0), "+", step), c.moment(0).type());
        });
    }
}
