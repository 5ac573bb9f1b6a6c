package org.keyline.rowcache;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A request to the store for the rows of a line. Collects the rows, and notifies waiting reads.
 *
 * <p>One thread adds rows. The first of {@link #succeed}, {@link #fail} and {@link #decline}
 * notifies all waiting reads on the calling thread; further calls are ignored. {@link #fail} and
 * {@link #decline} may be called on any thread.
 */
public final class Load {
    /** A listener for the end of a load. Called on the thread that ended the load. */
    public interface End {
        /**
         * Called at the end of the load.
         *
         * @param cached the new line of the {@linkplain #isWhole whole} prefix; null if none was
         * cached
         */
        void ended(@Nullable Line cached);
    }

    /** A read that waits for the load. */
    static final class Waiter {
        private final LineProbe.Sense sense;
        private final byte[] suffix;
        private final LoadListener listener;
        private final long maxAgeNanos;
        private final boolean mayLack;

        /**
         * @param suffix a copy of the probe's suffix
         * @param mayLack whether the load may lack rows that are being added, possibly by the
         * reader itself. The load then answers only if it contains the requested row
         */
        Waiter(LineProbe probe, byte[] suffix, LoadListener listener, boolean mayLack) {
            this.sense = probe.sense();
            this.suffix = suffix;
            this.listener = listener;
            this.maxAgeNanos = probe.maxAgeNanos();
            this.mayLack = mayLack;
        }

        long maxAgeNanos() {
            return maxAgeNanos;
        }

        LoadListener listener() {
            return listener;
        }

        void deliver(Line line) {
            if (!line.covers(sense, suffix, 0, suffix.length)) {
                listener.declined(Decline.SPLIT);
            } else if (mayLack && line.find(suffix, 0, suffix.length) < 0) {
                listener.declined(Decline.FENCED);
            } else {
                listener.loaded(line);
            }
        }
    }

    static final class Wanted {
        static final Wanted EVERYTHING = new Wanted(Extent.WHOLE, Bytes.NONE, null, Integer.MAX_VALUE);

        private final Extent extent;
        private final byte[] lower;
        private final byte @Nullable [] upper;
        private final int maxRows;

        /**
         * @param upper the exclusive upper bound; null if there is no upper bound
         * @param maxRows the maximum number of rows; the table's limit applies as well
         */
        Wanted(Extent extent, byte[] lower, byte @Nullable [] upper, int maxRows) {
            this.extent = extent;
            this.lower = lower;
            this.upper = upper;
            this.maxRows = maxRows;
        }
    }

    enum Extent {
        /** All rows under the prefix, or the first of them if they exceed the limits. */
        WHOLE,
        /** The rows of a known range, or the first of them if they exceed the limits. */
        KNOWN,
        /** A new range of up to the maximum number of rows, loaded from its lower bound upward. */
        UP,
        /** Like {@link #UP}, but loaded from the upper bound downward. */
        DOWN
    }

    /** A load is not published if more fences than this were closed over its rows. */
    private static final int MAX_DISTURBED = 16;

    private final LineTable table;
    private final byte kind;
    private final Slot.Prefix prefix;
    private final int hash;
    private final Extent extent;
    private final byte[] lower;
    private final byte @Nullable [] farthest;
    /** The upper bound, which shrinks if a later range is loaded. Written only within the slot. */
    private volatile byte @Nullable [] upper;

    private final Epoch epoch;
    private final long beganNanos;
    private final int addedNumber;
    private final int maxRows;
    private final int maxBytes;

    /** The suffixes that fences closed since the load began. Guarded by the slot. */
    private final List<byte[]> disturbed = new ArrayList<>(0);

    // Confined to the loading thread.
    private LineBuilder builder = new LineBuilder();
    private byte @Nullable [] stoppedAt;
    private boolean passedEnd;
    private boolean foreign;
    private @Nullable End end;

    /** Guarded by the slot. */
    final List<Waiter> waiters = new ArrayList<>(1);

    /** Whether the load has ended. Written only within the slot; also read outside of it. */
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

    public LineTable table() {
        return table;
    }

    public int kind() {
        return kind;
    }

    public byte[] prefix() {
        return prefix.bytes().clone();
    }

    public boolean isFor(KeyEncoder key) {
        byte[] wanted = prefix.bytes();
        return key.fits() && Bytes.startsWith(key.buffer(), 0, key.length(), wanted, 0, wanted.length);
    }

    /**
     * Returns the lowest requested key; null if the load begins with the first row of the prefix.
     * In a table that is cached as ranges, the result can be only the first cells of a key,
     * possibly followed by {@link KeyEncoder#ABOVE}.
     */
    public byte @Nullable [] from() {
        return lower.length == 0 ? null : key(lower);
    }

    /**
     * Returns the exclusive upper bound in the form of {@link #from}; null if the load ends with
     * the last row under the prefix.
     */
    public byte @Nullable [] to() {
        byte[] end = upper;
        return end == null ? null : key(end);
    }

    /** Returns whether rows are requested in descending order, beginning below {@link #to}. */
    public boolean descends() {
        return extent == Extent.DOWN;
    }

    /**
     * Returns the maximum number of rows. The loader should request one row more, in order to
     * detect that the store has further rows.
     */
    public int maxRows() {
        return maxRows;
    }

    /** Returns the ticker's time just before the load began. */
    public long beganNanos() {
        return beganNanos;
    }

    /**
     * Adds a copy of a row, in the load's row format, and of its whole key. A row at or above
     * {@link #to} ends the load, so the query need not have this bound.
     *
     * @return false if no more rows are needed; the loader may then stop and call {@link #succeed}
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

    public boolean row(KeyEncoder key, byte[] row, int rowFrom, int rowTo) {
        if (!key.fits()) {
            unfit();
            return false;
        }
        return row(key.buffer(), 0, key.length(), row, rowFrom, rowTo);
    }

    /** Makes {@link #succeed} decline the reads, because a line cannot contain one of the rows. */
    public void unfit() {
        foreign = true;
    }

    /**
     * Ends the load after all rows, or the maximum number of rows, were added. Called by the thread
     * that added the rows.
     */
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
     * Completes the load with the rows of a load in another process. The rows must all be under
     * this load's prefix, and young enough for all waiting reads. Fails if, since the other load
     * began, a fence over these rows was closed or a line of them was dropped. Called by the thread
     * that added the rows.
     *
     * @param beganNanos a ticker's time at or before the beginning of the other load
     * @param admitted a last condition, tested in the step that publishes the line; must not block
     * @return false if a condition failed; the rows are then discarded, and the load continues
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

    /** Discards the added rows. Called by the thread that added the rows. */
    public void restart() {
        builder = new LineBuilder();
        stoppedAt = null;
        passedEnd = false;
        foreign = false;
    }

    /** Returns whether a limit ended the load early. */
    boolean isCut() {
        return stoppedAt != null;
    }

    /** Returns whether all rows under the prefix are requested, rather than a range. */
    public boolean isWhole() {
        return extent == Extent.WHOLE;
    }

    /**
     * Sets a listener that is notified at the end of the load, after the waiting reads. It is not
     * notified if {@link #succeedAsOf} completes the load. Must be called before the load ends, by
     * the thread that adds rows.
     */
    public void whenEnded(End listener) {
        end = listener;
    }

    public void fail(Throwable cause) {
        table.slots().failed(this, Objects.requireNonNull(cause, "cause is null"));
    }

    /** Ends a load whose query was not started. All waiting reads go to the store. */
    public void decline() {
        table.slots().declined(this, Decline.TOO_MANY_LOADS);
    }

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

    /** Shrinks the range to end where {@code other} begins. Called within the slot. */
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

    /** Records a fence. Returns whether the load can still be published. Called within the slot. */
    boolean disturb(byte[] suffix) {
        // The check uses the original bound, because the line may have been built before the bound
        // shrank.
        if (touches(suffix, lower, farthest)) {
            disturbed.add(suffix);
        }
        return disturbed.size() <= MAX_DISTURBED;
    }

    /**
     * Returns whether a fence was closed over some of the load's rows since the load began. Called
     * within the slot.
     */
    boolean isDisturbed() {
        return !disturbed.isEmpty();
    }

    /**
     * Returns whether no fence over {@code begin..end} was closed since the load began. Called
     * within the slot.
     */
    boolean isUndisturbed(byte[] begin, byte @Nullable [] end) {
        for (byte[] suffix : disturbed) {
            if (touches(suffix, begin, end)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a key with this beginning may be in {@code begin..end}. */
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

    /** Marks the load as ended. Returns false if it had ended before. Called within the slot. */
    boolean end() {
        boolean first = !ended;
        ended = true;
        return first;
    }

    void notifyEnd(@Nullable Line cached) {
        End listener = end;
        if (listener != null) {
            listener.ended(cached);
        }
    }

    /** Returns the number of the last fence for added rows when the load began. */
    int addedNumber() {
        return addedNumber;
    }

    byte rowKind() {
        return kind;
    }

    Slot.Prefix slot() {
        return prefix;
    }

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

    /**
     * Returns whether the rows can become a range. Ranges require rows in ascending order and at
     * least one key.
     */
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
