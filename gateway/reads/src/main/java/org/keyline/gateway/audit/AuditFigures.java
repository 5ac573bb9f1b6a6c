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

    /** Returns the number of hits whose comparison with the store began. */
    public long audits() {
        return audits.sum();
    }

    /**
     * Returns the number of hits that differed from the store in the first comparison. A recent
     * write that bypassed the gateway can explain the difference.
     */
    public long suspicions() {
        return suspicions.sum();
    }

    /** Returns the number of hits with wrong rows that no write past the gateway explains. */
    public long mismatches() {
        return mismatches.sum();
    }
}
