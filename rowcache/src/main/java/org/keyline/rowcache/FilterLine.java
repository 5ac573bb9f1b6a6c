package org.keyline.rowcache;

/**
 * A line whose rows are selected by conditions instead of a key prefix. It contains the writes of
 * all {@linkplain AddedRows fences over added rows} up to number {@link #addedNumber}.
 */
final class FilterLine extends Line {
    private static final int NUMBER_BYTES = 8;

    private volatile int addedNumber;

    /** @param addedNumber the number of the last fence for an added row at the start of the load */
    FilterLine(byte[] bytes, int hash, Epoch epoch, long loadBeganNanos, int addedNumber) {
        super(bytes, hash, epoch, loadBeganNanos);
        this.addedNumber = addedNumber;
    }

    @Override
    int weight() {
        return super.weight() + NUMBER_BYTES;
    }

    int addedNumber() {
        return addedNumber;
    }

    void addedNumber(int number) {
        addedNumber = number;
    }
}
