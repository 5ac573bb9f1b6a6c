package org.keyline.stores;

import java.util.List;

/**
 * Visibility of concurrent commits to reads in a transaction, and the variables by which sessions
 * report it. Immutable.
 *
 * @param view how reads of one transaction depend on each other
 * @param soleWriter whether all writes pass this gateway
 * @param asked system variables that a session is asked for: the isolation level, whether its
 *     transactions are read-only, whether it reports their state to the client, and what COMMIT
 *     does besides; empty if the level does not matter
 */
public record TransactionRules(View view, boolean soleWriter, List<String> asked) {
    /** How reads of one transaction depend on each other. */
    public enum View {
        /** They are independent: each sees committed data. */
        NONE,
        /**
         * According to the isolation level, as in InnoDB. Tables of other engines are read without
         * a transaction.
         */
        BY_LEVEL,
        /** All see one snapshot, which the first read creates. */
        ONE
    }

    /** The rules for an unknown store, which assume the least. */
    public static final TransactionRules CAREFUL = new TransactionRules(View.ONE, false, List.of());

    /** The rules of a store without snapshots. */
    public static final TransactionRules VIEWLESS = new TransactionRules(View.NONE, false, List.of());

    /** Returns the rules of a store with InnoDB's snapshots and these variables. */
    public static TransactionRules byLevel(String isolation, String readOnly) {
        return new TransactionRules(
                View.BY_LEVEL,
                false,
                List.of(isolation, readOnly, "session_track_transaction_info", "completion_type"));
    }

    /**
     * The rules of a store that only this gateway writes to, and whose transactions each see one
     * snapshot.
     */
    public static final TransactionRules OWN_SNAPSHOT = new TransactionRules(View.ONE, true, List.of());

    public TransactionRules {
        asked = List.copyOf(asked);
    }
}
