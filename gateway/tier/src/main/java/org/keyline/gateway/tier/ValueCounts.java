package org.keyline.gateway.tier;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.keyline.gateway.metrics.TierFigures;

/** Counts how loads that asked the tier, and lines sent to it, ended. Thread-safe. */
final class ValueCounts {
    private final Map<TierFigures.Value, LongAdder> counts = new EnumMap<>(TierFigures.Value.class);

    ValueCounts() {
        for (TierFigures.Value each : TierFigures.Value.values()) {
            counts.put(each, new LongAdder());
        }
    }

    void count(TierFigures.Value what) {
        LongAdder count = counts.get(what);
        if (count != null) {
            count.increment();
        }
    }

    Map<TierFigures.Value, Long> sums() {
        Map<TierFigures.Value, Long> sums = new EnumMap<>(TierFigures.Value.class);
        counts.forEach((each, count) -> sums.put(each, count.sum()));
        return sums;
    }
}
