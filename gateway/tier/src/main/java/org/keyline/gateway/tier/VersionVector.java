package org.keyline.gateway.tier;

import java.util.Map;

/**
 * The last numbers that a gateway had received from each process at some moment, and its own last
 * number. They date that moment without a clock, because all of these entries were sent before it.
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
