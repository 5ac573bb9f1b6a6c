package org.keyline.stores.duckdb.calcite;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.duckdb.translate.SqlType;
import org.keyline.stores.duckdb.translate.SqlType.Family;

/** INTERVAL n unit, added to or taken from a date. */
final class Intervals {

    private static final Set<String> DAYS = Set.of("DAY", "WEEK", "MONTH", "QUARTER", "YEAR", "YEAR_MONTH");
    private static final Set<String> PLAIN =
            Set.of("MICROSECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR");
    private static final List<String> ORDER = List.of("DAY", "HOUR", "MINUTE", "SECOND", "MICROSECOND");
    private static final Pattern NUMBERS = Pattern.compile("\\d{1,9}");

    private Intervals() {}

    static boolean isPlain(String unit) {
        return PLAIN.contains(unit);
    }

    /** Whether a node is an interval. */
    static boolean isInterval(SqlNode node) {
        return node instanceof SqlBasicCall call && call.getOperator().getName().equals("#interval");
    }

    /** {@code date ± step}, where the step is an interval or a number of days. */
    static Typed shifted(FunctionCall c, Typed date, SqlNode step, boolean forward) {
        if (!isInterval(step)) {
            return shifted(c, date, "DAY", c.arg(1), forward);
        }
        SqlBasicCall interval = (SqlBasicCall) step;
        String unit = ((SqlIdentifier) interval.operand(1)).getSimple().substring(1);
        return shifted(c, date, unit, c.translate(interval.operand(0)), forward);
    }

    static Typed shifted(FunctionCall c, Typed date, String unit, Typed count, boolean forward) {
        if (date.family() == Family.TIME && !DAYS.contains(unit)) {
            return Typed.of(
                    Duck.infix(date.node(), forward ? "+" : "-", duration(c.translation(), unit, count)), date.type());
        }
        Typed moment = Coercions.moment(date, c.translation());
        SqlNode shifted = Duck.infix(moment.node(), forward ? "+" : "-", duration(c.translation(), unit, count));
        boolean text = date.family() == Family.STRING;
        boolean days = moment.family() == Family.DATE && DAYS.contains(unit);
        boolean fraction = unit.contains("MICROSECOND")
                || (unit.contains("SECOND") && (count.family() == Family.DECIMAL || count.family() == Family.DOUBLE));
        SqlType type = days
                ? SqlType.DATE
                : SqlType.datetime(fraction ? 6 : moment.type().scale());
        Typed result = Typed.of(days ? Duck.cast(shifted, "DATE") : shifted, type);
        return text ? Coercions.text(result) : result;
    }

    /** An interval of DuckDB's. */
    static SqlNode duration(Translation translation, String unit, Typed count) {
        switch (unit) {
            case "YEAR":
                return Duck.call("to_years", Coercions.toInt(count));
            case "QUARTER":
                return Duck.call("to_months", Duck.infix(Coercions.toInt(count), "*", Duck.number(3)));
            case "MONTH":
                return Duck.call("to_months", Coercions.toInt(count));
            case "WEEK":
                return Duck.call("to_days", Duck.infix(Coercions.toInt(count), "*", Duck.number(7)));
            case "DAY":
                return Duck.call("to_days", Coercions.toInt(count));
            case "HOUR":
                return Duck.call("to_hours", Coercions.toInteger(count));
            case "MINUTE":
                return Duck.call("to_minutes", Coercions.toInteger(count));
            case "SECOND":
                return Duck.call(
                        "to_microseconds",
                        Duck.cast(
                                Duck.call(
                                        "round",
                                        Duck.infix(Coercions.number(count).node(), "*", Duck.number(1_000_000))),
                                "BIGINT"));
            case "MICROSECOND":
                return Duck.call("to_microseconds", Coercions.toInteger(count));
            default:
                return compound(translation, unit, count);
        }
    }

    /** Units of several parts take them from text such as '1:30'. */
    private static SqlNode compound(Translation translation, String unit, Typed count) {
        @Nullable String text = translation.literalText(count);
        if (text == null || text.length() > 64) {
            throw StatementRefusedException.unsupported("INTERVAL of " + unit + " that is no string literal");
        }
        long sign = text.strip().startsWith("-") ? -1 : 1;
        Matcher numbers = NUMBERS.matcher(text);
        List<Long> parts = new java.util.ArrayList<>();
        while (numbers.find()) {
            parts.add(Long.parseLong(numbers.group()));
        }
        if (unit.equals("YEAR_MONTH")) {
            long months = parts.size() == 1 ? parts.get(0) : parts.size() == 2 ? parts.get(0) * 12 + parts.get(1) : 0;
            return Duck.call("to_months", Duck.raw("CAST(" + sign * months + " AS INTEGER)"));
        }
        int last = ORDER.indexOf(unit.substring(unit.indexOf('_') + 1).toUpperCase(Locale.ROOT));
        long micros = 0;
        long[] size = {86_400_000_000L, 3_600_000_000L, 60_000_000L, 1_000_000L, 1L};
        for (int i = 0; i < parts.size() && last - i >= 0; i++) {
            micros += parts.get(parts.size() - 1 - i) * size[last - i];
        }
        return Duck.call("to_microseconds", Duck.raw("CAST(" + sign * micros + " AS BIGINT)"));
    }
}
