package org.keyline.stores;

import java.util.List;

/**
 * How reads in a transaction see concurrent commits, and which session variables determine this.
 * Immutable.
 *
 * @param view how reads of one transaction depend on each other
 * @param soleWriter whether all writes pass through this gateway
 * @param reportsBegun whether replies can report that a statement such as START TRANSACTION began a
 *     transaction, although the session does not track transactions
 * @param asked system variables for which Keyline asks a session; empty if the isolation level does
 *     not matter. The variables are the isolation level, whether the session's transactions are
 *     read-only, whether the session reports their state to the client, and additional actions of
 *     COMMIT
 */
public record TransactionRules(View view, boolean soleWriter, boolean reportsBegun, List<String> asked) {
    public enum View {
        /** Reads are independent of each other: each sees the rows committed when it begins. */
        NONE,
        /** By isolation level, as in InnoDB. Reads of other engines' tables are independent. */
        BY_LEVEL,
        /** The first read creates one snapshot for all reads of the transaction. */
        ONE
    }

    /** The most conservative rules, for an unknown store. */
    public static final TransactionRules CAREFUL = new TransactionRules(View.ONE, false, false, List.of());

    /** The rules of a store without snapshots. */
    public static final TransactionRules VIEWLESS = new TransactionRules(View.NONE, false, false, List.of());

    /** Returns the rules of a store with InnoDB's snapshots and these variables. */
    public static TransactionRules byLevel(String isolation, String readOnly, boolean reportsBegun) {
        return new TransactionRules(
                View.BY_LEVEL,
                false,
                reportsBegun,
                List.of(isolation, readOnly, "session_track_transaction_info", "completion_type"));
    }

    /** Only this gateway writes, and each transaction sees one snapshot. */
    public static final TransactionRules OWN_SNAPSHOT = new TransactionRules(View.ONE, true, false, List.of());

    public TransactionRules {
        asked = List.copyOf(asked);
    }
}
