package org.keyline.gateway.tier;

import java.util.Map;

/**
 * The number of the last entry that a gateway had received from each process at some moment, and of
 * its own last entry. The numbers date this moment without a clock: it is later than the sending of
 * all these entries.
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
