package org.keyline.gateway.merge;

import java.util.concurrent.atomic.LongAdder;

/**
 * What became of batches. Thread-safe.
 *
 * @param committed batches that the store committed
 * @param rows their rows
 * @param failed batches of which nothing was left, whose INSERTs then went alone
 * @param unknown batches whose outcome nobody knows
 */
public record MergeFigures(LongAdder committed, LongAdder rows, LongAdder failed, LongAdder unknown) {
    public MergeFigures() {
        this(new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder());
    }
}
