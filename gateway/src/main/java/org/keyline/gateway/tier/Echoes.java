package org.keyline.gateway.tier;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Writes whose clients wait until all others have heard of them, or answer by nothing older any more (rule 10). Thread-safe. */
final class Echoes {
    /** Entries that are not echoed yet: more than are made within any staleness but the longest. */
    private static final int MAX_SENT = 1 << 12;

    /** Drops that go into one entry, and those who wait for its echo. */
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

    /** @param afterStaleness runs what it is given once what is told by now is older than the staleness */
    Echoes(Executor afterStaleness) {
        this.afterStaleness = afterStaleness;
    }

    /** A drop is among those that go into the next entry, or went into one before. */
    synchronized void told() {
        next.wanted = true;
        last = next;
    }

    /** To be called before drops are taken for an entry: answers those that are sure to be among them; null: nobody waits for any. */
    synchronized @Nullable Batch cut() {
        if (!next.wanted) {
            return null;
        }
        Batch cut = next;
        next = new Batch();
        return cut;
    }

    /** These went into the entry of this number. */
    synchronized void sent(Batch batch, long number) {
        batch.number = number;
        sent.add(batch);
        if (sent.size() > MAX_SENT) {
            // Who waits for it does so for the staleness.
            sent.remove();
        }
    }

    /** All others have heard up to this number. */
    void echoed(long number) {
        List<Batch> over = new ArrayList<>();
        synchronized (this) {
            while (!sent.isEmpty() && sent.peek().number <= number) {
                over.add(sent.poll());
            }
        }
        over.forEach(batch -> batch.echoed.complete(null));
    }

    /** Ends when nobody answers any more by what the writes replaced that were told by now. */
    CompletionStage<Void> taken() {
        CompletableFuture<Void> taken;
        synchronized (this) {
            taken = last.echoed.copy();
        }
        if (!taken.isDone()) {
            // What any entry from before says was heard before: whoever did not hear of the write is not vouched for up
            // to now.
            afterStaleness.execute(() -> taken.complete(null));
        }
        return taken;
    }
}
