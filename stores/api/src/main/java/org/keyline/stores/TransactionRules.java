package org.keyline.stores;

import java.util.List;

/**
 * What a transaction's reads see of what others commit meanwhile, and how sessions tell of it. Immutable.
 *
 * @param view how reads of one transaction hang together
 * @param soleWriter whether nobody can write past this gateway
 * @param asked system variables that a session is asked for: the isolation level, whether its transactions only read, and whether it tells
 *     its client of their state; empty where the level does not matter
 */
public record TransactionRules(View view, boolean soleWriter, List<String> asked) {
    /** How reads of one transaction hang together. */
    public enum View {
        /** Not at all: each sees what is committed. */
        NONE,
        /** By the isolation level, in InnoDB's way; tables of other engines are read as if there was no transaction. */
        BY_LEVEL,
        /** All see one snapshot, made by the first. */
        ONE
    }

    /** Where nothing else is known: the rules that need the least of a store. */
    public static final TransactionRules CAREFUL = new TransactionRules(View.ONE, false, List.of());

    /** Of a store that does not know what a snapshot is. */
    public static final TransactionRules VIEWLESS = new TransactionRules(View.NONE, false, List.of());

    /** Of a store with InnoDB's snapshots and these variables. */
    public static TransactionRules byLevel(String isolation, String readOnly) {
        return new TransactionRules(
                View.BY_LEVEL, false, List.of(isolation, readOnly, "session_track_transaction_info"));
    }

    /** Of a store that only this gateway writes to, all transactions of which see one snapshot. */
    public static final TransactionRules OWN_SNAPSHOT = new TransactionRules(View.ONE, true, List.of());

    public TransactionRules {
        asked = List.copyOf(asked);
    }
}
