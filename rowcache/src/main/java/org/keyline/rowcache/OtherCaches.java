package org.keyline.rowcache;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Caches elsewhere in front of the same store, whose writers tell of their writes and are told of those that pass here. A line that is
 * older than the staleness answers only while the others vouch: for having told, up to a moment within it, all that they wrote.
 * Thread-safe.
 */
public final class OtherCaches {
    /** There are none. */
    public static final OtherCaches NONE = new OtherCaches(Long.MAX_VALUE, 0);

    /** Is told of writes that ended at the store. Called with what guards their fence, before it opens; must not wait for anything. */
    public interface Listener {
        /** Rows under prefixes of a table, which are to be read only. */
        void rows(LineTable table, List<byte[]> prefixes);

        void table(LineTable table);

        void everything();

        /** Rows that are not kept here, by the name that {@link Fence#elsewhere} was given. */
        void elsewhere(Object name);

        /** Ends when no other cache answers any more by what the writes replaced that were told by now; null: nobody waits for that. */
        default @Nullable CompletionStage<Void> taken() {
            return null;
        }

        /** Whether a write to the table shows to others only when its transaction ends. */
        boolean waitsForCommit(LineTable table);
    }

    private final long stalenessNanos;

    private volatile long vouchedNanos;
    private volatile @Nullable Listener listener;

    private OtherCaches(long stalenessNanos, long vouchedNanos) {
        this.stalenessNanos = stalenessNanos;
        this.vouchedNanos = vouchedNanos;
    }

    /**
     * Others that have vouched for nothing yet.
     *
     * @param staleness for how long a write that ended elsewhere may go unseen here
     * @param nowNanos the ticker's time
     */
    public static OtherCaches of(Duration staleness, long nowNanos) {
        return new OtherCaches(staleness.toNanos(), nowNanos - TableOptions.MAX_TTL.toNanos() - 1);
    }

    /** Writes are told from now on; to be called before there are any. */
    public void listener(Listener told) {
        listener = told;
    }

    /**
     * All that ended at the store up to a moment, through any of the others, has been dropped here. To be called by one thread at a time.
     *
     * @param asOfNanos the ticker's time at that moment; one before the last changes nothing
     */
    public void vouch(long asOfNanos) {
        if (asOfNanos - vouchedNanos > 0) {
            vouchedNanos = asOfNanos;
        }
    }

    /**
     * The last of these moments. To be asked for before a line is looked up: what was dropped afterwards may have been told before a later
     * one.
     */
    long vouchedNanos() {
        return vouchedNanos;
    }

    long stalenessNanos() {
        return stalenessNanos;
    }

    /** Who is told of writes; null: nobody. */
    @Nullable
    Listener listener() {
        return listener;
    }
}
