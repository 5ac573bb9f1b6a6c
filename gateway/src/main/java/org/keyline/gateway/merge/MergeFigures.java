package org.keyline.gateway.merge;

import java.util.concurrent.atomic.LongAdder;

/**
 * The outcomes of batches. Thread-safe.
 *
 * @param committed batches that the store committed
 * @param rows their rows
 * @param failed batches rolled back, whose INSERTs then went alone
 * @param unknown batches with an unknown outcome
 */
public record MergeFigures(LongAdder committed, LongAdder rows, LongAdder failed, LongAdder unknown) {
    public MergeFigures() {
        this(new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder());
    }
}
