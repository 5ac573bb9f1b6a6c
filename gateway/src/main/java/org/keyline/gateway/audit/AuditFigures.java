package org.keyline.gateway.audit;

import java.util.concurrent.atomic.LongAdder;

/** What the auditors of all event loops found. Thread-safe. */
public final class AuditFigures {
    private final LongAdder audits = new LongAdder();
    private final LongAdder suspicions = new LongAdder();
    private final LongAdder mismatches = new LongAdder();

    void audited() {
        audits.increment();
    }

    void suspected() {
        suspicions.increment();
    }

    void mismatched() {
        mismatches.increment();
    }

    /** Hits that were compared with the store. */
    public long audits() {
        return audits.sum();
    }

    /** Those whose rows the store had not, or no longer, when asked; a write elsewhere explains it within a ttl. */
    public long suspicions() {
        return suspicions.sum();
    }

    /** Those that no such write explains: wrong rows. */
    public long mismatches() {
        return mismatches.sum();
    }
}
