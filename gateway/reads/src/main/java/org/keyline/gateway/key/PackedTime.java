package org.keyline.gateway.key;

import java.time.DateTimeException;
import java.time.LocalDate;

/** Packs dates and times into longs, which sort by time. Zero dates have no packed form. */
final class PackedTime {
    /** The result for anything but an existing date in its canonical spelling. */
    static final long NONE = -1;

    private PackedTime() {}

    static long dateTime(int year, int month, int day, int hour, int minute, int second, int micros) {
        long day37 = ((((long) year << 4) | month) << 5) | day;
        long second20 = (((((day37 << 5) | hour) << 6) | minute) << 6) | second;
        return (second20 << 20) | micros;
    }

    static int micros(long packed) {
        return (int) (packed & 0xFFFFF);
    }

    /** Returns whether the time of day is zero. */
    static boolean isDate(long packed) {
        return (packed & ((1L << 37) - 1)) == 0;
    }

    /** Packs the fields. Returns {@link #NONE} if they are outside the calendar or the clock. */
    static long checked(int year, int month, int day, int hour, int minute, int second, int micros) {
        boolean date = year >= 0 && month >= 1 && month <= 12 && day >= 1 && (day <= 28 || exists(year, month, day));
        boolean time = hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 && second >= 0 && second <= 59;
        return date && time && micros >= 0 && micros <= 999_999
                ? dateTime(year, month, day, hour, minute, second, micros)
                : NONE;
    }

    private static int year(long packed) {
        return (int) (packed >>> 46);
    }

    private static int month(long packed) {
        return (int) (packed >>> 42) & 0xF;
    }

    private static int day(long packed) {
        return (int) (packed >>> 37) & 0x1F;
    }

    /** Packs a text {@code YYYY-MM-DD}. Returns {@link #NONE} for all other texts. */
    static long parseDate(byte[] text, int offset, int length) {
        if (length != 10 || text[offset + 4] != '-' || text[offset + 7] != '-') {
            return NONE;
        }
        int year = digits(text, offset, 4);
        int month = digits(text, offset + 5, 2);
        int day = digits(text, offset + 8, 2);
        return checked(year, month, day, 0, 0, 0, 0);
    }

    /** Packs a text {@code YYYY-MM-DD hh:mm:ss[.f…]}. Returns {@link #NONE} for all other texts. */
    static long parseDateTime(byte[] text, int offset, int length) {
        if (length < 19 || length == 20 || length > 26) {
            return NONE;
        }
        long date = parseDate(text, offset, 10);
        if (date == NONE || text[offset + 10] != ' ' || text[offset + 13] != ':' || text[offset + 16] != ':') {
            return NONE;
        }
        int hour = digits(text, offset + 11, 2);
        int minute = digits(text, offset + 14, 2);
        int second = digits(text, offset + 17, 2);
        int micros = 0;
        if (length > 19) {
            int count = length - 20;
            int fraction = text[offset + 19] == '.' ? digits(text, offset + 20, count) : -1;
            if (fraction < 0) {
                return NONE;
            }
            micros = fraction;
            for (int i = count; i < 6; i++) {
                micros *= 10;
            }
        }
        return checked(year(date), month(date), day(date), hour, minute, second, micros);
    }

    /** Packs a binary DATE or DATETIME cell, whose length byte precedes {@code offset}. */
    static long ofBinary(byte[] row, int offset, int length) {
        if (length != 4 && length != 7 && length != 11) {
            return NONE;
        }
        int year = (row[offset] & 0xFF) | ((row[offset + 1] & 0xFF) << 8);
        int micros = 0;
        if (length == 11) {
            for (int i = 10; i >= 7; i--) {
                micros = (micros << 8) | (row[offset + i] & 0xFF);
            }
        }
        boolean timed = length > 4;
        return checked(
                year,
                row[offset + 2],
                row[offset + 3],
                timed ? row[offset + 4] : 0,
                timed ? row[offset + 5] : 0,
                timed ? row[offset + 6] : 0,
                micros);
    }

    static void appendDate(StringBuilder out, long packed) {
        pad(out, year(packed), 4);
        pad(out.append('-'), month(packed), 2);
        pad(out.append('-'), day(packed), 2);
    }

    /** Appends date and time, with six digits of the fraction unless they are zero. */
    static void appendDateTime(StringBuilder out, long packed) {
        appendDate(out, packed);
        pad(out.append(' '), (int) (packed >>> 32) & 0x1F, 2);
        pad(out.append(':'), (int) (packed >>> 26) & 0x3F, 2);
        pad(out.append(':'), (int) (packed >>> 20) & 0x3F, 2);
        if (micros(packed) != 0) {
            pad(out.append('.'), micros(packed), 6);
        }
    }

    private static boolean exists(int year, int month, int day) {
        try {
            LocalDate.of(year, month, day);
            return true;
        } catch (DateTimeException notInCalendar) {
            return false;
        }
    }

    private static int digits(byte[] text, int offset, int count) {
        int value = 0;
        for (int i = offset; i < offset + count; i++) {
            int digit = text[i] - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            value = value * 10 + digit;
        }
        return value;
    }

    private static void pad(StringBuilder out, int value, int width) {
        for (int limit = 10, digits = 1; digits < width; digits++, limit *= 10) {
            if (value < limit) {
                out.append('0');
            }
        }
        out.append(value);
    }
}
