package org.keyline.gateway.tier;

import java.util.Map;

/**
 * The numbers of the last entries that a gateway had received from each process at some moment, and
 * the number of its own last entry. The moment is later than the sending of all these entries, so
 * the numbers date it without a clock.
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
