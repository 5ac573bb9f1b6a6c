package org.keyline.rowcache;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Caches elsewhere in front of the same store, which exchange notifications of writes with this
 * one. A line older than the staleness answers only while the others extend its freshness. For that
 * they must have reported all their writes up to a moment within the staleness. Thread-safe.
 */
public final class OtherCaches {
    /** No other caches. */
    public static final OtherCaches NONE = new OtherCaches(Long.MAX_VALUE, 0);

    /**
     * Is notified of writes that completed at the store. Called while holding their fence's lock,
     * before it opens; must not block.
     */
    public interface Listener {
        /**
         * Reports written rows under prefixes of a table. The listener must not modify the
         * prefixes.
         */
        void rows(LineTable table, List<byte[]> prefixes);

        void table(LineTable table);

        void everything();

        /**
         * Reports written rows that are not cached here, by the name given to
         * {@link Fence#elsewhere}.
         */
        void elsewhere(Object name);

        /**
         * Returns a stage that completes when no other cache answers any more from data that the
         * reported writes replaced; null if that need not be awaited.
         */
        default @Nullable CompletionStage<Void> taken() {
            return null;
        }

        /**
         * Returns whether a write to the table becomes visible to others only when its transaction
         * ends.
         */
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
     * Returns other caches that have not extended any freshness yet.
     *
     * @param staleness how long a write that completed elsewhere may be invisible here
     * @param nowNanos the ticker's time
     */
    public static OtherCaches of(Duration staleness, long nowNanos) {
        return new OtherCaches(staleness.toNanos(), nowNanos - TableOptions.MAX_TTL.toNanos() - 1);
    }

    /** Sets the listener for writes; must be called before the first one. */
    public void listener(Listener next) {
        listener = next;
    }

    /**
     * Extends freshness up to a moment: all writes that completed at the store before it, through
     * any of the others, have been dropped here. Called by one thread at a time.
     *
     * @param asOfNanos the ticker's time at that moment; one before the last has no effect
     */
    public void extendFreshness(long asOfNanos) {
        if (asOfNanos - freshUpToNanos > 0) {
            freshUpToNanos = asOfNanos;
        }
    }

    /**
     * Returns the freshness watermark. Must be read before a line is looked up: a later watermark
     * may cover drops after the lookup.
     */
    long freshUpToNanos() {
        return freshUpToNanos;
    }

    long stalenessNanos() {
        return stalenessNanos;
    }

    /** Returns the listener for writes, or null. */
    @Nullable
    Listener listener() {
        return listener;
    }
}
