package org.keyline.stores.duckdb.reply;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.keyline.protocol.codec.RowWriter;

/**
 * A TIME of MySQL, read from DuckDB's text of a TIME or an INTERVAL. Immutable.
 *
 * @param micros of the whole, without sign
 */
record TimeOfDay(boolean negative, long micros) {
    private static final Pattern CLOCK = Pattern.compile("(-?)(\\d+):(\\d\\d):(\\d\\d)(?:\\.(\\d{1,6}))?");
    private static final Pattern DAYS = Pattern.compile("(-?\\d+) days?");
    private static final Pattern MONTHS = Pattern.compile("(-?\\d+) mons?");
    private static final Pattern YEARS = Pattern.compile("(-?\\d+) years?");
    private static final long SECOND = 1_000_000;
    private static final long HOUR = 3600 * SECOND;
    private static final long DAY = 24 * HOUR;

    /** What MySQL's TIME can hold: 838:59:59. */
    private static final long MAX = 839 * HOUR - SECOND;

    static TimeOfDay of(String text) {
        long micros = (count(YEARS, text) * 12 + count(MONTHS, text)) * 30 * DAY + count(DAYS, text) * DAY;
        Matcher clock = CLOCK.matcher(text);
        if (clock.find()) {
            String fraction = clock.group(5) == null ? "" : clock.group(5);
            long part = Long.parseLong(clock.group(2)) * HOUR
                    + Long.parseLong(clock.group(3)) * 60 * SECOND
                    + Long.parseLong(clock.group(4)) * SECOND
                    + Long.parseLong((fraction + "000000").substring(0, 6));
            micros += clock.group(1).isEmpty() ? part : -part;
        }
        return of(micros);
    }

    static TimeOfDay of(long micros) {
        return new TimeOfDay(micros < 0, Math.min(Math.abs(micros), MAX));
    }

    private static long count(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }

    void write(RowWriter out) {
        out.time(
                negative,
                (int) (micros / HOUR),
                (int) (micros / (60 * SECOND) % 60),
                (int) (micros / SECOND % 60),
                (int) (micros % SECOND));
    }
}
