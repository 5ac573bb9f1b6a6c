package org.keyline.gateway.audit;

import java.util.concurrent.atomic.LongAdder;

/** Counts of all auditors' results. Thread-safe. */
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

    /** Returns the number of hits that were compared with the store. */
    public long audits() {
        return audits.sum();
    }

    /**
     * Returns the number of hits whose rows the store did not have when asked; a write elsewhere
     * within a ttl explains it.
     */
    public long suspicions() {
        return suspicions.sum();
    }

    /** Returns the number of hits that no such write explains: wrong rows. */
    public long mismatches() {
        return mismatches.sum();
    }
}
