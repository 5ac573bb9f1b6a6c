package org.keyline.rowcache;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The decision what becomes of a read that found no line, or of a line that is to be refreshed: a line after all, a place among
 * those who wait for a load, a load
 * of its own, or none of these. Made within the prefix's slot; carried out by {@link Slots} outside of it. Confined to the
 * reading thread.
 */
final class Admission implements BiFunction<Slot.Prefix, @Nullable Slot, @Nullable Slot> {
    /** How long a prefix that could not be kept is not tried again. */
    private static final long UNCACHEABLE_NANOS = 60_000_000_000L;

    /**
     * Rows of a new range in a table that is kept as ranges. A write drops one range, and its load costs about as much as several reads of
     * some rows do; ranges of fewer rows would cost a read of some rows several loads.
     */
    private static final int RANGE_ROWS = 128;

    /** A known range may have so many times the rows that a new one is to have. */
    private static final int GROWTH = 2;

    private final LineTable table;
    private final RowCache cache;
    private final LineProbe probe;
    /** Null for a refresh, which nobody waits for. */
    private final @Nullable LoadListener listener;

    private int addedNumber;
    private @Nullable Line line;
    private @Nullable Decline decline;
    private @Nullable Load begun;

    Admission(LineTable table, RowCache cache, LineProbe probe, @Nullable LoadListener listener) {
        this.table = table;
        this.cache = cache;
        this.probe = probe;
        this.listener = listener;
    }

    /** A line that came meanwhile. */
    @Nullable
    Line line() {
        return line;
    }

    /** Why the read goes to the store. */
    @Nullable
    Decline decline() {
        return decline;
    }

    /** The load to be started. If this and the others are null, the read waits for somebody else's. */
    @Nullable
    Load begun() {
        return begun;
    }

    @Override
    public @Nullable Slot apply(Slot.Prefix prefix, @Nullable Slot known) {
        Slot slot = known == null ? new Slot() : known;
        decide(prefix, slot);
        return slot.idle() ? null : slot;
    }

    private void decide(Slot.Prefix prefix, Slot slot) {
        Epoch epoch = table.epoch();
        if (!epoch.open()) {
            decline = table.whyClosed();
            return;
        }
        addedNumber = table.addedNumber(prefix);
        if (slot.closers > 0 || isClosed(slot) || addedNumber == AddedRows.CLOSED) {
            decline = Decline.FENCED;
            return;
        }
        long nowNanos = cache.ticker().read();
        // Another load may have been published since the read looked: without this look it would load again.
        line = listener == null ? null : table.find(probe, nowNanos);
        if (line != null) {
            return;
        }
        // Loads of an epoch that is over are as good as detached.
        slot.loads.removeIf(load -> load.epoch() != epoch || table.isOvertaken(load));
        Load joined = loadFor(slot);
        if (joined != null && listener != null) {
            join(joined, listener, nowNanos);
        } else if (joined == null) {
            begin(prefix, slot, epoch, nowNanos);
        }
    }

    /**
     * The load to join: one that has what is asked for. Of a new range in a table that is kept as ranges, that is certain of its beginning
     * only: the rest may be further away than it goes.
     */
    private @Nullable Load loadFor(Slot slot) {
        for (Load load : slot.loads) {
            boolean isNew = table.isRanged() && load.extent() != Load.Extent.KNOWN;
            if (load.rowKind() == probe.kind()
                    && !load.isDisturbed()
                    && load.asksFor(probe)
                    && (!isNew || beginsAlike(load))) {
                return load;
            }
        }
        return null;
    }

    private boolean beginsAlike(Load load) {
        byte[] begin = load.descends() ? load.upper() : load.lower();
        return load.descends() == (probe.sense() == LineProbe.Sense.DOWN)
                && begin != null
                && Arrays.equals(begin, 0, begin.length, probe.key(), probe.suffixFrom(), probe.to());
    }

    private void join(Load load, LoadListener waiting, long nowNanos) {
        if (nowNanos - load.beganNanos() > Math.min(table.joinableNanos(), probe.maxAgeNanos())) {
            // What was written elsewhere in the meantime would be older than this read allows before it sees it.
            decline = Decline.LOAD_TOO_OLD;
        } else if (load.waiters.size() > table.options().maxWaiters()) {
            decline = Decline.TOO_MANY_WAITERS;
        } else {
            load.waiters.add(new Load.Waiter(probe.sense(), suffix(), waiting, probe.maxAgeNanos()));
        }
    }

    private void begin(Slot.Prefix prefix, Slot slot, Epoch epoch, long nowNanos) {
        Ranges ranges = cache.peek(probe) instanceof Ranges known && known.tableEpoch() == epoch ? known : null;
        if (ranges != null && ranges.uncacheable(nowNanos, UNCACHEABLE_NANOS)) {
            decline = Decline.UNCACHEABLE;
            return;
        }
        boolean whole = !table.isRanged() && (ranges == null || ranges.count() == 0);
        Load load = load(prefix, whole ? Load.Wanted.EVERYTHING : rangeWanted(slot, ranges), epoch, nowNanos);
        if (!load.asksFor(probe)) {
            decline = Decline.SPLIT;
        } else if (!cache.takeLoad(listener != null)) {
            decline = Decline.TOO_MANY_LOADS;
        } else {
            table.slots().loads(probe.kind());
            if (listener != null) {
                load.waiters.add(new Load.Waiter(probe.sense(), suffix(), listener, probe.maxAgeNanos()));
            }
            if (load.extent() == Load.Extent.UP && table.isRanged()) {
                slot.loads.forEach(other -> other.endAt(load));
            }
            slot.loads.add(load);
            begun = load;
        }
    }

    /** Whether a fence is closed over keys that are asked for, or right where the rows begin that are. */
    private boolean isClosed(Slot slot) {
        for (byte[] closed : slot.closedKeys()) {
            boolean begins = Bytes.startsWith(probe.key(), probe.suffixFrom(), probe.to(), closed, 0, closed.length);
            boolean within = Bytes.startsWith(closed, 0, closed.length, probe.key(), probe.suffixFrom(), probe.to());
            if (switch (probe.sense()) {
                case ALL -> begins || within;
                case UP -> begins;
                case DOWN -> begins && (closed.length < probe.to() - probe.suffixFrom());
            }) {
                return true;
            }
        }
        return false;
    }

    /**
     * The known range that has what is asked for, as a whole; else from there onward to the next range, known or coming. Where fences are
     * closed over keys, as far as these.
     */
    private Load.Wanted rangeWanted(Slot slot, @Nullable Ranges ranges) {
        byte[] suffix = suffix();
        boolean down = probe.sense() == LineProbe.Sense.DOWN;
        int range = ranges == null ? -1 : ranges.find(probe.sense(), suffix, 0, suffix.length);
        int next = range + 1;
        byte[] lower = Bytes.NONE;
        byte[] upper = ranges != null && next < ranges.count() ? ranges.lower(next) : null;
        boolean known = false;
        if (ranges != null && range >= 0) {
            byte[] end = ranges.upper(range);
            int reach = end == null ? 1 : Arrays.compareUnsigned(end, suffix);
            known = reach > 0 || (down && reach == 0);
            lower = known ? ranges.lower(range) : end;
            upper = known ? end : upper;
        }
        byte[] begin = down || known ? requireNonNull(lower) : suffix;
        byte[] end = down && !known ? suffix : upper;
        for (byte[] closed : slot.closedKeys()) {
            if (!Load.touches(closed, begin, end)) {
                continue;
            }
            known = false;
            if (Arrays.compareUnsigned(closed, suffix) < 0) {
                begin = down ? above(closed) : suffix;
            } else {
                end = down ? suffix : closed;
            }
        }
        for (Load load : slot.loads) {
            boolean later = Arrays.compareUnsigned(load.lower(), suffix) > 0 && !load.descends();
            if (!down
                    && load.rowKind() == probe.kind()
                    && later
                    && (end == null || Arrays.compareUnsigned(load.lower(), end) < 0)) {
                end = load.lower();
            }
        }
        return new Load.Wanted(
                known ? Load.Extent.KNOWN : down ? Load.Extent.DOWN : Load.Extent.UP, begin, end, rows(known));
    }

    /** Of a known range more rows than of a new one: it may have grown since, and is cut only where it has grown by far. */
    private int rows(boolean known) {
        if (!table.isRanged()) {
            return Integer.MAX_VALUE;
        }
        long rows = Math.max(RANGE_ROWS, probe.rows());
        return (int) Math.min(Integer.MAX_VALUE, known ? GROWTH * rows : rows);
    }

    private static byte[] above(byte[] suffix) {
        byte[] above = Arrays.copyOf(suffix, suffix.length + 1);
        above[suffix.length] = KeyEncoder.ABOVE;
        return above;
    }

    private Load load(Slot.Prefix prefix, Load.Wanted wanted, Epoch epoch, long nowNanos) {
        int hash = table.hash(probe.kind(), prefix.bytes(), 0, prefix.bytes().length);
        return new Load(table, probe.kind(), prefix, hash, wanted, epoch, addedNumber, nowNanos);
    }

    private byte[] suffix() {
        return Arrays.copyOfRange(probe.key(), probe.suffixFrom(), probe.to());
    }
}
