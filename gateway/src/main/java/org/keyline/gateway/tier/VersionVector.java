package org.keyline.gateway.tier;

import java.util.Map;

/**
 * The last numbers that a gateway had received from each process at some moment, and the last
 * number of its own. They date that moment without a clock: it was not before any of these numbers
 * was taken.
 */
record VersionVector(Map<Long, Long> numbers) {
    VersionVector {
        numbers = Map.copyOf(numbers);
    }

    /** Returns the number of a process; 0 if none was received. */
    long of(long process) {
        return numbers.getOrDefault(process, 0L);
    }
}
