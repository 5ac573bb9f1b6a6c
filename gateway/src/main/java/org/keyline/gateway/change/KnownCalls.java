package org.keyline.gateway.change;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.keyline.rowcache.Fence;

/**
 * The calls under way that close only what their procedures are known to write, and what may define procedures meanwhile. Thread-safe.
 */
public final class KnownCalls {
    /*
     * A procedure is known as of a moment. Nothing that passes through this gateway may have defined one from then on until the call is
     * answered: where something begins to, calls that are under way close everything, until each is over, and calls that come while it is
     * under way, or whose procedures were asked for before it was over, are not known.
     */

    private final Supplier<Fence> fences;

    // Guarded by this.
    private final Set<Call> running = new HashSet<>();
    private int defining;
    private long definitions;

    /** A call under way; compared by identity. */
    public final class Call {
        // Guarded by the calls.
        private @Nullable Fence everything;

        private Call() {}

        /** Whether it may have run another procedure than the one that was known. */
        public boolean isDoubtful() {
            synchronized (KnownCalls.this) {
                return everything != null;
            }
        }

        /** It was answered, or its outcome is unknown. */
        public void ends() {
            synchronized (KnownCalls.this) {
                if (running.remove(this) && everything != null) {
                    everything.open();
                }
            }
        }
    }

    /** @param fences makes one over nothing yet */
    public KnownCalls(Supplier<Fence> fences) {
        this.fences = fences;
    }

    /** The moment as of which procedures are known that are asked for from now on. */
    public synchronized long moment() {
        return definitions;
    }

    /**
     * A call is about to be sent.
     *
     * @param moment at or before which its procedure was asked for
     * @return null if its procedure may be another by now
     */
    public synchronized @Nullable Call begins(long moment) {
        if (defining > 0 || moment != definitions) {
            return null;
        }
        Call call = new Call();
        running.add(call);
        return call;
    }

    /**
     * A statement that may define procedures is about to be sent.
     *
     * @return to be run when it was answered, or its outcome is unknown
     */
    public synchronized Runnable defines() {
        defining++;
        definitions++;
        for (Call call : running) {
            if (call.everything == null) {
                call.everything = fences.get();
                call.everything.closeAll();
            }
        }
        AtomicBoolean over = new AtomicBoolean();
        return () -> {
            if (over.compareAndSet(false, true)) {
                defined();
            }
        };
    }

    private synchronized void defined() {
        defining--;
        definitions++;
    }
}
