package org.keyline.gateway.otlp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.slow.SlowStatement;
import org.keyline.gateway.slow.Spent;

/**
 * Statements as an ExportTraceServiceRequest in JSON: the OpenTelemetry protocol 1.x, with ids in hexadecimal and 64-bit numbers as texts. Each
 * has a span for each part of its time that it had. Immutable.
 */
final class SpanRequest {
    /** SPAN_KIND_SERVER, SPAN_KIND_INTERNAL and SPAN_KIND_CLIENT. */
    private static final int SERVER = 2;

    private static final int INTERNAL = 1;
    private static final int CLIENT = 3;

    /** STATUS_CODE_ERROR. */
    private static final int ERROR = 2;

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Map<String, String> resource;

    /** @param resource what the spans are of, as attributes such as {@code service.name} */
    SpanRequest(Map<String, String> resource) {
        this.resource = Map.copyOf(resource);
    }

    /** An id that nobody else has, of so many times eight bytes. */
    static String id(int longs) {
        StringBuilder id = new StringBuilder();
        for (int i = 0; i < longs; i++) {
            // Never all zeros, which stands for none.
            id.append(String.format("%016x", ThreadLocalRandom.current().nextLong() | 1));
        }
        return id.toString();
    }

    byte[] body(List<Traces.Span> statements) {
        ObjectNode request = JSON.createObjectNode();
        ObjectNode of = request.putArray("resourceSpans").addObject();
        ArrayNode attributes = of.putObject("resource").putArray("attributes");
        resource.forEach((key, value) -> text(attributes, key, value));
        ObjectNode scope = of.putArray("scopeSpans").addObject();
        scope.putObject("scope").put("name", "org.keyline");
        ArrayNode spans = scope.putArray("spans");
        statements.forEach(statement -> statement(spans, statement));
        try {
            return JSON.writeValueAsBytes(request);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("texts and numbers that are no JSON", e);
        }
    }

    private static void statement(ArrayNode spans, Traces.Span of) {
        SlowStatement done = of.statement();
        Spent spent = done.spent();
        long end = nanos(done.ended());
        long begin = end - spent.totalNanos();
        String id = id(1);
        ObjectNode span = span(spans, of.trace(), id, of.parent(), operation(done.text()), SERVER, begin, end);
        ArrayNode attributes = span.putArray("attributes");
        text(attributes, "db.system.name", "mysql");
        text(attributes, "db.query.text", done.text());
        if (!done.schema().isEmpty()) {
            text(attributes, "db.namespace", done.schema());
        }
        text(attributes, "client.address", done.host());
        text(attributes, "keyline.user", done.user());
        text(attributes, "keyline.outcome", done.outcome());
        if (!done.reason().isEmpty()) {
            text(attributes, "keyline.reason", done.reason());
        }
        number(attributes, "keyline.connection", done.id());
        number(attributes, "db.response.returned_rows", done.rows());
        number(attributes, "keyline.bytes", done.bytes());
        if (done.error() != 0) {
            text(attributes, "db.response.status_code", Integer.toString(done.error()));
            text(attributes, "error.type", Integer.toString(done.error()));
            span.putObject("status").put("code", ERROR);
        }
        long at = part(spans, of.trace(), id, "load", INTERNAL, begin, spent.loadNanos());
        at = part(spans, of.trace(), id, "queue", INTERNAL, at, spent.queueNanos());
        long ofStore = part(spans, of.trace(), id, "store", CLIENT, at, spent.storeNanos());
        long unused = part(spans, of.trace(), id, "write", INTERNAL, ofStore, spent.writeNanos());
    }

    /** Answers where the next part begins. */
    private static long part(
            ArrayNode spans, String trace, String parent, String name, int kind, long begin, long nanos) {
        if (nanos > 0) {
            span(spans, trace, id(1), parent, name, kind, begin, begin + nanos);
        }
        return begin + nanos;
    }

    private static ObjectNode span(
            ArrayNode spans,
            String trace,
            String id,
            @Nullable String parent,
            String name,
            int kind,
            long begin,
            long end) {
        ObjectNode span = spans.addObject().put("traceId", trace).put("spanId", id);
        if (parent != null) {
            span.put("parentSpanId", parent);
        }
        return span.put("name", name)
                .put("kind", kind)
                .put("startTimeUnixNano", Long.toString(begin))
                .put("endTimeUnixNano", Long.toString(end));
    }

    /** The first word: names of spans are to be few. */
    private static String operation(String text) {
        int end = 0;
        while (end < text.length() && Character.isLetter(text.charAt(end))) {
            end++;
        }
        return end == 0 ? "statement" : text.substring(0, end).toUpperCase(Locale.ROOT);
    }

    private static void text(ArrayNode attributes, String key, String value) {
        attributes.addObject().put("key", key).putObject("value").put("stringValue", value);
    }

    private static void number(ArrayNode attributes, String key, long value) {
        attributes.addObject().put("key", key).putObject("value").put("intValue", Long.toString(value));
    }

    private static long nanos(Instant moment) {
        return TimeUnit.SECONDS.toNanos(moment.getEpochSecond()) + moment.getNano();
    }
}
