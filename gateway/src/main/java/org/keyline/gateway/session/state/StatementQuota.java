package org.keyline.gateway.session.state;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.keyline.gateway.metrics.GatewayMetrics;

/** How many prepared statements all sessions may hold together, and each of them. Thread-safe. */
public final class StatementQuota {
    private final int max;
    private final IntSupplier perSession;
    private final GatewayMetrics metrics;
    private final AtomicInteger taken = new AtomicInteger();

    /** @param perSession asked for each statement */
    public StatementQuota(int max, IntSupplier perSession, GatewayMetrics metrics) {
        this.max = max;
        this.perSession = perSession;
        this.metrics = metrics;
    }

    /** How many all sessions may hold. */
    public int max() {
        return max;
    }

    /** How many one session may hold. */
    public int perSession() {
        return perSession.getAsInt();
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
