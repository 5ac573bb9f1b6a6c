package org.keyline.gateway.slow;

import java.time.Instant;

/**
 * A statement that took long.
 *
 * @param ended when it was done
 * @param id of its client's connection
 * @param host of its client
 * @param schema that its names are of; empty if none was selected
 * @param text with a question mark for each value; empty if it was not read
 * @param outcome who answered: {@code load} or {@code store}
 * @param reason why the store did; empty where it did not
 * @param bytes of the reply; with a cursor, without the rows to be fetched
 * @param error number of the error that it ended with; 0 for none
 */
public record SlowStatement(
        Instant ended,
        int id,
        String user,
        String host,
        String schema,
        String text,
        String outcome,
        String reason,
        Spent spent,
        long rows,
        long bytes,
        int error) {
    private static final int MAX_TEXT = 2_000;
    private static final String UNREAD = "(not read)";

    public SlowStatement {
        text = text.isEmpty() ? UNREAD : text.substring(0, Math.min(MAX_TEXT, text.length()));
    }
}
