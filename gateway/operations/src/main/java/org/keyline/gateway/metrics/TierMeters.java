package org.keyline.gateway.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** Registers the figures of the tier as meters. */
final class TierMeters {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final MeterRegistry registry;
    private final Supplier<TierFigures> figures;

    TierMeters(MeterRegistry registry, Supplier<TierFigures> figures) {
        this.registry = registry;
        this.figures = figures;
        gauge("connected", "1 while the server of lines accepts commands.", now -> now.connected() ? 1 : 0);
        counter("sent", "Messages sent to the other gateways.", TierFigures::sent);
        counter("lost", "Messages that could not be sent to all other gateways.", TierFigures::lost);
        counter("received", "Messages of the other gateways.", TierFigures::received);
        counter("gaps", "Gaps in the messages of the other gateways; each dropped all lines.", TierFigures::gaps);
        counter("unreadable", "Received data that was not a message.", TierFigures::unreadable);
        for (TierFigures.Value each : figures.get().values().keySet()) {
            counter("lines." + each.id(), each.description(), now -> now.values(each));
        }
        for (TierFigures.Member member : figures.get().members()) {
            String name = member.name();
            Gauge.builder("keyline.tier.freshness.lag.seconds", figures, now -> seconds(now.get(), name))
                    .description(
                            "Time since the moment up to which the gateway's writes are known here; NaN if it sent nothing.")
                    .tag("member", name)
                    .register(registry);
            Gauge.builder("keyline.tier.linked", figures, now -> linked(now.get(), name))
                    .description("1 while the link to the gateway is open.")
                    .tag("member", name)
                    .register(registry);
        }
    }

    static void status(TierFigures now, Map<String, Long> status) {
        status.put("Keyline_tier_connected", now.connected() ? 1L : 0L);
        status.put("Keyline_tier_sent", now.sent());
        status.put("Keyline_tier_lost", now.lost());
        status.put("Keyline_tier_received", now.received());
        status.put("Keyline_tier_gaps", now.gaps());
        status.put("Keyline_tier_unreadable", now.unreadable());
        if (!now.values().isEmpty()) {
            status.put("Keyline_tier_hits", now.values(TierFigures.Value.HIT));
            status.put("Keyline_tier_misses", now.values(TierFigures.Value.MISS));
            status.put("Keyline_tier_puts", now.values(TierFigures.Value.PUT));
            status.put("Keyline_tier_refused", now.refused());
            status.put("Keyline_tier_late", now.values(TierFigures.Value.LATE));
            status.put("Keyline_tier_waited", now.values(TierFigures.Value.WAITED));
        }
        long oldest = 0;
        for (TierFigures.Member member : now.members()) {
            oldest = member.freshnessLagNanos() < 0 || oldest < 0 ? -1 : Math.max(oldest, member.freshnessLagNanos());
        }
        status.put("Keyline_tier_freshness_lag_ms", oldest < 0 ? -1 : oldest / NANOS_PER_MILLI);
    }

    private static double linked(TierFigures now, String name) {
        return now.members().stream().anyMatch(member -> member.name().equals(name) && member.linked()) ? 1 : 0;
    }

    private static double seconds(TierFigures now, String name) {
        for (TierFigures.Member member : now.members()) {
            if (member.name().equals(name) && member.freshnessLagNanos() >= 0) {
                return member.freshnessLagNanos() / NANOS_PER_SECOND;
            }
        }
        return Double.NaN;
    }

    private void gauge(String name, String description, ToDoubleFunction<TierFigures> figure) {
        Gauge.builder("keyline.tier." + name, figures, now -> figure.applyAsDouble(now.get()))
                .description(description)
                .register(registry);
    }

    private void counter(String name, String description, ToDoubleFunction<TierFigures> figure) {
        FunctionCounter.builder("keyline.tier." + name, figures, now -> figure.applyAsDouble(now.get()))
                .description(description)
                .register(registry);
    }
}
