package org.keyline.gateway.change;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How long what the store allowed, and what it said of an account, may count: until rights may have
 * changed, at most for a period. Thread-safe.
 *
 * <p>MariaDB and MySQL let a session keep the global rights that it logged in with. So after a
 * change of rights, the store's consent to a session that logged in before the change counts for
 * that session alone.
 */
public final class Authority {
    private static final int PERIOD_BITS = 40;

    /** Further accounts are unknown until their next question. */
    private static final int MAX_ACCOUNTS = 4_096;

    private final Cache<String, String> rights = Caffeine.newBuilder()
            .maximumSize(MAX_ACCOUNTS)
            .executor(Runnable::run)
            .build();
    private final List<Runnable> revoked = new CopyOnWriteArrayList<>();
    private final Ticker ticker;
    private final long began;
    private volatile long periodNanos;
    private final AtomicLong revocations = new AtomicLong();
    private final AtomicLong numbers = new AtomicLong();
    private volatile long changedNanos;

    /** @param revoke removes what the store allowed */
    public Authority(Duration period, Ticker ticker, Runnable revoke) {
        this.ticker = ticker;
        began = ticker.read();
        periodNanos = nanos(period);
        changedNanos = Long.MIN_VALUE;
        revoked.add(revoke);
    }

    private static long nanos(Duration period) {
        return Math.max(1, period.toNanos());
    }

    /** Registers another action that removes what the store allowed. */
    public void onRevoke(Runnable forget) {
        revoked.add(forget);
    }

    /**
     * Sets another period. Current grants expire, since numbers of both periods cannot be compared.
     */
    public void period(Duration next) {
        if (nanos(next) != periodNanos) {
            periodNanos = nanos(next);
            revoke();
        }
    }

    /** Reports that rights may have changed. */
    public void rightsChanged() {
        changedNanos = System.nanoTime();
        revoke();
    }

    /**
     * Receives the store's reply on the global rights of an account. Each session asks before the
     * store's consent to it counts in a new period. So a change that came past the gateway and that
     * no signal reported is detected within a period.
     *
     * @param now {@link org.keyline.stores.StoreSession#GLOBAL_RIGHTS}
     */
    public void rights(String account, String now) {
        String before = rights.asMap().put(account, now);
        if (before != null && !before.equals(now)) {
            rightsChanged();
        }
    }

    private void revoke() {
        revocations.incrementAndGet();
        revoked.forEach(Runnable::run);
    }

    /**
     * Returns whether rights may have changed after a login that began then.
     *
     * @param loginNanos by {@link System#nanoTime}
     */
    public boolean isOlder(long loginNanos) {
        long changed = changedNanos;
        return changed != Long.MIN_VALUE && loginNanos - changed <= 0;
    }

    /** Returns a number that is unique among sessions. */
    public long number() {
        return numbers.incrementAndGet();
    }

    /** Returns a number that differs after each change of rights, and after each period. */
    public long generation() {
        return (revocations.get() << PERIOD_BITS) + (ticker.read() - began) / periodNanos;
    }
}
