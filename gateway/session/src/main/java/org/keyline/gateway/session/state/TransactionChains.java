package org.keyline.gateway.session.state;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.concurrent.atomic.AtomicLong;

/** Counts transactions with a snapshot that ended without the store, by chain. Thread-safe. */
public final class TransactionChains {
    /*
     * The store creates a transaction's snapshot at its first read. A read from lines creates no
     * snapshot. So if the transaction later needs the store, it can find other rows there than in
     * the lines. Without the gateway, this cannot happen to a read-only transaction. Most
     * transactions of applications read one row and end. So lines answer the first read only if the
     * latest transactions that began in the same way have all ended without the store.
     *
     * The first read decides for the whole transaction. A transaction finishes if it ends without
     * the store. If a transaction does not finish, the count of finished transactions restarts at
     * 0. The required number doubles only if lines had already answered transactions of this chain.
     * If it always doubled, ten consecutive transactions that change rows would end a program's
     * hits permanently.
     */

    /** Number of consecutive transactions that must finish before lines answer the next one. */
    public static final int FIRST_NUMBER = 64;

    private static final int MOST = 65_536;
    private static final int MAX_CHAINS = 16_384;

    private final int first;
    private final Cache<Chain, Trust> chains = Caffeine.newBuilder()
            .maximumSize(MAX_CHAINS)
            .executor(Runnable::run)
            .build();

    /** @param first the number of transactions that must finish before lines may answer */
    public TransactionChains(int first) {
        this.first = first;
    }

    /**
     * The beginning of a transaction, up to and including its first read.
     *
     * @param account the account of the session
     * @param schema the schema to which unqualified names refer
     * @param before a hash of the statements before the first read, the opening one included, and
     * of whether the session's transactions are READ ONLY
     * @param read the text of the first read, without values
     */
    public record Chain(String account, String schema, long before, String read) {}

    public Trust of(Chain chain) {
        return chains.get(chain, added -> new Trust(first));
    }

    /** Decides whether lines may answer the next transaction of a chain. Thread-safe. */
    public static final class Trust {
        /**
         * The upper half is the required number of finished transactions. The lower half is the
         * current number.
         */
        private final AtomicLong state;

        Trust(int first) {
            state = new AtomicLong((long) first << Integer.SIZE);
        }

        /** Returns whether lines may answer the next transaction. */
        public boolean isGiven() {
            return isGiven(state.get());
        }

        /** Called at a transaction's end, if lines of one moment could have answered all reads. */
        public void finished() {
            if (!isGiven()) {
                state.incrementAndGet();
            }
        }

        /**
         * Called when a transaction did not finish. If its chain was trusted, the chain needs twice
         * as many finished transactions from now on.
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
