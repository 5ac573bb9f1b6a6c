package org.keyline.rowcache;

import org.jspecify.annotations.Nullable;

/** A line that knows which of the rows that were added to its table since its load began are known not to be among its own. */
final class FilterLine extends SharedLine {
    private volatile int addedNumber;

    /**
     * A line as it is loaded.
     *
     * @param share what it is charged to; null: nothing
     * @param addedNumber of the last fence for an added row as its load began
     */
    FilterLine(@Nullable LineShare share, byte[] bytes, int hash, Epoch epoch, long loadBeganNanos, int addedNumber) {
        super(share, bytes, hash, epoch, loadBeganNanos);
        this.addedNumber = addedNumber;
    }

    /** None of the rows up to this number came into it. */
    int addedNumber() {
        return addedNumber;
    }

    void addedNumber(int number) {
        addedNumber = number;
    }
}
