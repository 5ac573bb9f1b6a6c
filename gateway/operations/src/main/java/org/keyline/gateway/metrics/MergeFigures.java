package org.keyline.gateway.metrics;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counters of batches of merged INSERTs. Thread-safe.
 *
 * @param committed batches that the store committed
 * @param rows the rows of these batches
 * @param failed batches that were rolled back, and whose INSERTs were then sent alone
 * @param unknown batches with an unknown outcome
 */
public record MergeFigures(LongAdder committed, LongAdder rows, LongAdder failed, LongAdder unknown) {
    public MergeFigures() {
        this(new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder());
    }
}
