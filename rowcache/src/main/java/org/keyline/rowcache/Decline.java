package org.keyline.rowcache;

/** Why the cache leaves a read to the store. Never an error: the read is forwarded as the client sent it. */
public enum Decline {
    /** The table is switched off. */
    DISABLED,
    /** The table's definition is gone. */
    RETIRED,
    /** A write to these rows is under way. */
    FENCED,
    /** The load that would serve the read has as many waiters as it may. */
    TOO_MANY_WAITERS,
    /** As many loads are under way as may be. */
    TOO_MANY_LOADS,
    /** The load that would serve the read began longer than a ttl ago: its rows may be too old for this one. */
    LOAD_TOO_OLD,
    /** The prefix is kept in ranges, and no single one holds all that was asked for. */
    SPLIT,
    /** The rows cannot be kept: too big for a line, not as the key said, or two with the same key. */
    UNCACHEABLE
}
