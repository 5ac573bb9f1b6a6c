package org.keyline.gateway.slow;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A slow statement.
 *
 * @param schema the schema of unqualified names; empty if none was selected
 * @param text the text with a question mark for each value; empty if the text was not read
 * @param outcome {@code load} if lines answered after a load, {@code store} if the store answered
 * @param reason why the store answered; empty if it did not
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
        Replied reply) {
    /**
     * A reply.
     *
     * @param bytes the size of the reply, without rows that the client fetches later by a cursor
     * @param error the error number; 0 if the statement succeeded
     */
    public record Replied(long rows, long bytes, int error) {}

    private static final int MAX_TEXT = 2_000;
    private static final String UNREAD = "(not read)";

    public SlowStatement {
        text = text.isEmpty() ? UNREAD : text.substring(0, Math.min(MAX_TEXT, text.length()));
    }

    /** Returns, in order, the columns of the file and the view {@code keyline.slow} by name. */
    public Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("time", ended);
        fields.put("id", id);
        fields.put("user", user);
        fields.put("host", host);
        fields.put("schema_name", schema);
        fields.put("text", text);
        fields.put("outcome", outcome);
        fields.put("reason", reason);
        fields.put("total_us", micros(spent.totalNanos()));
        fields.put("queue_us", micros(spent.queueNanos()));
        fields.put("load_us", micros(spent.loadNanos()));
        fields.put("store_us", micros(spent.storeNanos()));
        fields.put("write_us", micros(spent.writeNanos()));
        fields.put("row_count", reply.rows());
        fields.put("byte_count", reply.bytes());
        fields.put("error", reply.error());
        return fields;
    }

    private static long micros(long nanos) {
        return TimeUnit.NANOSECONDS.toMicros(nanos);
    }
}
