package org.keyline.rowcache;

import java.util.Arrays;
import java.util.function.Predicate;

/** The rows of recent writes, which determine whether a filter line is still valid. Thread-safe. */
final class AddedRows {
    /*
     * Fences over added rows are numbered in the order in which they close. A load records the last
     * number at its start, and its line inherits the number. A fence with a later number makes the
     * line invalid if a row of the fence can be in the line. A load begins only while no fence over
     * such a row is closed, so it reads the rows of all fences up to its number. Lookups ignore
     * invalid lines, which remain in memory.
     *
     * A line that was loaded before the store reported a change may lack the change. The row before
     * the change and the row after it therefore count as fences that close and immediately open.
     */
    /** Number of latest fences whose rows are stored. A line that lacks more fences is invalid. */
    private static final int REMEMBERED = 1_024;

    static final int CLOSED = -1;
    /** The highest number of a fence. The next fence has number 0. */
    private static final int NUMBERS = Integer.MAX_VALUE;

    /** An immutable snapshot of the fences. */
    private static final class State {
        final int number;
        /** The rows of the latest fences, in ascending order of the fences' numbers. */
        final AddedRow[] latest;

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

    /** Records a completed change, of which {@code row} is the row before or after it. */
    synchronized void passed(AddedRow row) {
        close(row);
        open(row);
    }

    @SuppressWarnings("ReferenceEquality") // the row object identifies its fence
    synchronized void open(AddedRow row) {
        State now = state;
        int at = 0;
        while (at < now.closed.length && now.closed[at] != row) {
            at++;
        }
        if (at == now.closed.length) {
            throw new IllegalStateException("a fence was opened more often than closed");
        }
        AddedRow[] closed = Arrays.copyOf(now.closed, now.closed.length - 1);
        System.arraycopy(now.closed, at + 1, closed, at, closed.length - at);
        state = new State(now.number, now.latest, closed);
    }

    int number() {
        return state.number;
    }

    /** Returns the last number; {@link #CLOSED} if a row of a closed fence can be in the line. */
    int numberOfOpen(byte[] key, int from, int to) {
        State now = state;
        for (AddedRow row : now.closed) {
            if (row.mayBeIn(key, from, to)) {
                return CLOSED;
            }
        }
        return now.number;
    }

    /** Returns whether a row of a later fence can be in the line with this prefix. */
    boolean since(int number, byte[] key, int from, int to) {
        return since(number, row -> row.mayBeIn(key, from, to));
    }

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
