package org.keyline.stores.duckdb.translate;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.temporal.ChronoField;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads dates and times by MySQL's rules, from delimited and undelimited text and from numbers. */
final class Temporals {

    static final int MAX_YEAR = 9_999;

    private static final int MAX_LENGTH = 64;
    private static final Pattern DELIMITED = Pattern.compile("\\s*(\\d{1,4})[^\\d\\s](\\d{1,2})[^\\d\\s](\\d{1,2})"
            + "(?:[T\\s]+(\\d{1,2})(?:[^\\d\\s.](\\d{1,2})(?:[^\\d\\s.](\\d{1,2})(?:\\.(\\d{0,9})\\d*)?)?)?)?\\s*");
    private static final Pattern DIGITS =
            Pattern.compile("\\s*(\\d{6}|\\d{8}|\\d{12}|\\d{14})(?:\\.(\\d{0,9})\\d*)?\\s*");
    private static final Pattern TIME = Pattern.compile(
            "\\s*(-)?(?:(\\d{1,2})\\s+)?(\\d{1,3}):(\\d{1,2})(?::(\\d{1,2})(?:\\.(\\d{0,9})\\d*)?)?\\s*");
    private static final Pattern TIME_DIGITS = Pattern.compile("\\s*(-)?(\\d{1,7})(?:\\.(\\d{0,9})\\d*)?\\s*");

    private Temporals() {}

    /**
     * Returns a LocalDate for a date, and for text or a number whose time is midnight. Returns a
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
        if (value instanceof Duration) {
            return null;
        }
        String text = value instanceof byte[] || value instanceof String ? Values.text(value) : digits(value);
        if (text.length() > MAX_LENGTH) {
            return null;
        }
        try {
            Matcher delimited = DELIMITED.matcher(text);
            if (delimited.matches()) {
                return parsed(delimited);
            }
            Matcher digits = DIGITS.matcher(text);
            return digits.matches() ? parsedDigits(digits.group(1), digits.group(2)) : null;
        } catch (DateTimeException e) {
            return null;
        }
    }

    private static String digits(Object number) {
        BigDecimal decimal = number instanceof BigDecimal d
                ? d
                : new BigDecimal(Numbers.of(number) instanceof BigInteger b ? b.toString() : "0");
        String plain = decimal.toPlainString();
        int point = plain.indexOf('.');
        String whole = point < 0 ? plain : plain.substring(0, point);
        String fraction = point < 0 ? "" : plain.substring(point);
        int length = whole.length() <= 6 ? 6 : whole.length() <= 8 ? 8 : whole.length() <= 12 ? 12 : 14;
        return "0".repeat(Math.max(length - whole.length(), 0)) + whole + fraction;
    }

    private static LocalDateTime parsed(Matcher m) {
        String year = m.group(1);
        int fullYear = year.length() <= 2 ? century(Integer.parseInt(year)) : Integer.parseInt(year);
        LocalDate date = LocalDate.of(fullYear, Integer.parseInt(m.group(2)), Integer.parseInt(m.group(3)));
        if (fullYear == 0) {
            throw new DateTimeException("year 0");
        }
        LocalTime time = LocalTime.of(number(m.group(4)), number(m.group(5)), number(m.group(6)));
        return micros(LocalDateTime.of(date, time).plusNanos(nanos(m.group(7))));
    }

    private static LocalDateTime parsedDigits(String digits, @Nullable String fraction) {
        boolean shortYear = digits.length() == 6 || digits.length() == 12;
        int yearDigits = shortYear ? 2 : 4;
        int year = Integer.parseInt(digits.substring(0, yearDigits));
        String rest = digits.substring(yearDigits);
        LocalDate date = LocalDate.of(
                shortYear ? century(year) : year,
                Integer.parseInt(rest.substring(0, 2)),
                Integer.parseInt(rest.substring(2, 4)));
        if (rest.length() == 4) {
            return date.atStartOfDay();
        }
        LocalTime time = LocalTime.of(
                Integer.parseInt(rest.substring(4, 6)),
                Integer.parseInt(rest.substring(6, 8)),
                Integer.parseInt(rest.substring(8, 10)));
        return micros(LocalDateTime.of(date, time).plusNanos(nanos(fraction)));
    }

    /** Returns the value of a TIME, or the time of day of a date; null if the value is neither. */
    static @Nullable Duration time(Object value) {
        if (value instanceof Duration duration) {
            return duration;
        }
        if (value instanceof LocalDateTime time) {
            return Duration.ofNanos(time.toLocalTime().toNanoOfDay());
        }
        if (value instanceof LocalDate) {
            return Duration.ZERO;
        }
        String text = Values.text(value);
        if (text.length() > MAX_LENGTH) {
            return null;
        }
        Matcher m = TIME.matcher(text);
        if (m.matches()) {
            return duration(
                    m.group(1) != null,
                    number(m.group(2)) * 24L + number(m.group(3)),
                    number(m.group(4)),
                    number(m.group(5)),
                    m.group(6));
        }
        Matcher d = TIME_DIGITS.matcher(text);
        if (d.matches()) {
            int digits = Integer.parseInt(d.group(2));
            return duration(d.group(1) != null, digits / 10_000, digits / 100 % 100, digits % 100, d.group(3));
        }
        @Nullable LocalDateTime moment = dateTime(value);
        return moment == null ? null : Duration.ofNanos(moment.toLocalTime().toNanoOfDay());
    }

    private static @Nullable Duration duration(
            boolean negative, long hours, int minutes, int seconds, @Nullable String fraction) {
        if (minutes > 59 || seconds > 59 || hours > 838) {
            return null;
        }
        Duration duration = Duration.ofHours(hours)
                .plusMinutes(minutes)
                .plusSeconds(seconds)
                .plusNanos(nanos(fraction));
        return negative ? duration.negated() : duration;
    }

    /**
     * Returns a duration of less than a day as a LocalTime; null for all others, which DuckDB's
     * TIME cannot represent.
     */
    static @Nullable LocalTime timeOfDay(@Nullable Duration duration) {
        if (duration == null || duration.isNegative() || duration.compareTo(Duration.ofDays(1)) >= 0) {
            return null;
        }
        return LocalTime.ofNanoOfDay(duration.toNanos());
    }

    /** Returns a LocalDate as yyyymmdd, a LocalDateTime as yyyymmddhhmmss, a Duration as hhmmss. */
    static Object number(Object value) {
        if (value instanceof LocalDate date) {
            return BigInteger.valueOf(date.getYear() * 10_000L + date.getMonthValue() * 100L + date.getDayOfMonth());
        }
        if (value instanceof LocalDateTime time) {
            BigDecimal day =
                    BigDecimal.valueOf(time.getYear() * 10_000L + time.getMonthValue() * 100L + time.getDayOfMonth());
            long clock = time.getHour() * 10_000L + time.getMinute() * 100L + time.getSecond();
            BigDecimal whole = day.multiply(BigDecimal.valueOf(1_000_000)).add(BigDecimal.valueOf(clock));
            return time.getNano() == 0
                    ? whole.toBigInteger()
                    : whole.add(BigDecimal.valueOf(time.getNano() / 1_000, 6));
        }
        Duration duration = (Duration) value;
        long clock = duration.abs().toHours() * 10_000
                + duration.abs().toMinutesPart() * 100L
                + duration.abs().toSecondsPart();
        return BigInteger.valueOf(duration.isNegative() ? -clock : clock);
    }

    static String text(Object value) {
        if (value instanceof LocalDate date) {
            return date.toString();
        }
        if (value instanceof LocalDateTime time) {
            return time.toLocalDate() + " " + clock(time.toLocalTime().toNanoOfDay());
        }
        Duration duration = (Duration) value;
        return (duration.isNegative() ? "-" : "") + clock(duration.abs().toNanos());
    }

    private static String clock(long nanos) {
        long seconds = nanos / 1_000_000_000;
        long micros = nanos / 1_000 % 1_000_000;
        String text = String.format(Locale.ROOT, "%02d:%02d:%02d", seconds / 3_600, seconds / 60 % 60, seconds % 60);
        return micros == 0 ? text : text + String.format(Locale.ROOT, ".%06d", micros);
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
