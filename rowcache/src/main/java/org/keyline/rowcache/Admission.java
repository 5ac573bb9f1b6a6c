package org.keyline.rowcache;

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

    private final LineTable table;
    private final RowCache cache;
    private final LineProbe probe;
    /** Null for a refresh, which nobody waits for. */
    private final @Nullable LoadListener listener;

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
        if (slot.closers > 0) {
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
        slot.loads.removeIf(load -> load.epoch() != epoch);
        Load joined = loadFor(slot);
        if (joined != null && listener != null) {
            join(joined, listener, nowNanos);
        } else if (joined == null) {
            begin(prefix, slot, epoch, nowNanos);
        }
    }

    private @Nullable Load loadFor(Slot slot) {
        for (Load load : slot.loads) {
            if (load.rowKind() == probe.kind() && load.asksFor(probe.key(), probe.suffixFrom(), probe.to())) {
                return load;
            }
        }
        return null;
    }

    private void join(Load load, LoadListener waiting, long nowNanos) {
        if (nowNanos - load.beganNanos() > Math.min(table.joinableNanos(), probe.maxAgeNanos())) {
            // What was written elsewhere in the meantime would be older than this read allows before it sees it.
            decline = Decline.LOAD_TOO_OLD;
        } else if (load.waiters.size() > table.options().maxWaiters()) {
            decline = Decline.TOO_MANY_WAITERS;
        } else {
            load.waiters.add(new Load.Waiter(suffix(), waiting, probe.maxAgeNanos()));
        }
    }

    private void begin(Slot.Prefix prefix, Slot slot, Epoch epoch, long nowNanos) {
        Ranges ranges = cache.peek(probe) instanceof Ranges known && known.tableEpoch() == epoch ? known : null;
        if (ranges != null && ranges.uncacheable(nowNanos, UNCACHEABLE_NANOS)) {
            decline = Decline.UNCACHEABLE;
            return;
        }
        Load load = ranges == null || ranges.count() == 0
                ? load(prefix, true, Bytes.NONE, null, epoch, nowNanos)
                : rangeLoad(prefix, slot, ranges, epoch, nowNanos);
        if (!load.asksFor(probe.key(), probe.suffixFrom(), probe.to())) {
            decline = Decline.SPLIT;
        } else if (!cache.takeLoad()) {
            decline = Decline.TOO_MANY_LOADS;
        } else {
            table.slots().loads(probe.kind());
            if (listener != null) {
                load.waiters.add(new Load.Waiter(suffix(), listener, probe.maxAgeNanos()));
            }
            slot.loads.add(load);
            begun = load;
        }
    }

    /** The known range that the key falls into, as a whole; else from the key onward to the next range, known or coming. */
    private Load rangeLoad(Slot.Prefix prefix, Slot slot, Ranges ranges, Epoch epoch, long nowNanos) {
        byte[] suffix = suffix();
        int range = ranges.floor(suffix, 0, suffix.length);
        byte[] lower = suffix;
        byte[] upper = range + 1 < ranges.count() ? ranges.lower(range + 1) : null;
        if (range >= 0) {
            byte[] end = ranges.upper(range);
            if (end == null || Arrays.compareUnsigned(end, suffix) > 0) {
                lower = ranges.lower(range);
                upper = end;
            }
        }
        for (Load load : slot.loads) {
            if (load.rowKind() == probe.kind()
                    && Arrays.compareUnsigned(load.lower(), lower) > 0
                    && (upper == null || Arrays.compareUnsigned(load.lower(), upper) < 0)) {
                upper = load.lower();
            }
        }
        return load(prefix, false, lower, upper, epoch, nowNanos);
    }

    private Load load(
            Slot.Prefix prefix, boolean whole, byte[] lower, byte @Nullable [] upper, Epoch epoch, long nowNanos) {
        int hash = table.hash(probe.kind(), prefix.bytes(), 0, prefix.bytes().length);
        return new Load(table, probe.kind(), prefix, hash, whole, lower, upper, epoch, nowNanos);
    }

    private byte[] suffix() {
        return Arrays.copyOfRange(probe.key(), probe.suffixFrom(), probe.to());
    }
}
