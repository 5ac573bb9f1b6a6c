package org.keyline.gateway.change;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Decides how long the permissions that the store gave an account are valid: until rights may have
 * changed, but at most for a period. Thread-safe.
 *
 * <p>In MariaDB and MySQL, a session retains the global rights of its login. A permission that the
 * store gives to an older session is therefore valid for that session only.
 */
public final class Authority {
    private static final int PERIOD_BITS = 40;

    /**
     * Maximum number of accounts whose rights are remembered. With more accounts, changes of some
     * accounts' rights can remain unnoticed.
     */
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

    /** @param revoke discards all permissions that the store has given */
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

    /** Adds an action that runs when the store's permissions are discarded. */
    public void onRevoke(Runnable forget) {
        revoked.add(forget);
    }

    /**
     * Sets the period. Current permissions expire if the period differs from the previous one,
     * because generation numbers of different periods cannot be compared.
     */
    public void period(Duration next) {
        if (nanos(next) != periodNanos) {
            periodNanos = nanos(next);
            revoke();
        }
    }

    public void rightsChanged() {
        changedNanos = System.nanoTime();
        revoke();
    }

    /**
     * Receives the global rights of an account. Each session asks for them once per period, before
     * it uses a permission. In this way, Keyline detects changes that no signal reports.
     *
     * @param now the reply to {@link org.keyline.stores.StoreSession#GLOBAL_RIGHTS}
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

    /** Returns whether rights may have changed since a login at this {@link System#nanoTime}. */
    public boolean isOlder(long loginNanos) {
        long changed = changedNanos;
        return changed != Long.MIN_VALUE && loginNanos - changed <= 0;
    }

    /** Returns a new number, which distinguishes one session from all others. */
    public long number() {
        return numbers.incrementAndGet();
    }

    /** Returns a number that changes with each change of rights, and after each period. */
    public long generation() {
        return (revocations.get() << PERIOD_BITS) + (ticker.read() - began) / periodNanos;
    }
}
