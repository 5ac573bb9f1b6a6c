package org.keyline.stores.duckdb.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/** INTERVAL n unit, added to or subtracted from a date. */
final class Intervals {
    /**
     * An interval.
     *
     * @param unit in upper case
     */
    record Interval(String unit, Typed count) {}

    private static final Set<String> DAYS = Set.of("DAY", "WEEK", "MONTH", "QUARTER", "YEAR", "YEAR_MONTH");
    private static final List<String> ORDER = List.of("DAY", "HOUR", "MINUTE", "SECOND", "MICROSECOND");
    private static final Set<String> UNITS = Set.of(
            "MICROSECOND",
            "SECOND",
            "MINUTE",
            "HOUR",
            "DAY",
            "WEEK",
            "MONTH",
            "QUARTER",
            "YEAR",
            "SECOND_MICROSECOND",
            "MINUTE_MICROSECOND",
            "MINUTE_SECOND",
            "HOUR_MICROSECOND",
            "HOUR_SECOND",
            "HOUR_MINUTE",
            "DAY_MICROSECOND",
            "DAY_SECOND",
            "DAY_MINUTE",
            "DAY_HOUR",
            "YEAR_MONTH");
    private static final Pattern NUMBERS = Pattern.compile("\\d{1,9}");

    private Intervals() {}

    static boolean isUnit(Token token) {
        return token.type() == TokenType.WORD && UNITS.contains(token.text().toUpperCase(Locale.ROOT));
    }

    /** Returns {@code date ± interval}. */
    static Typed shifted(Rewriting rewriting, Typed date, Interval interval, boolean forward) {
        String unit = interval.unit();
        Typed count = interval.count();
        String sign = forward ? "+" : "-";
        if (date.family() == Family.TIME && !DAYS.contains(unit)) {
            return Typed.of(Sql.infix(date.sql(), sign, duration(rewriting, unit, count)), date.type());
        }
        Typed moment = Coercions.moment(date, rewriting);
        Sql shifted = Sql.infix(moment.sql(), sign, duration(rewriting, unit, count));
        boolean days = moment.family() == Family.DATE && DAYS.contains(unit);
        boolean fraction = unit.contains("MICROSECOND")
                || (unit.contains("SECOND") && (count.family() == Family.DECIMAL || count.family() == Family.DOUBLE));
        SqlType type = days
                ? SqlType.DATE
                : SqlType.datetime(fraction ? 6 : moment.type().scale());
        // A date outside MySQL's range is NULL in a query and an error in a write.
        Sql within = Sql.call(rewriting.writes() ? "keyline_moment" : "keyline_within", shifted);
        Typed result = Typed.of(days ? Sql.cast(within, "DATE") : within, type);
        return date.family() == Family.STRING ? Coercions.text(result) : result;
    }

    /** Returns an interval of DuckDB. */
    private static Sql duration(Rewriting rewriting, String unit, Typed count) {
        return switch (unit) {
            case "YEAR" -> Sql.call("to_years", Coercions.toInt(count));
            case "QUARTER" -> Sql.of("to_months(({} * 3))", Coercions.toInt(count));
            case "MONTH" -> Sql.call("to_months", Coercions.toInt(count));
            case "WEEK" -> Sql.of("to_days(({} * 7))", Coercions.toInt(count));
            case "DAY" -> Sql.call("to_days", Coercions.toInt(count));
            case "HOUR" -> Sql.call("to_hours", Coercions.toInteger(count));
            case "MINUTE" -> Sql.call("to_minutes", Coercions.toInteger(count));
            case "SECOND" ->
                Sql.of(
                        "to_microseconds(CAST(round(({} * 1000000)) AS BIGINT))",
                        Coercions.number(count).sql());
            case "MICROSECOND" -> Sql.call("to_microseconds", Coercions.toInteger(count));
            default -> compound(rewriting, unit, count);
        };
    }

    /** Returns an interval of a compound unit, whose parts are in a text such as '1:30'. */
    private static Sql compound(Rewriting rewriting, String unit, Typed count) {
        @Nullable String text = rewriting.literalText(count);
        if (text == null || text.length() > 64 || !UNITS.contains(unit)) {
            throw StatementRefusedException.unsupported("INTERVAL of " + unit + " that is no string literal");
        }
        long sign = text.strip().startsWith("-") ? -1 : 1;
        Matcher numbers = NUMBERS.matcher(text);
        List<Long> parts = new ArrayList<>();
        while (numbers.find()) {
            parts.add(Long.parseLong(numbers.group()));
        }
        if (unit.equals("YEAR_MONTH")) {
            long months = parts.size() == 1 ? parts.get(0) : parts.size() == 2 ? parts.get(0) * 12 + parts.get(1) : 0;
            return Sql.raw("to_months(CAST(" + sign * months + " AS INTEGER))");
        }
        int last = ORDER.indexOf(unit.substring(unit.indexOf('_') + 1));
        long micros = 0;
        long[] size = {86_400_000_000L, 3_600_000_000L, 60_000_000L, 1_000_000L, 1L};
        for (int i = 0; i < parts.size() && last - i >= 0; i++) {
            micros += parts.get(parts.size() - 1 - i) * size[last - i];
        }
        return Sql.raw("to_microseconds(CAST(" + sign * micros + " AS BIGINT))");
    }
}
