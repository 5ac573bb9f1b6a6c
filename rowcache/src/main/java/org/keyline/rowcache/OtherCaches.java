package org.keyline.rowcache;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The caches of other processes in front of the same store, which exchange notifications of writes
 * with this cache. A line older than the staleness answers only while the other caches extend its
 * freshness. Thread-safe.
 */
public final class OtherCaches {
    public static final OtherCaches NONE = new OtherCaches(Long.MAX_VALUE, 0);

    /** Is notified of completed writes. Called under the fence's lock, so it must not block. */
    public interface Listener {
        /** Receives the prefixes of written rows. The listener must not modify them. */
        void rows(LineTable table, List<byte[]> prefixes);

        void table(LineTable table);

        void everything();

        /**
         * Receives written rows that are not cached in this process.
         *
         * @param name as given to {@link Fence#elsewhere}
         */
        void elsewhere(Object name);

        /**
         * Returns a stage that completes when no other cache answers with the old rows; null if no
         * wait is needed.
         */
        default @Nullable CompletionStage<Void> taken() {
            return null;
        }

        /** Returns whether other sessions see a write to the table only after COMMIT. */
        boolean waitsForCommit(LineTable table);
    }

    private final long stalenessNanos;

    private volatile long freshUpToNanos;
    private volatile @Nullable Listener listener;

    private OtherCaches(long stalenessNanos, long freshUpToNanos) {
        this.stalenessNanos = stalenessNanos;
        this.freshUpToNanos = freshUpToNanos;
    }

    /**
     * Returns other caches that have not extended freshness yet.
     *
     * @param staleness how long this cache may miss a write that another process has completed
     * @param nowNanos the ticker's time
     */
    public static OtherCaches of(Duration staleness, long nowNanos) {
        return new OtherCaches(staleness.toNanos(), nowNanos - TableOptions.MAX_TTL.toNanos() - 1);
    }

    /** Sets the listener. Must be called before the first write. */
    public void listener(Listener next) {
        listener = next;
    }

    /**
     * Extends the freshness to a moment. The caller must have dropped all lines that lack a write
     * by another process before this moment. Called by one thread at a time.
     *
     * @param asOfNanos the moment by the ticker; no effect if an earlier call passed a later moment
     */
    public void extendFreshness(long asOfNanos) {
        if (asOfNanos - freshUpToNanos > 0) {
            freshUpToNanos = asOfNanos;
        }
    }

    /**
     * Returns the time up to which writes of other caches were applied. Must be read before the
     * lookup of a line, because the lookup can miss later drops.
     */
    long freshUpToNanos() {
        return freshUpToNanos;
    }

    long stalenessNanos() {
        return stalenessNanos;
    }

    @Nullable
    Listener listener() {
        return listener;
    }
}
