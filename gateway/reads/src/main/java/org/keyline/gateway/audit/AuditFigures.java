package org.keyline.gateway.audit;

import java.util.concurrent.atomic.LongAdder;

/** The counters of all auditors. Thread-safe. */
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

    /** Hits that differed at first; a recent write from elsewhere explains such a difference. */
    public long suspicions() {
        return suspicions.sum();
    }

    /** Hits with wrong rows that no write from elsewhere explains. */
    public long mismatches() {
        return mismatches.sum();
    }
}
