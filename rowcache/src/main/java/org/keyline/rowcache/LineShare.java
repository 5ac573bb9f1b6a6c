package org.keyline.rowcache;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What one of those who share a cache keeps in it. A line is charged to whoever began its load, as long as it is kept, and answers all the
 * same whoever asks. Whoever has more than it may makes room by its own lines, so nobody takes more of the others' room than that.
 * Thread-safe.
 */
public final class LineShare {
    /*
     * The lines of a share are in a list, from the oldest to the newest. To make room, its oldest line is taken: one that was found since it
     * became the newest (RecentLines has it) becomes the newest again, any other one is dropped. So hits, which know nothing of shares, keep
     * a line all the same. Ranges of a prefix are not among the lines found lately: they go by their age.
     *
     * How many lines are looked at for one load is bounded. Where that does not make room enough, the next loads are declined until it does.
     *
     * Lock order: within the slot of a line its share's lock; a share holds its lock for its own list only.
     */

    /** Lines that are looked at, at most, when a load ends or is declined. */
    static final int LOOKS = 100;

    private final LongSupplier maxBytes;
    private final LongSupplier maxRows;

    // Guarded by this.
    private @Nullable SharedLine oldest;
    private @Nullable SharedLine newest;
    private long lines;
    private long rows;
    private long bytes;
    private int loads;

    /**
     * What is charged.
     *
     * @param rows of all lines; a line without rows counts as one
     * @param bytes with all overhead
     */
    public record Charged(long lines, long rows, long bytes) {
        /** Nothing. */
        public static final Charged NOTHING = new Charged(0, 0, 0);
    }

    /**
     * One that has nothing yet. Limits hold from the next load on; 0 is none.
     *
     * @param maxBytes of lines with all overhead; not less than two of the longest lines, or these push each other out
     * @param maxRows of lines; the same
     */
    public LineShare(LongSupplier maxBytes, LongSupplier maxRows) {
        this.maxBytes = maxBytes;
        this.maxRows = maxRows;
    }

    /** What is charged now. */
    public synchronized Charged charged() {
        return new Charged(lines, rows, bytes);
    }

    /** Whether nothing is charged, and no load is under way that may be. */
    public synchronized boolean isIdle() {
        return lines == 0 && loads == 0;
    }

    /**
     * Has lines go, where there are more than there may be. Not to be called within a slot.
     *
     * @param looks at so many lines at most
     */
    public void makeRoom(int looks) {
        for (int looked = 0; looked < looks; looked++) {
            SharedLine line = nextOver();
            if (line == null) {
                return;
            }
            line.table().slots().giveWay(line);
        }
    }

    synchronized boolean isOver() {
        long byteLimit = maxBytes.getAsLong();
        long rowLimit = maxRows.getAsLong();
        return (byteLimit > 0 && bytes > byteLimit) || (rowLimit > 0 && rows > rowLimit);
    }

    /** The oldest line if there are too many, which becomes the newest. */
    private synchronized @Nullable SharedLine nextOver() {
        SharedLine line = oldest;
        if (line == null || !isOver()) {
            return null;
        }
        unlink(line);
        link(line);
        return line;
    }

    synchronized void loadBegan() {
        loads++;
    }

    /** To be called when its line, if there is one, is kept. */
    void loadEnded() {
        synchronized (this) {
            loads--;
        }
        makeRoom(LOOKS);
    }

    Line line(byte[] content, int hash, Epoch epoch, long loadBeganNanos) {
        return new SharedLine(this, content, hash, epoch, loadBeganNanos);
    }

    synchronized void add(SharedLine line) {
        link(line);
        lines++;
        rows += countedRows(line);
        bytes += line.weight();
    }

    synchronized void remove(SharedLine line) {
        unlink(line);
        lines--;
        rows -= countedRows(line);
        bytes -= line.weight();
    }

    private static int countedRows(Line line) {
        return Math.max(1, line.rows());
    }

    private void link(SharedLine line) {
        SharedLine before = newest;
        line.older = before;
        line.newer = null;
        if (before == null) {
            oldest = line;
        } else {
            before.newer = line;
        }
        newest = line;
    }

    private void unlink(SharedLine line) {
        SharedLine before = line.older;
        SharedLine after = line.newer;
        if (before == null) {
            oldest = after;
        } else {
            before.newer = after;
        }
        if (after == null) {
            newest = before;
        } else {
            after.older = before;
        }
        line.older = null;
        line.newer = null;
    }
}
