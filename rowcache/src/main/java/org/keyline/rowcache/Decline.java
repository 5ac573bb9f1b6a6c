package org.keyline.rowcache;

/**
 * The reason why the cache leaves a read to the store. Never an error: the read is forwarded as the
 * client sent it.
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
    /** The maximum number of loads is in progress. */
    TOO_MANY_LOADS,
    /**
     * The load that would serve the read began longer than a ttl ago, so its rows may be too old
     * for this read.
     */
    LOAD_TOO_OLD,
    /** The prefix is cached in ranges, and no single range contains all requested rows. */
    SPLIT,
    /**
     * The rows cannot be cached: too large for a line, not under the requested key, or two with the
     * same key.
     */
    UNCACHEABLE
}
