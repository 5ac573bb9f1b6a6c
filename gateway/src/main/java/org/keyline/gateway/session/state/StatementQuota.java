package org.keyline.gateway.session.state;

import java.util.concurrent.atomic.AtomicInteger;
import org.keyline.gateway.metrics.GatewayMetrics;

/** How many prepared statements all sessions may hold together. Thread-safe. */
public final class StatementQuota {
    private final int max;
    private final GatewayMetrics metrics;
    private final AtomicInteger taken = new AtomicInteger();

    public StatementQuota(int max, GatewayMetrics metrics) {
        this.max = max;
        this.metrics = metrics;
    }

    /** How many all sessions may hold. */
    public int max() {
        return max;
    }

    /** Whether there was room for one more. */
    public boolean take() {
        if (taken.incrementAndGet() > max) {
            taken.decrementAndGet();
            return false;
        }
        metrics.preparedStatements(1);
        return true;
    }

    /** Gives back as many. */
    public void give(int count) {
        taken.addAndGet(-count);
        metrics.preparedStatements(-count);
    }
}
