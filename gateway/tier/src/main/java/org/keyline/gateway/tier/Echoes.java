package org.keyline.gateway.tier;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The writes whose replies wait until all other gateways have confirmed (echoed) the drops. The
 * wait ends after {@code tier.staleness}. From then on, no gateway uses lines that may have the old
 * rows (rule 10 of {@code docs/tier.md}). Thread-safe.
 */
final class Echoes {
    /** Maximum number of entries that wait for an echo. Only a long staleness needs more. */
    private static final int MAX_SENT = 1 << 12;

    /** The writes whose drops are in one {@link PeerEntry}, until an echo confirms the entry. */
    static final class Batch {
        private final CompletableFuture<Void> echoed = new CompletableFuture<>();
        private boolean wanted;
        private long number;
    }

    private final Executor afterStaleness;

    // Guarded by this.
    private Batch next = new Batch();
    private Batch last = next;
    private final ArrayDeque<Batch> sent = new ArrayDeque<>();

    Echoes(Executor afterStaleness) {
        this.afterStaleness = afterStaleness;
    }

    /** Records a write whose drop is in an earlier entry, or will be in the next entry. */
    synchronized void received() {
        next.wanted = true;
        last = next;
    }

    /** Returns the next entry's batch; null if no write waits. Call before taking the drops. */
    synchronized @Nullable Batch cut() {
        if (!next.wanted) {
            return null;
        }
        Batch cut = next;
        next = new Batch();
        return cut;
    }

    /** Records that the entry with this number contains the batch's drops. */
    synchronized void sent(Batch batch, long number) {
        batch.number = number;
        sent.add(batch);
        if (sent.size() > MAX_SENT) {
            // The writes of the removed batch wait for the staleness instead.
            sent.remove();
        }
    }

    /** Records that all other gateways have received the entries up to this number. */
    void echoed(long number) {
        List<Batch> over = new ArrayList<>();
        synchronized (this) {
            while (!sent.isEmpty() && sent.peek().number <= number) {
                over.add(sent.poll());
            }
        }
        over.forEach(batch -> batch.echoed.complete(null));
    }

    /** The result completes when no gateway can answer with rows replaced by earlier writes. */
    CompletionStage<Void> taken() {
        CompletableFuture<Void> taken;
        synchronized (this) {
            taken = last.echoed.copy();
        }
        if (!taken.isDone()) {
            // After the staleness, a gateway that has not received the write is no longer fresh
            // enough to answer.
            afterStaleness.execute(() -> taken.complete(null));
        }
        return taken;
    }
}
