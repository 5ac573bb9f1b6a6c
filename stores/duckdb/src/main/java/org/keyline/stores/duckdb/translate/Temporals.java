package org.keyline.stores.duckdb.translate;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoField;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.StatementRefusedException;

/** Reads dates and times by MySQL's rules, from delimited and undelimited text. */
final class Temporals {

    static final int MAX_YEAR = 9_999;

    private static final int MAX_LENGTH = 64;
    private static final DateTimeFormatter MICROS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS", Locale.ROOT);

    /** A date or time with delimiters. A year of four digits is tried before one of two. */
    private static final Pattern DELIMITED = Pattern.compile("\\s*(\\d{1,4})[^\\d\\s](\\d{1,2})[^\\d\\s](\\d{1,2})"
            + "(?:[T\\s]+(\\d{1,2})(?:[^\\d\\s.](\\d{1,2})(?:[^\\d\\s.](\\d{1,2})(?:\\.(\\d{0,9})\\d*)?)?)?)?\\s*");

    private static final Pattern DIGITS = Pattern.compile(
            "\\s*(\\d{4}|\\d{2})(\\d{2})(\\d{2})(?:(\\d{2})(\\d{2})(\\d{2})(?:\\.(\\d{0,9})\\d*)?|\\.\\d*)?\\s*");

    private Temporals() {}

    /**
     * Returns a LocalDate for a date, and for text whose time is midnight. Returns a
     * LocalDateTime, rounded to microseconds, for any other time; null if the value has no date.
     */
    static @Nullable Object dateOrTime(Object value) {
        @Nullable LocalDateTime parsed = dateTime(value);
        if (parsed == null) {
            return null;
        }
        boolean dateOnly = value instanceof LocalDate
                || (parsed.toLocalTime().equals(LocalTime.MIDNIGHT) && !(value instanceof LocalDateTime));
        return dateOnly ? parsed.toLocalDate() : (Object) parsed;
    }

    /**
     * Returns a date and time, rounded to microseconds; null if the value is no date, or a date
     * after the year 9999.
     */
    static @Nullable LocalDateTime dateTime(Object value) {
        @Nullable LocalDateTime moment = anyDateTime(value);
        return moment == null || moment.getYear() > MAX_YEAR ? null : moment;
    }

    private static @Nullable LocalDateTime anyDateTime(Object value) {
        if (value instanceof LocalDate date) {
            return date.atStartOfDay();
        }
        if (value instanceof LocalDateTime time) {
            return micros(time);
        }
        if (!(value instanceof byte[] || value instanceof String)) {
            throw StatementRefusedException.unsupported("numbers as dates; write 'YYYY-MM-DD hh:mm:ss'");
        }
        String text = Values.text(value);
        if (text.length() > MAX_LENGTH) {
            return null;
        }
        Matcher digits = DIGITS.matcher(text);
        Matcher parts = digits.matches() ? digits : DELIMITED.matcher(text);
        try {
            return parts.matches() ? parsed(parts) : null;
        } catch (DateTimeException e) {
            return null;
        }
    }

    private static LocalDateTime parsed(Matcher m) {
        String year = m.group(1);
        int fullYear = year.length() <= 2 ? century(Integer.parseInt(year)) : Integer.parseInt(year);
        if (fullYear == 0) {
            throw new DateTimeException("year 0");
        }
        return micros(LocalDateTime.of(
                        fullYear,
                        Integer.parseInt(m.group(2)),
                        Integer.parseInt(m.group(3)),
                        number(m.group(4)),
                        number(m.group(5)),
                        number(m.group(6)))
                .plusNanos(nanos(m.group(7))));
    }

    /** Returns a time with its microseconds, if it has any. */
    static String text(LocalDateTime time) {
        return text(time, time.getNano() < 1_000 ? 0 : 6);
    }

    /** Returns a time with this number of digits of the second's fraction. */
    static String text(LocalDateTime time, int digits) {
        String text = MICROS.format(time);
        return text.substring(0, text.length() - (digits == 0 ? 7 : 6 - digits));
    }

    private static LocalDateTime micros(LocalDateTime time) {
        return time.withNano(0).plusNanos((time.get(ChronoField.NANO_OF_SECOND) + 500L) / 1_000 * 1_000);
    }

    private static int century(int year) {
        return year < 70 ? 2_000 + year : 1_900 + year;
    }

    private static int number(@Nullable String digits) {
        return digits == null ? 0 : Integer.parseInt(digits);
    }

    private static long nanos(@Nullable String fraction) {
        return fraction == null || fraction.isEmpty() ? 0 : Long.parseLong((fraction + "000000000").substring(0, 9));
    }
}
