package org.keyline.rowcache;

/**
 * A filter line. It records the number of a fence over added rows: no row of this fence or of an
 * earlier one has entered the line.
 */
final class FilterLine extends Line {
    /** The additional bytes of a filter line, compared with a line of another kind. */
    private static final int NUMBER_BYTES = 8;

    private volatile int addedNumber;

    /**
     * Creates a line for a load.
     *
     * @param addedNumber the number of the last fence for an added row at the start of the load
     */
    FilterLine(byte[] bytes, int hash, Epoch epoch, long loadBeganNanos, int addedNumber) {
        super(bytes, hash, epoch, loadBeganNanos);
        this.addedNumber = addedNumber;
    }

    @Override
    int weight() {
        return super.weight() + NUMBER_BYTES;
    }

    /**
     * Returns the number of a fence over added rows. No row of this fence or of an earlier one has
     * entered the line.
     */
    int addedNumber() {
        return addedNumber;
    }

    void addedNumber(int number) {
        addedNumber = number;
    }
}
