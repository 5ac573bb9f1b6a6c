package org.keyline.protocol.codec;

import org.keyline.protocol.ProtocolException;

/**
 * The fields of a DATE, DATETIME, TIMESTAMP or TIME of the binary protocol. Reusable; confined to
 * one thread. Missing fields are 0, so an empty value is 0000-00-00 00:00:00.
 *
 * @see
 * <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_binary_resultset.html">Binary
 * protocol values</a>
 */
public final class Temporal {
    private boolean negative;
    private int year;
    private int month;
    private int days;
    private int hour;
    private int minute;
    private int second;
    private int micros;

    /** Reads the 0, 4, 7 or 11 bytes after the length byte of a DATE, DATETIME or TIMESTAMP. */
    public void readDateTime(byte[] source, int offset, int length) {
        if (length != 0 && length != 4 && length != 7 && length != 11) {
            throw new ProtocolException("date: " + length + " bytes (expected: 0, 4, 7 or 11)");
        }
        negative = false;
        year = length == 0 ? 0 : LittleEndian.uint16(source, offset);
        month = length == 0 ? 0 : source[offset + 2] & 0xFF;
        days = length == 0 ? 0 : source[offset + 3] & 0xFF;
        readClock(source, offset + 4, length - 4);
    }

    /** Reads the 0, 8 or 12 bytes after the length byte of a TIME. */
    public void readTime(byte[] source, int offset, int length) {
        if (length != 0 && length != 8 && length != 12) {
            throw new ProtocolException("time: " + length + " bytes (expected: 0, 8 or 12)");
        }
        negative = length > 0 && source[offset] != 0;
        year = 0;
        month = 0;
        days = length == 0 ? 0 : LittleEndian.int32(source, offset + 1);
        readClock(source, offset + 5, length - 5);
    }

    private void readClock(byte[] source, int offset, int length) {
        boolean clock = length >= 3;
        hour = clock ? source[offset] & 0xFF : 0;
        minute = clock ? source[offset + 1] & 0xFF : 0;
        second = clock ? source[offset + 2] & 0xFF : 0;
        micros = length >= 7 ? LittleEndian.int32(source, offset + 3) : 0;
    }

    public boolean negative() {
        return negative;
    }

    public int year() {
        return year;
    }

    public int month() {
        return month;
    }

    /** Returns the day of the month of a date, or the days of a TIME. */
    public int days() {
        return days;
    }

    public int hour() {
        return hour;
    }

    public int minute() {
        return minute;
    }

    public int second() {
        return second;
    }

    public int micros() {
        return micros;
    }

    /** Appends {@code 2024-02-29}. */
    public void appendDate(StringBuilder text) {
        pad(text, year, 4).append('-');
        pad(text, month, 2).append('-');
        pad(text, days, 2);
    }

    /** Appends {@code 2024-02-29 12:30:00} with {@code decimals} fractional digits, 0..6. */
    public void appendDateTime(StringBuilder text, int decimals) {
        appendDate(text);
        text.append(' ');
        appendClock(text, hour, decimals);
    }

    /** Appends {@code -26:30:00} with {@code decimals} fractional digits, 0..6. */
    public void appendTime(StringBuilder text, int decimals) {
        if (negative) {
            text.append('-');
        }
        appendClock(text, hour + 24L * days, decimals);
    }

    private void appendClock(StringBuilder text, long hours, int decimals) {
        pad(text, hours, 2).append(':');
        pad(text, minute, 2).append(':');
        pad(text, second, 2);
        if (decimals > 0) {
            int start = text.append('.').length();
            pad(text, micros, 6).setLength(start + Math.min(decimals, 6));
        }
    }

    private static StringBuilder pad(StringBuilder text, long value, int width) {
        long bound = 10;
        for (int digits = 1; digits < width; digits++) {
            if (value < bound) {
                text.append("0".repeat(width - digits));
                break;
            }
            bound *= 10;
        }
        return text.append(value);
    }
}
