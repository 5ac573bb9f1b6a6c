package org.keyline.gateway.tier;

/** When this process took its last numbers, by its own clock. Confined to what guards it. */
final class SentNumbers {
    private final long[] nanos;
    private long last;

    /** @param remembered how many of the last ones; a power of two */
    SentNumbers(int remembered) {
        if (Integer.bitCount(remembered) != 1) {
            throw new IllegalArgumentException("remembered: " + remembered + " (expected: a power of two)");
        }
        nanos = new long[remembered];
    }

    long take(long nowNanos) {
        last++;
        nanos[(int) (last & (nanos.length - 1))] = nowNanos;
        return last;
    }

    /** The last that was taken; 0: none. */
    long last() {
        return last;
    }

    /** Whether it is known when a number was taken. */
    boolean remembers(long number) {
        return number > 0 && number <= last && last - number < nanos.length;
    }

    long nanosOf(long number) {
        if (!remembers(number)) {
            throw new IllegalArgumentException(
                    "number: " + number + " (expected: one of the last " + nanos.length + " up to " + last + ")");
        }
        return nanos[(int) (number & (nanos.length - 1))];
    }
}
