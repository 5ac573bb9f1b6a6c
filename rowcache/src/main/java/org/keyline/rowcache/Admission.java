package org.keyline.rowcache;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a read that found no line gets a line that appeared since then, waits for a load,
 * begins a load, or is declined. Also decides whether a refresh begins a load. Runs within the slot
 * of the prefix; {@link Slots} acts on the decision afterwards. Confined to the reading thread.
 */
final class Admission implements BiFunction<Slot.Prefix, @Nullable Slot, @Nullable Slot> {
    private static final long UNCACHEABLE_NANOS = 60_000_000_000L;

    /**
     * The number of rows in a new range of a table that is cached as ranges. With smaller ranges, a
     * read of some rows would need several loads. With larger ranges, a write would drop more rows.
     */
    private static final int RANGE_ROWS = 128;

    /** A known range may grow to this multiple of a new range's rows before it is split. */
    private static final int GROWTH = 2;

    private final LineTable table;
    private final RowCache cache;
    private final LineProbe probe;
    /** The listener of the read; null for a refresh, because no read waits for it. */
    private final @Nullable LoadListener listener;

    private int addedNumber;
    private boolean adding;
    private @Nullable Line line;
    private @Nullable Decline decline;
    private @Nullable Load begun;

    Admission(LineTable table, RowCache cache, LineProbe probe, @Nullable LoadListener listener) {
        this.table = table;
        this.cache = cache;
        this.probe = probe;
        this.listener = listener;
    }

    /** Returns the line for the read if one appeared since the lookup; null if not. */
    @Nullable
    Line line() {
        return line;
    }

    /** Returns why the read goes to the store; null if it does not. */
    @Nullable
    Decline decline() {
        return decline;
    }

    /** Returns the new load; null if none began. */
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
        Epoch epoch = table.epoch(prefix);
        if (!epoch.open()) {
            decline = table.whyClosed();
            return;
        }
        addedNumber = table.addedNumber(prefix);
        adding = table.isAdding();
        if (slot.closers > 0 || isClosed(slot) || addedNumber == AddedRows.CLOSED || (adding && !probe.isOneRow())) {
            decline = Decline.FENCED;
            return;
        }
        long nowNanos = cache.ticker().read();
        // A load may have added the line since the read's lookup. Without this second lookup, the
        // read would load the line again.
        line = listener == null ? null : table.find(probe, nowNanos);
        if (line != null) {
            return;
        }
        // A load of an earlier epoch, or one that may lack a changed row, no longer becomes a line.
        slot.loads.removeIf(load -> load.epoch() != epoch || table.isOvertaken(load));
        Load joined = loadFor(slot);
        if (joined != null && listener != null) {
            join(joined, waiter(listener), nowNanos);
        } else if (joined == null) {
            begin(prefix, slot, epoch, nowNanos);
        }
    }

    /**
     * Returns the running load that will answer the read; null if there is none. In a table that is
     * cached as ranges, the load of a new range reads a limited number of rows, and may not reach
     * the requested ones. So a read joins such a load only if it begins at the same key.
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

    private Load.Waiter waiter(LoadListener waiting) {
        return new Load.Waiter(probe, suffix(), waiting, adding);
    }

    private void join(Load load, Load.Waiter waiter, long nowNanos) {
        if (nowNanos - load.beganNanos() > Math.min(table.joinableNanos(), probe.maxAgeNanos())) {
            // The load may lack writes that closed no fence here, but that the read must see.
            decline = Decline.LOAD_TOO_OLD;
        } else if (load.waiters.size() > table.options().maxWaiters()) {
            decline = Decline.TOO_MANY_WAITERS;
        } else {
            load.waiters.add(waiter);
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
                load.waiters.add(waiter(listener));
            }
            if (load.extent() == Load.Extent.UP && table.isRanged()) {
                slot.loads.forEach(other -> other.endAt(load));
            }
            slot.loads.add(load);
            begun = load;
        }
    }

    /** Returns whether a fence is closed over a requested row or the key where the rows begin. */
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
     * Returns the known range that contains all requested keys. If there is none, returns a new
     * range from these keys to the nearest known range, running load or closed key.
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
            int order = end == null ? 1 : Arrays.compareUnsigned(end, suffix);
            known = order > 0 || (down && order == 0);
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

    /** Returns the maximum number of rows of a load. */
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
