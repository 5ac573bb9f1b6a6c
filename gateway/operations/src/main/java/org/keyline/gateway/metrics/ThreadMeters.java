package org.keyline.gateway.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Meters for threads. Micrometer's meters read all threads six times per scrape. Thread-safe. */
final class ThreadMeters {
    private static final long MAX_AGE_NANOS = 100_000_000;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

    /** Guarded by this. */
    private final Map<Thread.State, Integer> states = new EnumMap<>(Thread.State.class);

    /** When {@link #states} was read; undefined while it is empty. Guarded by this. */
    private long readNanos;

    void bindTo(MeterRegistry registry) {
        gauge(
                registry,
                "peak",
                "The peak live thread count since the Java virtual machine started or peak was reset",
                ThreadMXBean::getPeakThreadCount);
        gauge(registry, "daemon", "The current number of live daemon threads", ThreadMXBean::getDaemonThreadCount);
        gauge(
                registry,
                "live",
                "The current number of live threads including both daemon and non-daemon threads",
                ThreadMXBean::getThreadCount);
        FunctionCounter.builder("jvm.threads.started", threads, ThreadMXBean::getTotalStartedThreadCount)
                .description("The total number of application threads started in the JVM")
                .baseUnit(BaseUnits.THREADS)
                .register(registry);
        for (Thread.State state : Thread.State.values()) {
            Gauge.builder("jvm.threads.states", this, meters -> meters.count(state))
                    .tag("state", state.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                    .description("The current number of threads")
                    .baseUnit(BaseUnits.THREADS)
                    .strongReference(true)
                    .register(registry);
        }
    }

    private void gauge(MeterRegistry registry, String name, String description, ToDoubleFunction<ThreadMXBean> figure) {
        Gauge.builder("jvm.threads." + name, threads, figure)
                .description(description)
                .baseUnit(BaseUnits.THREADS)
                .register(registry);
    }

    private synchronized int count(Thread.State state) {
        long now = System.nanoTime();
        if (states.isEmpty() || now - readNanos > MAX_AGE_NANOS) {
            states.clear();
            for (@Nullable ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
                if (thread != null) {
                    states.merge(thread.getThreadState(), 1, Integer::sum);
                }
            }
            readNanos = now;
        }
        return states.getOrDefault(state, 0);
    }
}
