package org.keyline.stores.duckdb.rewrite;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.keyline.planner.StatementRefusedException;
import org.keyline.planner.digest.Token;
import org.keyline.planner.digest.TokenType;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/** Writes a date plus or minus {@code INTERVAL n unit}. */
final class Intervals {
    /**
     * An interval.
     *
     * @param unit in upper case
     */
    record Interval(String unit, Typed count) {}

    private static final Set<String> DAYS = Set.of("DAY", "WEEK", "MONTH", "QUARTER", "YEAR");
    private static final Set<String> UNITS =
            Set.of("MICROSECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR");

    /** Units such as HOUR_MINUTE, which EXTRACT supports and intervals do not. */
    private static final Pattern COMPOUND =
            Pattern.compile("(YEAR|DAY|HOUR|MINUTE|SECOND)_(MONTH|HOUR|MINUTE|SECOND|MICROSECOND)");

    private Intervals() {}

    static boolean isUnit(Token token) {
        String word = token.text().toUpperCase(Locale.ROOT);
        return token.type() == TokenType.WORD
                && (UNITS.contains(word) || COMPOUND.matcher(word).matches());
    }

    /** Returns {@code date ± interval}. */
    static Typed shifted(Rewriting rewriting, Typed date, Interval interval, boolean forward) {
        String unit = interval.unit();
        Typed count = interval.count();
        String sign = forward ? "+" : "-";
        Typed moment = Coercions.moment(date, rewriting);
        Sql shifted = Sql.infix(moment.sql(), sign, duration(unit, count));
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

    private static Sql duration(String unit, Typed count) {
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
            default -> throw StatementRefusedException.unsupported("INTERVAL of " + unit);
        };
    }
}
