package org.keyline.rowcache;

/**
 * The reason why the cache declines a read. It is never an error: the session forwards the read as
 * the client sent it.
 */
public enum Decline {
    /** The table is disabled. */
    DISABLED,
    /** The table's definition no longer exists. */
    RETIRED,
    /** A write to these rows is in progress. */
    FENCED,
    /** The load that would serve the read has the maximum number of waiters. */
    TOO_MANY_WAITERS,
    /** The maximum number of loads is running. */
    TOO_MANY_LOADS,
    /**
     * The load that would serve the read is more than a ttl old, so its rows may be too old for
     * this read.
     */
    LOAD_TOO_OLD,
    /** The prefix is cached in ranges, and no range contains all requested rows. */
    SPLIT,
    /**
     * The rows cannot be cached: they are too large for a line, not under the requested key, or two
     * of them have the same key.
     */
    UNCACHEABLE
}
