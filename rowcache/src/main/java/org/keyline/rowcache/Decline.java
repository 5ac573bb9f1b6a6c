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
    /** The running load began too long ago, so its rows may be too old for this read. */
    LOAD_TOO_OLD,
    /** The prefix is cached in ranges, and no range contains all requested rows. */
    SPLIT,
    /** The rows exceed a line's limits, or a row's key is a duplicate or cannot be in a line. */
    UNCACHEABLE
}
