package org.keyline.gateway.session.state;

import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How long what the store allowed, and what it said of an account, may count: until rights may have changed, at most for a while.
 * Thread-safe.
 */
public final class Authority {
    private static final int PERIOD_BITS = 40;

    private final Runnable revoke;
    private final Ticker ticker;
    private final long began;
    private volatile long periodNanos;
    private final AtomicLong revocations = new AtomicLong();

    /** @param revoke forgets what the store allowed */
    public Authority(Duration period, Ticker ticker, Runnable revoke) {
        this.revoke = revoke;
        this.ticker = ticker;
        began = ticker.read();
        periodNanos = nanos(period);
    }

    private static long nanos(Duration period) {
        return Math.max(1, period.toNanos());
    }

    /** Another period. What counts now counts no more: the numbers of both periods have nothing to do with each other. */
    public void period(Duration next) {
        if (nanos(next) != periodNanos) {
            periodNanos = nanos(next);
            revoke();
        }
    }

    /** Rights may have changed. */
    public void revoke() {
        revocations.incrementAndGet();
        revoke.run();
    }

    /** Another number after each change of rights, and after each period. */
    long generation() {
        return (revocations.get() << PERIOD_BITS) + (ticker.read() - began) / periodNanos;
    }
}
