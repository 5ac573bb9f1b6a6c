package org.keyline.rowcache;

/** A line that knows which of the rows that were added to its table since its load began are known not to be among its own. */
final class FilterLine extends Line {
    /** What it takes more than another line. */
    private static final int NUMBER_BYTES = 8;

    private volatile int addedNumber;

    /**
     * A line as it is loaded.
     *
     * @param addedNumber of the last fence for an added row as its load began
     */
    FilterLine(byte[] bytes, int hash, Epoch epoch, long loadBeganNanos, int addedNumber) {
        super(bytes, hash, epoch, loadBeganNanos);
        this.addedNumber = addedNumber;
    }

    @Override
    int weight() {
        return super.weight() + NUMBER_BYTES;
    }

    /** None of the rows up to this number came into it. */
    int addedNumber() {
        return addedNumber;
    }

    void addedNumber(int number) {
        addedNumber = number;
    }
}
