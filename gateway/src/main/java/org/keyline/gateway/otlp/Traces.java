package org.keyline.gateway.otlp;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.config.GatewayConfig;
import org.keyline.gateway.slow.SlowStatement;

/**
 * Sends spans of misses and forwarded statements to an OpenTelemetry collector, by OTLP over HTTP in JSON. Hits have none, and cost nothing for
 * it. Where a statement names its parent, that one's choice holds; of the others one of so many is sent. What the queue has no room for, or the
 * collector does not take, is dropped and counted. Thread-safe.
 */
public final class Traces implements AutoCloseable {
    private static final int MOST_WAITING = 4_096;
    private static final int MOST_TOGETHER = 512;
    private static final int PERIOD_MS = 500;

    private final IntSupplier oneIn;
    private final BlockingQueue<Span> queue = new ArrayBlockingQueue<>(MOST_WAITING);
    private final @Nullable Collector collector;
    private final LongAdder sent = new LongAdder();
    private final LongAdder dropped = new LongAdder();
    private @Nullable SpanRequest requests;
    private @Nullable ScheduledExecutorService thread;

    /**
     * A statement of a trace.
     *
     * @param trace 32 hexadecimal digits
     * @param parent of the trace; null where it begins here
     */
    record Span(String trace, @Nullable String parent, SlowStatement statement) {}

    /**
     * With what is configured.
     *
     * @param config without {@code tracesUrl}: nothing is recorded
     * @param oneIn of how many statements that name no parent one begins a trace, asked for each of them; 0: none
     */
    public Traces(GatewayConfig.Otlp config, IntSupplier oneIn) {
        this.oneIn = oneIn;
        collector = config.tracesUrl() == null ? null : new Collector(config.tracesUrl(), config.token(), "traces");
    }

    /** Begins to send what is and will be recorded. */
    public void start(Map<String, String> resource) {
        if (collector != null) {
            requests = new SpanRequest(resource);
            thread = Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("keyline-traces", true));
            ScheduledFuture<?> unused =
                    thread.scheduleWithFixedDelay(this::send, PERIOD_MS, PERIOD_MS, TimeUnit.MILLISECONDS);
        }
    }

    /**
     * What a statement's span is to be part of; null if it is not to be recorded.
     *
     * @param sql its text in {@code sql[from..to)}; empty if it was not read
     */
    public @Nullable TraceParent sample(byte[] sql, int from, int to) {
        if (collector == null) {
            return null;
        }
        TraceParent named = TraceParent.in(sql, from, to);
        if (named != null) {
            return named.sampled() ? named : null;
        }
        int among = oneIn.getAsInt();
        return among > 0 && ThreadLocalRandom.current().nextInt(among) == 0
                ? new TraceParent(SpanRequest.id(2), "", true)
                : null;
    }

    /** Records a statement that is done. */
    public void add(TraceParent of, SlowStatement statement) {
        if (!queue.offer(new Span(of.trace(), of.span().isEmpty() ? null : of.span(), statement))) {
            dropped.increment();
        }
    }

    private void send() {
        List<Span> spans = new ArrayList<>();
        while (queue.drainTo(spans, MOST_TOGETHER) > 0) {
            boolean taken = Objects.requireNonNull(collector)
                    .send(Objects.requireNonNull(requests).body(spans));
            (taken ? sent : dropped).add(spans.size());
            spans.clear();
        }
    }

    /** Statements whose spans the collector has taken. */
    public LongAdder sent() {
        return sent;
    }

    /** Statements whose spans were lost. */
    public LongAdder dropped() {
        return dropped;
    }

    /** Sends nothing more, and does not wait. */
    @Override
    public void close() {
        if (thread != null) {
            thread.shutdownNow();
        }
    }
}
