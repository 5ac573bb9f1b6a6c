package org.keyline.planner.digest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Derives the texts that a store may read from a text with executable comments. */
public final class ExecutableComments {
    private static final int MAX_COMMENTS = 3;
    private static final int MARK_BYTES = 3;
    private static final int CLOSE_BYTES = 2;
    private static final int MAX_VERSION_DIGITS = 6;

    private ExecutableComments() {}

    /**
     * Returns one text for each combination of executable comments that the store may run. Returns
     * an empty list if there are too many comments, or if the end of a comment is uncertain.
     */
    public static List<byte[]> readings(Digester digested) {
        byte[] source = digested.sourceBytes();
        List<int[]> comments = new ArrayList<>();
        Lexer lexer = new Lexer();
        lexer.reset(source, 0, source.length, digested.mode());
        for (TokenType type = lexer.next(); type != TokenType.END; type = lexer.next()) {
            if (type == TokenType.ERROR) {
                return List.of();
            }
            if (type == TokenType.EXECUTABLE_COMMENT) {
                int from = contentFrom(source, lexer.start());
                if (comments.size() == MAX_COMMENTS || isUncertain(source, from, lexer.end() - CLOSE_BYTES)) {
                    return List.of();
                }
                comments.add(new int[] {lexer.start(), from, lexer.end()});
            }
        }
        List<byte[]> readings = new ArrayList<>();
        for (int run = 0; run < 1 << comments.size(); run++) {
            byte[] reading = source.clone();
            for (int i = 0; i < comments.size(); i++) {
                int[] comment = comments.get(i);
                boolean runs = (run & (1 << i)) != 0;
                Arrays.fill(reading, comment[0], runs ? comment[1] : comment[2], (byte) ' ');
                Arrays.fill(reading, comment[2] - CLOSE_BYTES, comment[2], (byte) ' ');
            }
            readings.add(reading);
        }
        return readings;
    }

    /** Returns the index after the comment's opening marks and version number. */
    private static int contentFrom(byte[] sql, int comment) {
        int at = comment + MARK_BYTES + (sql[comment + 2] == '!' ? 0 : 1);
        int digits = 0;
        while (digits < MAX_VERSION_DIGITS && sql[at + digits] >= '0' && sql[at + digits] <= '9') {
            digits++;
        }
        // Stores differ in how they read three or seven digits.
        return digits == 0 || digits >= MAX_VERSION_DIGITS - 1 ? at + digits : at;
    }

    /**
     * Returns whether the end of the comment is uncertain, because a store may read strings and
     * comments within it.
     */
    private static boolean isUncertain(byte[] sql, int from, int to) {
        boolean uncertain = from > to;
        for (int i = from; i < to; i++) {
            byte b = sql[i];
            uncertain |= b == '\'' || b == '"' || b == '`' || b == '#' || b == '/' || b == '-' || b == ';' || b == '*';
        }
        return uncertain || (from < to && sql[from] >= '0' && sql[from] <= '9');
    }
}
