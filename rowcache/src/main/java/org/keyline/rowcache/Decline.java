package org.keyline.rowcache;

/** The reason why the cache declines a read. The session then forwards the read. */
public enum Decline {
    DISABLED,
    /** The table's definition no longer exists. */
    RETIRED,
    /** A write to these rows is in progress. */
    FENCED,
    TOO_MANY_WAITERS,
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
