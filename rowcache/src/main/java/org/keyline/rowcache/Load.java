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
        private final LineProbe.Sense sense;
        private final byte[] suffix;
        private final LoadListener listener;
        private final long maxAgeNanos;

        Waiter(LineProbe.Sense sense, byte[] suffix, LoadListener listener, long maxAgeNanos) {
            this.sense = sense;
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
            if (line.covers(sense, suffix, 0, suffix.length)) {
                listener.loaded(line);
            } else {
                listener.declined(Decline.SPLIT);
            }
        }
    }

    /** What rows are wanted. */
    static final class Wanted {
        static final Wanted EVERYTHING = new Wanted(Extent.WHOLE, Bytes.NONE, null, Integer.MAX_VALUE);

        private final Extent extent;
        private final byte[] lower;
        private final byte @Nullable [] upper;
        private final int maxRows;

        /**
         * Rows from one suffix on and below another.
         *
         * @param upper null: up to the last one
         * @param maxRows as many at most, beside the table's ceiling
         */
        Wanted(Extent extent, byte[] lower, byte @Nullable [] upper, int maxRows) {
            this.extent = extent;
            this.lower = lower;
            this.upper = upper;
            this.maxRows = maxRows;
        }
    }

    /** How the rows that are wanted are bounded. */
    enum Extent {
        /** All rows under the prefix; if they are too many, the first ones. */
        WHOLE,
        /** Those of a range that is known; if they are too many, the first ones. */
        KNOWN,
        /** A new range, from its first row up, as far as the rows that are wanted reach. */
        UP,
        /** A new range, from its last row down. */
        DOWN
    }

    /** More writes into rows that are loaded than this keep all of them from being published. */
    private static final int MAX_DISTURBED = 16;

    private final LineTable table;
    private final byte kind;
    private final Slot.Prefix prefix;
    private final int hash;
    private final Extent extent;
    private final byte[] lower;
    /** Where it was to end as it began. */
    private final byte @Nullable [] farthest;
    /** Comes nearer where another load begins meanwhile. Written within the slot only. */
    private volatile byte @Nullable [] upper;

    private final Epoch epoch;
    private final long beganNanos;
    private final int addedNumber;
    private final int maxRows;
    private final int maxBytes;

    /** The suffixes over which fences were closed since the load began. Guarded by the slot. */
    private final List<byte[]> disturbed = new ArrayList<>(0);

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
            Wanted wanted,
            Epoch epoch,
            int addedNumber,
            long beganNanos) {
        this.table = table;
        this.kind = kind;
        this.prefix = prefix;
        this.hash = hash;
        this.extent = wanted.extent;
        this.lower = wanted.lower;
        this.farthest = wanted.upper;
        this.upper = wanted.upper;
        this.epoch = epoch;
        this.beganNanos = beganNanos;
        this.addedNumber = addedNumber;
        TableOptions options = table.options();
        this.maxRows = Math.min(options.maxRowsPerLine(), wanted.maxRows);
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

    /**
     * Where the keys of the rows wanted begin, or null to begin with the prefix's first row: a copy. Of tables that are kept as ranges it
     * is the bytes of some cells, perhaps not of all, and {@link KeyEncoder#ABOVE} may follow.
     */
    public byte @Nullable [] from() {
        return lower.length == 0 ? null : key(lower);
    }

    /** The bytes that the keys of the rows wanted are below, of the same kind, or null to go on to the prefix's last row: a copy. */
    public byte @Nullable [] to() {
        byte[] end = upper;
        return end == null ? null : key(end);
    }

    /** Whether rows are wanted from the last one down, all of them below {@link #to}. */
    public boolean descends() {
        return extent == Extent.DOWN;
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
        if (passes(key, suffix, keyTo)) {
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
        byte[] begin = lower;
        byte[] end = upper;
        byte[] stop = stoppedAt;
        boolean fits = !foreign;
        if (extent == Extent.DOWN) {
            fits &= builder.falls() && table.options().ordered() && (stop == null || builder.rows() > 0);
            begin = fits && stop != null ? builder.last() : lower;
        } else if (stop != null || passedEnd || extent == Extent.UP) {
            end = stop == null || (end != null && Arrays.compareUnsigned(end, stop) <= 0) ? end : stop;
            if (end != null && fits) {
                builder.cut(end);
                fits = canSplit(end);
            }
        }
        boolean complete = isWhole() && stop == null;
        byte shape = complete ? LineKey.WHOLE : LineKey.RANGE;
        byte[] line = fits ? builder.build(kind, shape, prefix.bytes(), begin, end) : null;
        if (line == null) {
            table.slots().declined(this, Decline.UNCACHEABLE);
        } else {
            table.slots().succeeded(this, line, complete, begin, end, builder.rows());
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
        if (isWhole() && !foreign && stoppedAt == null) {
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

    /** Returns whether a ceiling ended it before all of its rows had come. */
    boolean isCut() {
        return stoppedAt != null;
    }

    /** Whether all rows under the prefix are wanted, and not those of a range of it. */
    public boolean isWhole() {
        return extent == Extent.WHOLE;
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

    /** Whether what was asked for includes what a probe asks for. */
    boolean asksFor(LineProbe probe) {
        byte[] end = upper;
        return probe.sense()
                .isWithin(
                        lower,
                        0,
                        lower.length,
                        end,
                        0,
                        end == null ? 0 : end.length,
                        probe.key(),
                        probe.suffixFrom(),
                        probe.to());
    }

    /** Within the slot: another load begins; this one need not go further than to its first row. */
    void endAt(Load other) {
        byte[] end = upper;
        byte[] suffix = other.lower;
        if (extent == Extent.UP
                && kind == other.kind
                && Arrays.compareUnsigned(lower, suffix) < 0
                && (end == null || Arrays.compareUnsigned(suffix, end) < 0)) {
            upper = suffix;
        }
    }

    /** Within the slot: a fence was closed over the keys whose suffix begins so. Answers whether something can still be published. */
    boolean disturb(byte[] suffix) {
        // Not up to where it ends by now: its line may have been made before it was to end there.
        if (touches(suffix, lower, farthest)) {
            disturbed.add(suffix);
        }
        return disturbed.size() <= MAX_DISTURBED;
    }

    /** Within the slot: whether a fence was closed over rows that were wanted. */
    boolean isDisturbed() {
        return !disturbed.isEmpty();
    }

    /** Within the slot: whether no fence was closed over rows from some suffix to another since this load began. */
    boolean isUndisturbed(byte[] begin, byte @Nullable [] end) {
        for (byte[] suffix : disturbed) {
            if (touches(suffix, begin, end)) {
                return false;
            }
        }
        return true;
    }

    /** Whether keys whose suffix begins with {@code suffix} may be from {@code begin} on and below {@code end}. */
    static boolean touches(byte[] suffix, byte[] begin, byte @Nullable [] end) {
        return (end == null || Arrays.compareUnsigned(suffix, end) < 0)
                && (Arrays.compareUnsigned(suffix, begin) >= 0
                        || Bytes.startsWith(begin, 0, begin.length, suffix, 0, suffix.length));
    }

    private boolean passes(byte[] key, int from, int to) {
        byte[] end = upper;
        return extent == Extent.DOWN
                ? Arrays.compareUnsigned(lower, 0, lower.length, key, from, to) > 0
                : end != null && Arrays.compareUnsigned(end, 0, end.length, key, from, to) <= 0;
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

    /** The number of the last fence for added rows as it began. */
    int addedNumber() {
        return addedNumber;
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

    Extent extent() {
        return extent;
    }

    byte @Nullable [] upper() {
        return upper;
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
        int suffix = from + prefix.bytes().length;
        byte[] end = upper;
        return Bytes.startsWith(key, from, to, prefix.bytes(), 0, prefix.bytes().length)
                && to - from <= KeyEncoder.MAX_BYTES
                && (extent == Extent.DOWN
                        ? end == null || Arrays.compareUnsigned(end, 0, end.length, key, suffix, to) > 0
                        : Arrays.compareUnsigned(lower, 0, lower.length, key, suffix, to) <= 0);
    }

    private byte[] key(byte[] suffix) {
        byte[] key = Arrays.copyOf(prefix.bytes(), prefix.bytes().length + suffix.length);
        System.arraycopy(suffix, 0, key, prefix.bytes().length, suffix.length);
        return key;
    }
}
