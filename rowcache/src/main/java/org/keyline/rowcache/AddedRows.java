package org.keyline.rowcache;

import java.util.Arrays;
import java.util.function.Predicate;

/** Rows that writes add to a table, or have added or changed lately, by which its filter lines are told apart. Thread-safe. */
final class AddedRows {
    /*
     * Fences over added rows have numbers, in the order in which they were closed. A line, and a load, knows the last number as its load
     * began: it is over if a fence of a later number was closed for a row that may be in it. A load begins only while no fence is closed
     * for such a row, so what it reads has all rows up to its number. Nothing is dropped: a line that is over is not found.
     *
     * A row that is told to have changed, as it was or as it is, is a fence that was closed and opened at once: what was loaded before
     * may lack the change. What begins to load later is as good as what any drop of lines lets through.
     */
    /** A line that is older than so many rows is over. */
    private static final int REMEMBERED = 1_024;

    static final int CLOSED = -1;
    /** Numbers begin anew behind this one. */
    private static final int NUMBERS = Integer.MAX_VALUE;

    /** What there is at one moment. Immutable. */
    private static final class State {
        final int number;
        /** Those with the last numbers, ascending. */
        final AddedRow[] latest;
        /** Over which a fence is closed. */
        final AddedRow[] closed;

        State(int number, AddedRow[] latest, AddedRow[] closed) {
            this.number = number;
            this.latest = latest;
            this.closed = closed;
        }
    }

    private volatile State state = new State(0, new AddedRow[0], new AddedRow[0]);

    synchronized void close(AddedRow row) {
        State now = state;
        int from = now.latest.length == REMEMBERED ? 1 : 0;
        AddedRow[] latest = Arrays.copyOfRange(now.latest, from, now.latest.length + 1);
        latest[latest.length - 1] = row;
        AddedRow[] closed = Arrays.copyOf(now.closed, now.closed.length + 1);
        closed[closed.length - 1] = row;
        state = new State((now.number + 1) & NUMBERS, latest, closed);
    }

    /** A row changed, and this is what it was or is. */
    synchronized void passed(AddedRow row) {
        close(row);
        open(row);
    }

    @SuppressWarnings("ReferenceEquality") // each fence has a row of its own
    synchronized void open(AddedRow row) {
        State now = state;
        int at = 0;
        while (at < now.closed.length && now.closed[at] != row) {
            at++;
        }
        if (at == now.closed.length) {
            throw new IllegalStateException("opened more often than closed");
        }
        AddedRow[] closed = Arrays.copyOf(now.closed, now.closed.length - 1);
        System.arraycopy(now.closed, at + 1, closed, at, closed.length - at);
        state = new State(now.number, now.latest, closed);
    }

    /** The number of the last fence that was closed. */
    int number() {
        return state.number;
    }

    /** The same where no fence is closed for a row that may be in the line of a name; else {@link #CLOSED}. */
    int numberOfOpen(byte[] key, int from, int to) {
        State now = state;
        for (AddedRow row : now.closed) {
            if (row.mayBeIn(key, from, to)) {
                return CLOSED;
            }
        }
        return now.number;
    }

    /** Whether a row may have come into the line of a name since a number. */
    boolean since(int number, byte[] key, int from, int to) {
        return since(number, row -> row.mayBeIn(key, from, to));
    }

    /** Whether a row may have come into a line, or gone from it, since a number. */
    boolean since(int number, Line line) {
        return since(number, row -> row.mayBeIn(line));
    }

    private boolean since(int number, Predicate<AddedRow> concerns) {
        State now = state;
        int later = (now.number - number) & NUMBERS;
        if (later > now.latest.length) {
            return true;
        }
        for (int i = now.latest.length - later; i < now.latest.length; i++) {
            if (concerns.test(now.latest[i])) {
                return true;
            }
        }
        return false;
    }
}
