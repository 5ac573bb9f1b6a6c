package org.keyline.planner.digest;

import java.util.Arrays;

/**
 * The statement that was digested last, which the next one often repeats but for its values: then only they have to be found. Confined
 * to one thread; allocates nothing.
 */
final class LastStatement {
    /*
     * A value is plain if no reader can take it for more or less than it is: up to 18 digits, or printable ASCII in quotes that has
     * neither the quote nor a backslash in it. Both end where the kept statement's value ended: at the same byte, or at the end of
     * the text. Up to there all bytes are the same, so a lexer is in the same state behind the one as behind the other.
     */
    private static final int MAX_BYTES = 1024;

    private static final int MAX_SLOTS = 64;
    private static final int MAX_DIGITS = 18;

    private final byte[] text = new byte[MAX_BYTES];
    private final int[] starts = new int[MAX_SLOTS];
    private final int[] ends = new int[MAX_SLOTS];
    private int slots;
    /** -1: none is kept. */
    private int length = -1;

    private SqlMode mode = SqlMode.DEFAULT;

    /** Forgets the statement. */
    void forget() {
        length = -1;
    }

    /** Keeps a statement, if it is short and all its values are plain. */
    void keep(byte[] sql, int from, int to, SqlMode read, int[] slotStarts, int[] slotEnds, int count) {
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
     * Whether a statement is the kept one with other values, all of them plain.
     *
     * @param slotStarts where its values begin, and {@code slotEnds} where they end, are written; undefined if it is another
     */
    boolean isRepeatedBy(byte[] sql, int from, int to, SqlMode read, int[] slotStarts, int[] slotEnds) {
        if (length < 0 || !mode.equals(read)) {
            return false;
        }
        int at = from;
        int kept = 0;
        for (int i = 0; i < slots; i++) {
            int next = at + starts[i] - kept;
            if (next >= to || !Arrays.equals(sql, at, next, text, kept, starts[i])) {
                return false;
            }
            int end = plainEnd(sql, next, to, text[starts[i]]);
            if (end < 0) {
                return false;
            }
            slotStarts[i] = next;
            slotEnds[i] = end;
            at = end;
            kept = ends[i];
        }
        return Arrays.equals(sql, at, to, text, kept, length);
    }

    /**
     * Where a plain value ends; -1 if it is not plain.
     *
     * @param first a digit, or the quote that it begins with
     */
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
