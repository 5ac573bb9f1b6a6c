package org.keyline.gateway.session.state;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.keyline.gateway.metrics.GatewayMetrics;

/** Limits prepared statements, per session and for all sessions together. Thread-safe. */
public final class StatementQuota {
    private final IntSupplier max;
    private final IntSupplier perSession;
    private final GatewayMetrics metrics;
    private final AtomicInteger taken = new AtomicInteger();

    /**
     * @param max returns the maximum for all sessions together; called for each statement
     * @param perSession returns the maximum for one session; called for each statement
     */
    public StatementQuota(IntSupplier max, IntSupplier perSession, GatewayMetrics metrics) {
        this.max = max;
        this.perSession = perSession;
        this.metrics = metrics;
    }

    public int max() {
        return max.getAsInt();
    }

    public int perSession() {
        return perSession.getAsInt();
    }

    /** Takes a place for a statement. Returns false if the maximum of all sessions is reached. */
    public boolean take() {
        if (taken.incrementAndGet() > max()) {
            taken.decrementAndGet();
            return false;
        }
        metrics.preparedStatements(1);
        return true;
    }

    public void give(int count) {
        taken.addAndGet(-count);
        metrics.preparedStatements(-count);
    }
}
