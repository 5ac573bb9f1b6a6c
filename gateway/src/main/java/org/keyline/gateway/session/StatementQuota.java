package org.keyline.gateway.session;

import java.util.concurrent.atomic.AtomicInteger;
import org.keyline.gateway.metrics.GatewayMetrics;

/** How many prepared statements all sessions may hold together. Thread-safe. */
final class StatementQuota {
    private final int max;
    private final GatewayMetrics metrics;
    private final AtomicInteger taken = new AtomicInteger();

    StatementQuota(int max, GatewayMetrics metrics) {
        this.max = max;
        this.metrics = metrics;
    }

    int max() {
        return max;
    }

    /** Whether there was room for one more. */
    boolean take() {
        if (taken.incrementAndGet() > max) {
            taken.decrementAndGet();
            return false;
        }
        metrics.preparedStatements(1);
        return true;
    }

    void give(int count) {
        taken.addAndGet(-count);
        metrics.preparedStatements(-count);
    }
}
