package org.keyline.gateway.session.settings;

import java.nio.charset.StandardCharsets;
import org.keyline.planner.StatementKind;

/**
 * A statement's kind and text.
 *
 * @param sql has the text in {@code sql[from..to)}, which must not change while the object is used
 */
@SuppressWarnings("ArrayRecordComponent") // groups arguments, never compared
public record SqlStatement(StatementKind kind, byte[] sql, int from, int to) {
    private static final int MAX_SEARCHED_BYTES = 1024;

    /** Returns a command without text. */
    public static SqlStatement none(StatementKind kind) {
        return of(kind, new byte[0]);
    }

    public static SqlStatement of(StatementKind kind, byte[] sql) {
        return new SqlStatement(kind, sql, 0, sql.length);
    }

    /** Returns the statement with its text only up to {@code end}, an index of the array. */
    public SqlStatement until(int end) {
        return new SqlStatement(kind, sql, from, end);
    }

    public int length() {
        return to - from;
    }

    public boolean isEmpty() {
        return to == from;
    }

    /** Returns the text with one character for each byte. */
    public String latin() {
        return new String(sql, from, to - from, StandardCharsets.ISO_8859_1);
    }

    /** Returns true if the text contains the word, ignoring case, or if the text is long. */
    public boolean mentions(String word) {
        return length() > MAX_SEARCHED_BYTES || indexOf(word) >= 0;
    }

    /** Returns the first index of an upper-case word, or -1. Allocates nothing. */
    public int indexOf(String word) {
        for (int at = from; at <= to - word.length(); at++) {
            int same = 0;
            while (same < word.length() && upper(sql[at + same]) == word.charAt(same)) {
                same++;
            }
            if (same == word.length()) {
                return at;
            }
        }
        return -1;
    }

    private static int upper(byte b) {
        return b >= 'a' && b <= 'z' ? b - 'a' + 'A' : b;
    }
}
