package org.keyline.stores;

/** A property of a kind of store. An unknown store has the conservative properties. */
public enum StoreTrait {
    /** A prepared statement still reads the same table after another table has got its name. */
    PLANS_OUTLIVE_NAMES,
    /** The first execution of a prepared statement resolves its table names. */
    PLANS_AT_EXECUTION,
    REUSES_PARAMETER_TYPES,
    /** One text can have several statements without CLIENT_MULTI_STATEMENTS. */
    SPLITS_TEXTS,
    /**
     * COM_CHANGE_USER retains variables. Commands with unknown ids of prepared statements get other
     * replies than in MySQL. Keyline must therefore forward all these commands.
     */
    OWN_SESSION_RULES,
    /**
     * Variables are read by SHOW, because a SELECT needs a live backend. So
     * {@link StoreSession#ask} does not change the session's FOUND_ROWS().
     */
    SHOWS_VARIABLES,
    /**
     * A DO, and an UPDATE of one table, set FOUND_ROWS(). An UPDATE then sets it to the number that
     * a SELECT of the matching rows would set.
     */
    COUNTS_WRITES_AS_FOUND,
    /** Two dashes without white space after them are minus signs, as in MySQL. */
    DASHES_ARE_SIGNS,
    /** The store itself prepares statements again when definitions change. */
    REPREPARES_STATEMENTS,
    /**
     * Loads of single rows should share a query. Stores without this trait have a fast path for
     * queries of a single key.
     */
    PREFERS_MANY_KEYS,
    /**
     * Outside of transactions, all sessions that may read a table see the same rows as load
     * sessions. A client's reply may then be cached for other clients. Stores without this trait
     * have servers that can lag, or row policies.
     */
    REPLIES_ARE_LOADS,
    /**
     * Column definitions show the character set of results. In other stores, all definitions show
     * the same character set.
     */
    SHOWS_RESULT_CHARACTER_SET,
    /** An INSERT of an existing key fails and changes nothing. In Doris, it is an update. */
    INSERTS_ONLY_ADD
}
