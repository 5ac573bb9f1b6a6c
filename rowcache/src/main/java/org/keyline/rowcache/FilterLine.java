package org.keyline.rowcache;

/** A line with the number of the last added row that is known not to change it. */
final class FilterLine extends Line {
    /** Its bytes beyond those of another line. */
    private static final int NUMBER_BYTES = 8;

    private volatile int addedNumber;

    /**
     * Creates a line for a load.
     *
     * @param addedNumber of the last fence for an added row at the start of its load
     */
    FilterLine(byte[] bytes, int hash, Epoch epoch, long loadBeganNanos, int addedNumber) {
        super(bytes, hash, epoch, loadBeganNanos);
        this.addedNumber = addedNumber;
    }

    @Override
    int weight() {
        return super.weight() + NUMBER_BYTES;
    }

    /** Returns a number: none of the rows up to it entered the line. */
    int addedNumber() {
        return addedNumber;
    }

    void addedNumber(int number) {
        addedNumber = number;
    }
}
