package org.keyline.gateway.tier;

import java.util.Map;

/**
 * The last number that somebody had heard of each gateway's process at some moment, and the last that it had taken itself. It dates that
 * moment without a clock: it was not before any of these numbers was taken.
 */
record Heard(Map<Long, Long> numbers) {
    Heard {
        numbers = Map.copyOf(numbers);
    }

    /** The number of a process; 0 if none was heard. */
    long of(long process) {
        return numbers.getOrDefault(process, 0L);
    }
}
