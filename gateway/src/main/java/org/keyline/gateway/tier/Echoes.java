package org.keyline.gateway.tier;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Writes whose clients wait until all other gateways have received them, or answer by nothing older
 * any more (rule 10). Thread-safe.
 */
final class Echoes {
    /** Maximum entries without an echo: more than are sent within any staleness but the longest. */
    private static final int MAX_SENT = 1 << 12;

    /** The drops of one entry, and the writes that wait for its echo. */
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

    /** @param afterStaleness runs a task once the drops of now are older than the staleness */
    Echoes(Executor afterStaleness) {
        this.afterStaleness = afterStaleness;
    }

    /** Records that a drop is among those of the next entry, or of an earlier one. */
    synchronized void received() {
        next.wanted = true;
        last = next;
    }

    /**
     * Returns the writes whose drops are certainly in the next entry; null if no write waits. To be
     * called before drops are taken for an entry.
     */
    synchronized @Nullable Batch cut() {
        if (!next.wanted) {
            return null;
        }
        Batch cut = next;
        next = new Batch();
        return cut;
    }

    /** Records the number of their entry. */
    synchronized void sent(Batch batch, long number) {
        batch.number = number;
        sent.add(batch);
        if (sent.size() > MAX_SENT) {
            // The writes that wait for it wait for the staleness.
            sent.remove();
        }
    }

    /** Records that all others have received the entries up to this number. */
    void echoed(long number) {
        List<Batch> over = new ArrayList<>();
        synchronized (this) {
            while (!sent.isEmpty() && sent.peek().number <= number) {
                over.add(sent.poll());
            }
        }
        over.forEach(batch -> batch.echoed.complete(null));
    }

    /**
     * Returns a stage that completes when no gateway answers any more with the rows that the writes
     * up to now replaced.
     */
    CompletionStage<Void> taken() {
        CompletableFuture<Void> taken;
        synchronized (this) {
            taken = last.echoed.copy();
        }
        if (!taken.isDone()) {
            // An entry made before this counts as received earlier: a gateway that has not received
            // the write is not fresh up to now.
            afterStaleness.execute(() -> taken.complete(null));
        }
        return taken;
    }
}
