package org.keyline.rowcache;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One trip to the store for the rows of a line: what is wanted, where the rows go, and how it ends.
 *
 * <p>Rows are fed from one thread. The first of {@link #succeed}, {@link #fail} and {@link #decline} ends the load and tells
 * all who wait, in the calling thread; further ends are ignored. {@link #fail} and {@link #decline} may come from any thread,
 * such as that of a timer.
 */
public final class Load {
    /** Hears that a load has ended, in the thread that ended it. */
    public interface End {
        /**
         * The load is over.
         *
         * @param kept the line of a {@linkplain #isWhole whole} prefix that was made and kept; null: there is none
         */
        void ended(@Nullable Line kept);
    }

    /** A read that waits. */
    static final class Waiter {
        private final byte[] suffix;
        private final LoadListener listener;
        private final long maxAgeNanos;

        Waiter(byte[] suffix, LoadListener listener, long maxAgeNanos) {
            this.suffix = suffix;
            this.listener = listener;
            this.maxAgeNanos = maxAgeNanos;
        }

        /** How old the line may be. */
        long maxAgeNanos() {
            return maxAgeNanos;
        }

        LoadListener listener() {
            return listener;
        }

        void tell(Line line) {
            if (line.covers(suffix, 0, suffix.length)) {
                listener.loaded(line);
            } else {
                listener.declined(Decline.SPLIT);
            }
        }
    }

    private final LineTable table;
    private final byte kind;
    private final Slot.Prefix prefix;
    private final int hash;
    private final boolean whole;
    private final byte[] lower;
    private final byte @Nullable [] upper;
    private final Epoch epoch;
    private final long beganNanos;
    private final int maxRows;
    private final int maxBytes;

    // Confined to the loading thread.
    private LineBuilder builder = new LineBuilder();
    private byte @Nullable [] stoppedAt;
    private boolean passedEnd;
    private boolean foreign;
    private @Nullable End end;

    /** The read that began this load and those that joined it. Guarded by the slot. */
    final List<Waiter> waiters = new ArrayList<>(1);

    /** Changed within the slot only; read elsewhere to stop early. */
    private volatile boolean ended;

    Load(
            LineTable table,
            byte kind,
            Slot.Prefix prefix,
            int hash,
            boolean whole,
            byte[] lower,
            byte @Nullable [] upper,
            Epoch epoch,
            long beganNanos) {
        this.table = table;
        this.kind = kind;
        this.prefix = prefix;
        this.hash = hash;
        this.whole = whole;
        this.lower = lower;
        this.upper = upper;
        this.epoch = epoch;
        this.beganNanos = beganNanos;
        TableOptions options = table.options();
        this.maxRows = options.maxRowsPerLine();
        this.maxBytes = options.maxBytesPerLine();
    }

    /** The table. */
    public LineTable table() {
        return table;
    }

    /** The row format wanted. */
    public int kind() {
        return kind;
    }

    /** The bytes of the prefix that all keys wanted begin with: a copy. */
    public byte[] prefix() {
        return prefix.bytes().clone();
    }

    /** Whether a key begins with the prefix wanted. */
    public boolean isFor(KeyEncoder key) {
        byte[] wanted = prefix.bytes();
        return key.fits() && Bytes.startsWith(key.buffer(), 0, key.length(), wanted, 0, wanted.length);
    }

    /** The key of the first row wanted, or null to begin with the prefix's first row: a copy. */
    public byte @Nullable [] from() {
        return lower.length == 0 ? null : key(lower);
    }

    /** The key of the first row not wanted any more, or null to go on to the prefix's last row: a copy. */
    public byte @Nullable [] to() {
        return upper == null ? null : key(upper);
    }

    /** Most rows that are kept. One more tells that there are more, so that is what to ask the store for. */
    public int maxRows() {
        return maxRows;
    }

    /** The ticker's time just before the load began. */
    public long beganNanos() {
        return beganNanos;
    }

    /**
     * Takes a row: its whole key and its bytes in the load's row format, both copied. Rows behind {@link #to} end the load
     * like a ceiling does, so a fetch need not be bounded there.
     *
     * @return false where no more rows are wanted: the fetch can be stopped, and is then a success
     */
    public boolean row(byte[] key, int keyFrom, int keyTo, byte[] row, int rowFrom, int rowTo) {
        Objects.checkFromToIndex(keyFrom, keyTo, key.length);
        Objects.checkFromToIndex(rowFrom, rowTo, row.length);
        if (stoppedAt != null || passedEnd || foreign || ended) {
            return false;
        }
        int suffix = keyFrom + prefix.bytes().length;
        if (!belongs(key, keyFrom, keyTo)) {
            foreign = true;
            return false;
        }
        if (upper != null && Arrays.compareUnsigned(upper, 0, upper.length, key, suffix, keyTo) <= 0) {
            passedEnd = true;
            return false;
        }
        long size = builder.size() + (keyTo - suffix) + (rowTo - rowFrom) + Line.INDEX_BYTES;
        if (builder.rows() == maxRows || size > maxBytes) {
            stoppedAt = Arrays.copyOfRange(key, suffix, keyTo);
            return false;
        }
        builder.add(key, suffix, keyTo, row, rowFrom, rowTo);
        return true;
    }

    /** The same for a key in an encoder. */
    public boolean row(KeyEncoder key, byte[] row, int rowFrom, int rowTo) {
        if (!key.fits()) {
            foreign = true;
            return false;
        }
        return row(key.buffer(), 0, key.length(), row, rowFrom, rowTo);
    }

    /** All rows were fed, or as many as were wanted. To be called by the thread that fed them. */
    public void succeed() {
        byte[] end = passedEnd ? upper : stoppedAt;
        if (foreign || (end != null && !canSplit(end))) {
            table.slots().declined(this, Decline.UNCACHEABLE);
            return;
        }
        byte[] stop = stoppedAt;
        boolean complete = whole && stop == null;
        byte shape = complete ? LineKey.WHOLE : LineKey.RANGE;
        byte[] bound = stop == null ? upper : stop;
        byte[] line = builder.build(kind, shape, prefix.bytes(), lower, bound);
        if (line == null) {
            table.slots().declined(this, Decline.UNCACHEABLE);
        } else {
            table.slots().succeeded(this, line, complete, bound, builder.rows());
        }
    }

    /**
     * The rows that were fed are those of a load elsewhere that began then. They end this load if they are all rows of its prefix, nothing
     * over them was closed or dropped since that moment, and they are young enough for all who wait. To be called by the thread that fed
     * them.
     *
     * @param beganNanos by the ticker; not after that load had begun
     * @param admitted asked in the step in which the rows become a line; must not wait for anything
     * @return false if they do not: they are forgotten, and the load goes on
     */
    public boolean succeedAsOf(long beganNanos, BooleanSupplier admitted) {
        if (whole && !foreign && stoppedAt == null) {
            byte[] line = builder.build(kind, LineKey.WHOLE, prefix.bytes(), lower, null);
            if (line != null && table.slots().adopted(this, line, builder.rows(), beganNanos, admitted)) {
                return true;
            }
        }
        restart();
        return false;
    }

    /** Forgets the rows that were fed. To be called by the thread that fed them. */
    public void restart() {
        builder = new LineBuilder();
        stoppedAt = null;
        passedEnd = false;
        foreign = false;
    }

    /** Whether all rows under the prefix are wanted, and not those of a range of it. */
    public boolean isWhole() {
        return whole;
    }

    /**
     * Tells that the load has ended by anything but rows of a load elsewhere, once those who wait know. To be called before the load ends,
     * by the thread that feeds it.
     */
    public void whenEnded(End listener) {
        end = listener;
    }

    /** The fetch failed, or took too long. */
    public void fail(Throwable cause) {
        table.slots().failed(this, Objects.requireNonNull(cause, "cause is null"));
    }

    /** The fetch was not done, since there are too many, or none may begin now: everybody who waits goes to the store. */
    public void decline() {
        table.slots().declined(this, Decline.TOO_MANY_LOADS);
    }

    /** Whether what was asked for includes all keys whose suffix begins with {@code key[from..to)}. */
    boolean asksFor(byte[] key, int from, int to) {
        return Arrays.compareUnsigned(lower, 0, lower.length, key, from, to) <= 0
                && (upper == null || isAbove(upper, key, from, to));
    }

    /** Whether {@code bound} is above all keys whose suffix begins with {@code key[from..to)}. */
    static boolean isAbove(byte[] bound, byte[] key, int from, int to) {
        return Arrays.compareUnsigned(bound, 0, bound.length, key, from, to) > 0
                && !Bytes.startsWith(bound, 0, bound.length, key, from, to);
    }

    /** Within the slot: ends the load; false if it had ended before. */
    boolean end() {
        boolean first = !ended;
        ended = true;
        return first;
    }

    /** Tells how it ended, if anybody wants to know. */
    void tellEnd(@Nullable Line kept) {
        End listener = end;
        if (listener != null) {
            listener.ended(kept);
        }
    }

    byte rowKind() {
        return kind;
    }

    Slot.Prefix slot() {
        return prefix;
    }

    /** Hash of the entry for the prefix as a whole. */
    int hash() {
        return hash;
    }

    boolean whole() {
        return whole;
    }

    byte[] lower() {
        return lower;
    }

    Epoch epoch() {
        return epoch;
    }

    /** A range needs rows in order, and at least one key in it. */
    private boolean canSplit(byte[] stop) {
        return table.options().ordered() && builder.endsBelow(stop) && !Arrays.equals(lower, stop);
    }

    private boolean belongs(byte[] key, int from, int to) {
        return Bytes.startsWith(key, from, to, prefix.bytes(), 0, prefix.bytes().length)
                && to - from <= KeyEncoder.MAX_BYTES
                && Arrays.compareUnsigned(lower, 0, lower.length, key, from + prefix.bytes().length, to) <= 0;
    }

    private byte[] key(byte[] suffix) {
        byte[] key = Arrays.copyOf(prefix.bytes(), prefix.bytes().length + suffix.length);
        System.arraycopy(suffix, 0, key, prefix.bytes().length, suffix.length);
        return key;
    }
}
