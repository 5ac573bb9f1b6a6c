package org.keyline.gateway.tier;

import java.util.Map;

/**
 * The last numbers that a gateway had received from each process at some moment, and its own last
 * number. The numbers date this moment without a clock, because all these entries were sent
 * earlier.
 */
record VersionVector(Map<Long, Long> numbers) {
    VersionVector {
        numbers = Map.copyOf(numbers);
    }

    /** Returns the last number of a process; 0 if nothing was received from it. */
    long of(long process) {
        return numbers.getOrDefault(process, 0L);
    }
}
