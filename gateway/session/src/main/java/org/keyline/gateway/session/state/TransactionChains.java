package org.keyline.gateway.session.state;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The outcomes of transactions with a snapshot, by their beginnings. They decide whether lines may
 * answer later transactions. Shared by all sessions; has at most {@value #MAX_CHAINS} chains.
 * Thread-safe.
 */
public final class TransactionChains {
    /*
     * The store creates a transaction's snapshot with its first read. A read from lines creates
     * none. So a transaction that needs the store later may find other rows there than in lines. No
     * store does this to a read-only transaction. Most transactions of applications read one row
     * and end. So the gateway answers the first read from lines only if transactions that began in
     * the same way have always ended without the store.
     *
     * The first read decides for the whole transaction: if the store answers it, the store also
     * answers all others. If a transaction does not finish, the count begins again. Only if lines
     * already answered the chain does the required number double. Otherwise, a program that changes
     * ten rows in a row would lose its hits permanently.
     */

    /**
     * The initial number of consecutive transactions that must finish before lines answer later
     * ones.
     */
    public static final int FIRST_NUMBER = 64;

    private static final int MOST = 65_536;
    private static final int MAX_CHAINS = 16_384;

    private final int first;
    private final Cache<Chain, Trust> chains = Caffeine.newBuilder()
            .maximumSize(MAX_CHAINS)
            .executor(Runnable::run)
            .build();

    /**
     * @param first the required number of finished transactions at the beginning; with 0, lines may
     *     always answer
     */
    public TransactionChains(int first) {
        this.first = first;
    }

    /**
     * The beginning of a transaction, up to and including its first read.
     *
     * @param account of the session
     * @param schema to which its unqualified names refer
     * @param before a hash of the statements before the first read, the opening one included, and
     *     of whether the session's transactions are READ ONLY
     * @param read the text of the first read, without values
     */
    public record Chain(String account, String schema, long before, String read) {}

    public Trust of(Chain chain) {
        return chains.get(chain, added -> new Trust(first));
    }

    /** The trust that transactions of a chain end without the store. Thread-safe. */
    public static final class Trust {
        /**
         * The number of finished transactions that the chain requires in the upper half, and their
         * number so far in the lower half.
         */
        private final AtomicLong state;

        Trust(int first) {
            state = new AtomicLong((long) first << Integer.SIZE);
        }

        /** Returns whether lines may answer the next transaction. */
        public boolean isGiven() {
            return isGiven(state.get());
        }

        /** Counts a finished transaction, which lines of a single moment could have answered. */
        public void finished() {
            if (!isGiven()) {
                state.incrementAndGet();
            }
        }

        /**
         * Ends the trust, because a transaction did not finish. If the chain was trusted, its next
         * trust requires twice as many finished transactions.
         */
        public void continued() {
            state.updateAndGet(now -> {
                long number = now >> Integer.SIZE;
                return (isGiven(now) ? Math.min(MOST, 2 * number) : number) << Integer.SIZE;
            });
        }

        private static boolean isGiven(long state) {
            return (int) state >= (int) (state >> Integer.SIZE);
        }
    }
}
