package org.keyline.gateway.history;

/**
 * Two rows that some statements write or read together, as one object of a history. A state holds
 * the value of each row; values are positive, and {@link #ABSENT} means that the row does not
 * exist.
 */
final class Pair {
    static final int ABSENT = 0;

    /** Instead of a value: the row is unchanged. */
    static final int KEPT = -1;

    /** The number of rows is unknown. */
    static final int NOT_TOLD = -1;

    private Pair() {}

    /** Returns the state in which the rows have these values. */
    static long state(int first, int second) {
        return ((long) first << Integer.SIZE) | second;
    }

    private static int value(long state, int row) {
        return row == 0 ? (int) (state >>> Integer.SIZE) : (int) state;
    }

    private static long with(long state, int row, int value) {
        return row == 0 ? state(value, value(state, 1)) : state(value(state, 0), value);
    }

    private static int found(long state, boolean first, boolean second) {
        return (first && value(state, 0) != ABSENT ? 1 : 0) + (second && value(state, 1) != ABSENT ? 1 : 0);
    }

    /** One row was read. */
    record ReadOne(int row, int value) implements Step {
        @Override
        public boolean reads() {
            return true;
        }

        @Override
        public long after(long state) {
            return Pair.value(state, row) == value ? state : REFUSED;
        }
    }

    /** Both rows were read by one statement. */
    record ReadBoth(int first, int second) implements Step {
        @Override
        public boolean reads() {
            return true;
        }

        @Override
        public long after(long state) {
            return state == Pair.state(first, second) ? state : REFUSED;
        }
    }

    /**
     * Rows were set to values, whatever they had before: by upserts, or a transaction of several
     * statements.
     */
    record Put(int first, int second) implements Step {
        @Override
        public boolean reads() {
            return false;
        }

        @Override
        public long after(long state) {
            long once = first == KEPT ? state : Pair.with(state, 0, first);
            return second == KEPT ? once : Pair.with(once, 1, second);
        }
    }

    /** A row was inserted that did not exist. */
    record Insert(int row, int value) implements Step {
        @Override
        public boolean reads() {
            return false;
        }

        @Override
        public long after(long state) {
            return Pair.value(state, row) == ABSENT ? Pair.with(state, row, value) : REFUSED;
        }
    }

    /** An insert was refused because the row existed. */
    record InsertRefused(int row) implements Step {
        @Override
        public boolean reads() {
            return true;
        }

        @Override
        public long after(long state) {
            return Pair.value(state, row) == ABSENT ? REFUSED : state;
        }
    }

    /**
     * Existing rows were set to a value, or deleted, which is {@link #ABSENT}.
     *
     * @param found the number of rows that existed, or {@link #NOT_TOLD}
     */
    record Change(boolean first, boolean second, int value, int found) implements Step {
        @Override
        public boolean reads() {
            return false;
        }

        @Override
        public long after(long state) {
            if (found != NOT_TOLD && found != Pair.found(state, first, second)) {
                return REFUSED;
            }
            long once = first && Pair.value(state, 0) != ABSENT ? Pair.with(state, 0, value) : state;
            return second && Pair.value(once, 1) != ABSENT ? Pair.with(once, 1, value) : once;
        }
    }
}
