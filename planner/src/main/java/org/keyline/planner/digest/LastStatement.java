package org.keyline.planner.digest;

import java.util.Arrays;

/**
 * Remembers the last digested statement. A following statement that differs only in its values
 * needs no full digest. Confined to one thread; allocates nothing.
 */
final class LastStatement {
    /*
     * A value is plain if every lexer finds the same end: up to 18 digits, or printable ASCII in
     * quotes without the quote or a backslash. Each new value must be followed by the same byte as
     * the stored one, or by the end of the text. All bytes outside the values are equal, so a lexer
     * is in the same state after either value.
     */
    private static final int MAX_BYTES = 1024;

    private static final int MAX_SLOTS = 64;
    private static final int MAX_DIGITS = 18;

    private final byte[] text = new byte[MAX_BYTES];
    private final int[] starts = new int[MAX_SLOTS];
    private final int[] ends = new int[MAX_SLOTS];
    private int slots;
    /** Length of the stored statement; -1 if none is stored. */
    private int length = -1;

    private SqlMode mode = SqlMode.DEFAULT;

    void forget() {
        length = -1;
    }

    /** Stores a statement unless it is too long or has a value that is not plain. */
    void store(byte[] sql, int from, int to, SqlMode read, int[] slotStarts, int[] slotEnds, int count) {
        length = -1;
        if (to - from > MAX_BYTES || count > MAX_SLOTS) {
            return;
        }
        for (int i = 0; i < count; i++) {
            if (plainEnd(sql, slotStarts[i], to, sql[slotStarts[i]]) != slotEnds[i]) {
                return;
            }
            starts[i] = slotStarts[i] - from;
            ends[i] = slotEnds[i] - from;
        }
        System.arraycopy(sql, from, text, 0, to - from);
        length = to - from;
        slots = count;
        mode = read;
    }

    /**
     * Returns whether the text differs from the stored statement only in plain values.
     *
     * @param slotStarts receives the beginnings of the values; undefined if the result is false
     * @param slotEnds receives the ends of the values; undefined if the result is false
     */
    boolean isRepeatedBy(byte[] sql, int from, int to, SqlMode read, int[] slotStarts, int[] slotEnds) {
        if (length < 0 || !mode.equals(read)) {
            return false;
        }
        int at = from;
        int compared = 0;
        for (int i = 0; i < slots; i++) {
            int next = at + starts[i] - compared;
            if (next >= to || !Arrays.equals(sql, at, next, text, compared, starts[i])) {
                return false;
            }
            int end = plainEnd(sql, next, to, text[starts[i]]);
            if (end < 0) {
                return false;
            }
            slotStarts[i] = next;
            slotEnds[i] = end;
            at = end;
            compared = ends[i];
        }
        return Arrays.equals(sql, at, to, text, compared, length);
    }

    /** Returns the end of a value that begins like {@code first}; -1 if it is not plain. */
    private static int plainEnd(byte[] sql, int start, int to, byte first) {
        if (first != '\'' && first != '"') {
            int at = start;
            while (at < to && sql[at] >= '0' && sql[at] <= '9') {
                at++;
            }
            return at == start || at - start > MAX_DIGITS ? -1 : at;
        }
        if (sql[start] != first) {
            return -1;
        }
        for (int at = start + 1; at < to; at++) {
            byte b = sql[at];
            if (b == first) {
                return at + 1;
            }
            if (b < ' ' || b > '~' || b == '\\') {
                return -1;
            }
        }
        return -1;
    }
}
