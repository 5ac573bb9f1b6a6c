package org.keyline.gateway.session.state;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.keyline.gateway.metrics.GatewayMetrics;

/** How many prepared statements all sessions may hold together, and each of them. Thread-safe. */
public final class StatementQuota {
    private final IntSupplier max;
    private final IntSupplier perSession;
    private final GatewayMetrics metrics;
    private final AtomicInteger taken = new AtomicInteger();

    /**
     * @param max asked for each statement
     * @param perSession the same
     */
    public StatementQuota(IntSupplier max, IntSupplier perSession, GatewayMetrics metrics) {
        this.max = max;
        this.perSession = perSession;
        this.metrics = metrics;
    }

    /** How many all sessions may hold. */
    public int max() {
        return max.getAsInt();
    }

    /** How many one session may hold. */
    public int perSession() {
        return perSession.getAsInt();
    }

    /** Whether there was room for one more. */
    public boolean take() {
        if (taken.incrementAndGet() > max()) {
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
