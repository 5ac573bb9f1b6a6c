package org.keyline.gateway.session.state;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How transactions with a snapshot went on behind their first read, and which of them may therefore be answered from lines. All sessions
 * share it; it has at most {@value #MAX_CHAINS} chains. Thread-safe.
 */
public final class TransactionChains {
    /*
     * The store makes a transaction's snapshot with its first read. A read that lines answer makes none, so a transaction that needs the
     * store later can find other rows there than lines gave it, which no store does to a transaction that only reads. Most transactions
     * of applications read one row and end. So the gateway answers the first read from lines only where transactions that began in the same
     * way have always ended without the store.
     *
     * The first read decides for the whole transaction: where the store answers it, the store answers all others, too.
     */

    /** After so many transactions in a row that finished, the next ones are answered from lines. */
    public static final int FIRST_NUMBER = 64;

    private static final int MOST = 65_536;
    private static final int MAX_CHAINS = 16_384;

    private final int first;
    private final Cache<Chain, Trust> chains = Caffeine.newBuilder()
            .maximumSize(MAX_CHAINS)
            .executor(Runnable::run)
            .build();

    /** @param first after so many transactions that finished the first trust is given; 0: all are trusted, always */
    public TransactionChains(int first) {
        this.first = first;
    }

    /**
     * How a transaction began, up to and with its first read.
     *
     * @param account whose it is
     * @param schema in which its statements are read
     * @param before a hash of the statement that opened it and of those ahead of the read; 0 where the read opens it, with autocommit off
     * @param read the text of the first read, without values
     */
    public record Chain(String account, String schema, long before, String read) {}

    /** Returns what is known of a chain. */
    public Trust of(Chain chain) {
        return chains.get(chain, added -> new Trust(first));
    }

    /** Whether transactions of one chain are trusted to finish without the store. Thread-safe. */
    public static final class Trust {
        /** How many have to finish, in the upper half, and how many have by now. */
        private final AtomicLong state;

        Trust(int first) {
            state = new AtomicLong((long) first << Integer.SIZE);
        }

        /** Returns whether the next transaction may be answered from lines. */
        public boolean isGiven() {
            long now = state.get();
            return (int) now >= (int) (now >> Integer.SIZE);
        }

        /** Counts a transaction that read nothing but what lines of one moment could have answered. */
        public void finished() {
            if (!isGiven()) {
                state.incrementAndGet();
            }
        }

        /** Takes the trust away: a transaction went on otherwise. The next trust needs twice as many that finish. */
        public void continued() {
            state.updateAndGet(now -> Math.min(MOST, 2 * (now >> Integer.SIZE)) << Integer.SIZE);
        }
    }
}
