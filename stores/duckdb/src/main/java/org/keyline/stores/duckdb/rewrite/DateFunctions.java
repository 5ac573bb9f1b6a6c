package org.keyline.stores.duckdb.rewrite;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.Parameter.Source;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/**
 * Writes the date functions that need the clock or a format. The current time is the start of the
 * statement.
 */
final class DateFunctions {
    private static final Set<String> TRUNCATED =
            Set.of("year", "quarter", "month", "week", "day", "hour", "minute", "second");

    /** A specifier. The group is empty for a percent sign at the end of the format. */
    private static final Pattern SPECIFIER = Pattern.compile("%(.?)", Pattern.DOTALL);

    private DateFunctions() {}

    static void register(Map<String, Function<FunctionCall, Typed>> all) {
        for (String name :
                List.of("now", "current_timestamp", "localtime", "localtimestamp", "sysdate", "utc_timestamp")) {
            all.put(name, DateFunctions::now);
        }
        for (String name : List.of("curdate", "current_date", "utc_date")) {
            all.put(name, DateFunctions::today);
        }
        all.put("date_trunc", c -> {
            // Doris also accepts the unit as the first argument.
            boolean unitFirst = c.arity(2, 2).size() == 2 && isUnit(c, 0) && !isUnit(c, 1);
            List<Typed> arguments = unitFirst ? List.of(c.arg(1), c.arg(0)) : c.arguments();
            return Macros.call(new FunctionCall("date_trunc", arguments, c.expressions()));
        });
        all.put("date_format", c -> c.string(Sql.call("strftime", c.arity(2, 2).timestamp(0), printing(c))));
        all.put("unix_timestamp", DateFunctions::unixTimestamp);
        all.put("from_unixtime", DateFunctions::fromUnixTime);
    }

    private static boolean isUnit(FunctionCall c, int i) {
        String word = Functions.word(c, i);
        return word != null && TRUNCATED.contains(word);
    }

    private static Sql moment(FunctionCall c) {
        return Sql.cast(c.rewriting().session(Source.NOW, SqlType.datetime(6)).sql(), "TIMESTAMP");
    }

    private static Typed today(FunctionCall c) {
        return Typed.of(Sql.cast(moment(c.arity(0, 0)), "DATE"), SqlType.DATE, false);
    }

    private static Typed now(FunctionCall c) {
        long digits = c.arity(0, 1).size() == 0 ? 0 : c.integerLiteral(0);
        if (digits < 0 || digits > 6) {
            throw new StatementRefusedException(
                    1426, "42000", "Too-big precision " + digits + " specified for 'now'. Maximum is 6.");
        }
        long unit = (long) Math.pow(10, 6.0 - digits);
        Sql moment = moment(c);
        Sql cut = digits == 6
                ? moment
                : digits == 0
                        ? Sql.of("date_trunc('second', {})", moment)
                        : Sql.of("time_bucket(to_microseconds(" + unit + "), {})", moment);
        return Typed.of(cut, SqlType.datetime((int) digits), false);
    }

    private static Sql printing(FunctionCall c) {
        return Sql.string(converted(c.literal(1)));
    }

    private static Typed unixTimestamp(FunctionCall c) {
        if (c.arity(0, 1).size() == 0) {
            Sql now = Sql.of("CAST(floor(epoch({})) AS BIGINT)", moment(c));
            return Typed.of(now, SqlType.INTEGER, false);
        }
        int scale = c.moment(0).type().scale();
        Sql micros = Sql.of("keyline_epoch(epoch_us({}))", c.timestamp(0));
        return scale == 0
                ? c.integer(Sql.of("({} // 1000000)", micros))
                : Typed.of(
                        Sql.of("CAST((CAST({} AS DECIMAL(38,6)) / 1000000) AS DECIMAL(38," + scale + "))", micros),
                        SqlType.decimal(38, scale));
    }

    private static Typed fromUnixTime(FunctionCall c) {
        Typed x = Coercions.number(c.arity(1, 2).arg(0));
        int scale = x.family() == Family.DECIMAL ? Math.min(x.type().scale(), 6) : x.family() == Family.DOUBLE ? 6 : 0;
        Sql local = Sql.of(
                "CASE WHEN {} >= 0 THEN make_timestamp(keyline_epoch(CAST(round(({} * 1000000)) AS BIGINT))) END",
                x.sql(),
                x.sql());
        return c.size() == 1
                ? Typed.of(local, SqlType.datetime(scale))
                : c.string(Sql.call("strftime", local, printing(c)));
    }

    /** Converts a format of DATE_FORMAT to strftime's. */
    private static String converted(String format) {
        return SPECIFIER.matcher(format).replaceAll(m -> Matcher.quoteReplacement(specifier(m.group(1))));
    }

    private static String specifier(String c) {
        return switch (c) {
            case "Y", "y", "m", "d", "H", "I", "S", "f", "p", "j", "a", "b", "w", "%" -> "%" + c;
            case "h" -> "%I";
            case "i" -> "%M";
            case "s" -> "%S";
            case "M" -> "%B";
            case "W" -> "%A";
            case "c" -> "%-m";
            case "e" -> "%-d";
            case "k" -> "%-H";
            case "l" -> "%-I";
            case "r" -> "%I:%M:%S %p";
            case "T" -> "%H:%M:%S";
            case "U" -> "%U";
            case "v" -> "%V";
            case "x" -> "%G";
            case "D", "u", "V", "X" -> throw StatementRefusedException.unsupported("%" + c + " in a date format");
            case "" -> "%%";
            default -> c;
        };
    }
}
