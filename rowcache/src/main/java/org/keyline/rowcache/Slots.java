package org.keyline.rowcache;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The prefixes of one table where something goes on: their loads and their fences. Thread-safe. */
final class Slots {
    /*
     * Whatever changes what is known of a prefix (a load begins, is joined, is published, ends; a fence closes or opens; a
     * line is dropped) happens within the compute of its slot. A load is publishable while it is attached to the slot:
     * closing a fence detaches it in the same step that removes the lines. A detached load goes on for those who wait for
     * it, and no longer keeps another one from beginning once the fence is open.
     *
     * Foreign code (loaders, listeners) is called outside of the slot only. The cache's own maintenance may run inside; it
     * calls nothing but counters.
     */
    /** Most ranges that are remembered of a table that is kept as ranges of keys. */
    private static final int MAX_RANGES_PER_TABLE = 1 << 16;

    private final LineTable table;
    private final RowCache cache;
    private final ConcurrentHashMap<Slot.Prefix, Slot> slots = new ConcurrentHashMap<>();
    /** Bit k: a load of kind k has begun. Set within the slot, so a fence there knows what may have been published. */
    private final AtomicInteger kinds = new AtomicInteger();

    Slots(LineTable table, RowCache cache) {
        this.table = table;
        this.cache = cache;
    }

    void load(LineProbe probe, Loader loader, LoadListener listener) {
        Admission admission = new Admission(table, cache, probe, listener);
        slots.compute(table.prefix(probe.key(), probe.from(), probe.suffixFrom()), admission);
        Line line = admission.line();
        Decline decline = admission.decline();
        Load begun = admission.begun();
        if (line != null) {
            listener.loaded(line);
        } else if (decline != null) {
            table.stats().declined(decline);
            listener.declined(decline);
        } else if (begun != null) {
            begin(begun, loader);
        } else {
            table.stats().waited();
        }
    }

    void refresh(LineProbe probe, Loader loader) {
        Admission admission = new Admission(table, cache, probe, null);
        slots.compute(table.prefix(probe.key(), probe.from(), probe.suffixFrom()), admission);
        Load begun = admission.begun();
        if (begun != null) {
            table.stats().refreshed();
            begin(begun, loader);
        }
    }

    private void begin(Load load, Loader loader) {
        table.stats().loadStarted();
        try {
            loader.start(load);
        } catch (RuntimeException | Error e) {
            load.fail(e);
            if (e instanceof OutOfMemoryError) {
                // The load has failed for its readers, but the program may have to end.
                throw e;
            }
        }
    }

    /**
     * A load came to its end with the array of a line.
     *
     * @param whole whether the line has all rows of the prefix
     * @param lower where the line begins if not
     * @param upper where it ends
     */
    void succeeded(Load load, byte[] bytes, boolean whole, byte[] lower, byte @Nullable [] upper, int rows) {
        Line[] made = new Line[1];
        boolean[] kept = new boolean[1];
        List<Load.Waiter> waiters = end(load, attached -> {
            boolean publishable = attached && load.isUndisturbed(lower, upper);
            kept[0] = publishable && whole;
            Line line = whole ? table.line(load, bytes) : range(load, bytes, lower, upper, publishable);
            made[0] = line;
            if (publishable && table.options().kept()) {
                cache.put(line, 1, line.weight());
            } else {
                line.drop();
            }
            if (!publishable) {
                table.stats().loadUnpublished();
            }
        });
        if (waiters != null) {
            table.stats().loaded(rows, bytes.length);
            watched(load, rows, bytes.length, whole);
            tell(waiters, waiter -> waiter.tell(made[0]));
            load.tellEnd(kept[0] ? made[0] : null);
        }
    }

    private void watched(Load load, int rows, int bytes, boolean whole) {
        Ghosts watching = table.ghosts();
        if (watching != null) {
            long took = cache.ticker().read() - load.beganNanos();
            watching.loaded(table.options().prefixCells(), rows, bytes, took, whole);
        }
    }

    /**
     * Ends a load with the array of a line that was loaded elsewhere, if that is as good as its own; answers whether it is.
     *
     * @param beganNanos not after the load elsewhere had begun
     */
    boolean adopted(Load load, byte[] bytes, int rows, long beganNanos, BooleanSupplier admitted) {
        // First: what others tell afterwards may be missing in the rows, so no later vouch counts for them.
        long othersNanos = cache.others().vouchedNanos();
        Line line = new Line(bytes, load.hash(), load.epoch(), beganNanos);
        List<Load.Waiter> waiters = new ArrayList<>();
        boolean[] adopted = new boolean[1];
        slots.compute(load.slot(), (at, slot) -> {
            if (slot != null
                    && slot.loads.contains(load)
                    && isCurrent(load, line)
                    && isYoungEnough(load, line, othersNanos)
                    && admitted.getAsBoolean()
                    && load.end()) {
                adopted[0] = true;
                slot.loads.remove(load);
                if (table.options().kept()) {
                    cache.put(line, 1, line.weight());
                } else {
                    line.drop();
                }
                waiters.addAll(load.waiters);
            }
            return slot == null || slot.idle() ? null : slot;
        });
        if (adopted[0]) {
            over(load);
            table.stats().loaded(rows, bytes.length);
            tell(waiters, waiter -> waiter.listener().adopted(line));
        }
        return adopted[0];
    }

    /** Whether nothing was closed or dropped there since the line was loaded, and it is no older than what is there. */
    private boolean isCurrent(Load load, Line line) {
        long beganNanos = line.loadBeganNanos();
        return load.epoch() == table.epoch()
                && beganNanos - load.epoch().beganNanos() > 0
                && !cache.lastDrops().isBefore(load.slot(), beganNanos)
                && !(cache.peek(line) instanceof Line there
                        && there.epoch() == load.epoch()
                        && there.loadBeganNanos() - beganNanos >= 0);
    }

    private boolean isYoungEnough(Load load, Line line, long othersNanos) {
        long nowNanos = cache.ticker().read();
        for (Load.Waiter waiter : load.waiters) {
            if (!table.isFresh(line, waiter.maxAgeNanos(), nowNanos, othersNanos)) {
                return false;
            }
        }
        return table.isFresh(line, Long.MAX_VALUE, nowNanos, othersNanos);
    }

    void failed(Load load, Throwable cause) {
        List<Load.Waiter> waiters = end(load, publishable -> table.stats().loadFailed());
        if (waiters != null) {
            tell(waiters, waiter -> waiter.listener().failed(cause));
            load.tellEnd(null);
        }
    }

    /**
     * A load came to nothing.
     *
     * @param reason if the rows cannot be kept, that is remembered
     */
    void declined(Load load, Decline reason) {
        List<Load.Waiter> waiters = end(load, publishable -> {
            if (publishable && reason == Decline.UNCACHEABLE && load.isWhole()) {
                Ranges mark = Ranges.uncacheable(
                        load.hash(), load.rowKind(), load.slot().bytes(), load.epoch(), load.beganNanos());
                cache.put(mark, 0, mark.weight());
            }
        });
        if (waiters != null) {
            if (load.isCut()) {
                watched(load, load.maxRows(), 0, false);
            }
            tell(waiters, waiter -> {
                table.stats().declined(reason);
                waiter.listener().declined(reason);
            });
            load.tellEnd(null);
        }
    }

    /** @param patch what the write may put back when it opens; null: nothing */
    void close(Slot.Prefix prefix, @Nullable Patch patch) {
        slots.compute(prefix, (at, slot) -> {
            Slot closed = slot == null ? new Slot() : slot;
            // Of two writers under way the store alone knows which of them came last.
            closed.patch = closed.closers == 0 ? patch : null;
            closed.closers++;
            closed.loads.clear();
            drop(at, closed.patch);
            return closed;
        });
    }

    /** @param patch what the write that opens was given when it closed; null: nothing */
    void open(Slot.Prefix prefix, @Nullable Patch patch) {
        slots.compute(prefix, (at, slot) -> {
            if (slot == null || slot.closers == 0) {
                throw new IllegalStateException("opened more often than closed");
            }
            slot.closers--;
            cache.lastDrops().dropped(at, cache.ticker().read());
            if (patch != null && slot.patch == patch) {
                patch.publish(cache);
            }
            slot.patch = null;
            return slot.idle() ? null : slot;
        });
    }

    /**
     * Closes the keys whose suffix begins with {@code suffix}: of a split prefix, no more than the ranges that may have some of them. What
     * is being loaded may still be published as far as it has none of them.
     */
    void closeKey(Slot.Prefix prefix, byte[] suffix) {
        slots.compute(prefix, (at, slot) -> {
            Slot closed = slot == null ? new Slot() : slot;
            closed.patch = null;
            closed.closeKey(suffix);
            closed.loads.removeIf(load -> !load.disturb(suffix));
            dropKey(at, suffix);
            return closed;
        });
    }

    void openKey(Slot.Prefix prefix, byte[] suffix) {
        slots.compute(prefix, (at, slot) -> {
            if (slot == null) {
                throw new IllegalStateException("opened more often than closed");
            }
            slot.openKey(suffix);
            cache.lastDrops().dropped(at, cache.ticker().read());
            return slot.idle() ? null : slot;
        });
    }

    /** Drops what has keys whose suffix begins with {@code suffix}. */
    void flushKey(Slot.Prefix prefix, byte[] suffix) {
        slots.compute(prefix, (at, slot) -> {
            cache.lastDrops().dropped(at, cache.ticker().read());
            dropKey(at, suffix);
            if (slot == null) {
                return null;
            }
            slot.patch = null;
            slot.loads.removeIf(load -> !load.disturb(suffix));
            return slot.idle() ? null : slot;
        });
    }

    void flush(Slot.Prefix prefix) {
        slots.compute(prefix, (at, slot) -> {
            cache.lastDrops().dropped(at, cache.ticker().read());
            drop(at, null);
            if (slot == null) {
                return null;
            }
            slot.patch = null;
            slot.loads.clear();
            return slot.idle() ? null : slot;
        });
    }

    /** Removes an entry that answers no more, unless it was replaced; answers whether it did. */
    boolean dropOver(LineKey entry, long nowNanos) {
        if (!isOver(entry, nowNanos)) {
            return false;
        }
        boolean dropped = drop(entry);
        if (dropped && entry instanceof Line) {
            table.stats().expired();
        }
        return dropped;
    }

    /** Drops an entry, unless it was replaced. */
    private boolean drop(LineKey entry) {
        boolean[] dropped = new boolean[1];
        slots.compute(table.prefix(entry.prefixBytes(), entry.prefixFrom(), entry.prefixTo()), (at, slot) -> {
            if (entry.is(cache.peek(entry))) {
                cache.remove(entry);
                dropped[0] = true;
            }
            return slot;
        });
        return dropped[0];
    }

    /** Prefixes where something goes on. */
    int size() {
        return slots.size();
    }

    /** Marks a kind as loaded. */
    void loads(byte kind) {
        if ((kinds.get() & (1 << kind)) == 0) {
            kinds.accumulateAndGet(1 << kind, (seen, one) -> seen | one);
        }
    }

    private boolean isOver(LineKey entry, long nowNanos) {
        if (entry instanceof Line line) {
            boolean ended = line.shape() == LineKey.WHOLE && line.epoch() != table.epoch();
            return ended || !table.isFresh(line, nowNanos) || table.isOvertaken(line);
        }
        return entry instanceof Ranges ranges && ranges.tableEpoch() != table.epoch();
    }

    /** What to do at the end of a load, within its slot. */
    private interface Ending {
        void at(boolean publishable);
    }

    /** Ends a load, once; answers who is to be told, or null if it had ended before. */
    private @Nullable List<Load.Waiter> end(Load load, Ending ending) {
        List<Load.Waiter> waiters = new ArrayList<>();
        boolean[] ends = new boolean[1];
        slots.compute(load.slot(), (at, slot) -> {
            if (load.end()) {
                ends[0] = true;
                boolean attached = slot != null && slot.loads.remove(load);
                ending.at(attached && load.epoch() == table.epoch());
                waiters.addAll(load.waiters);
            }
            return slot == null || slot.idle() ? null : slot;
        });
        if (!ends[0]) {
            return null;
        }
        over(load);
        return waiters;
    }

    /** A load has ended, outside of its slot. */
    private void over(Load load) {
        cache.returnLoad();
        table.stats().loadEnded(cache.ticker().read() - load.beganNanos());
    }

    /** Makes the line of a range and, if it is to be found, says so where the prefix's whole line would be. */
    private Line range(Load load, byte[] bytes, byte[] lower, byte @Nullable [] upper, boolean publishable) {
        LineProbe probe = new LineProbe(table).aim(load.slot(), load.rowKind());
        LineKey whole = cache.peek(probe);
        Ranges known = whole instanceof Ranges ranges && ranges.tableEpoch() == load.epoch()
                ? ranges
                : Ranges.none(load.hash(), load.rowKind(), load.slot().bytes(), load.epoch());
        Ranges ranges = known.with(
                lower,
                upper,
                table.isRanged() ? MAX_RANGES_PER_TABLE : cache.options().maxRangesPerPrefix());
        if (publishable) {
            // A line answers within its own bounds: one that overlaps this one would be found by one key and dropped by
            // none.
            dropRanges(known, probe, lower, upper, lower);
            if (!ranges.is(known)) {
                cache.put(ranges, 0, ranges.weight());
            }
        }
        int hash = table.rangeHash(load.hash(), lower, 0, lower.length);
        return new Line(bytes, hash, publishable ? ranges.epoch() : load.epoch(), load.beganNanos());
    }

    /**
     * Drops the lines of the ranges that have keys from some suffix on and below another; their bounds stay.
     *
     * @param replaced where the range begins whose line is to be replaced; null: there is none
     */
    private void dropRanges(
            Ranges ranges, LineProbe probe, byte[] lower, byte @Nullable [] upper, byte @Nullable [] replaced) {
        for (int i = ranges.firstAbove(lower); i < ranges.count(); i++) {
            byte[] begin = ranges.lower(i);
            if (upper != null && Arrays.compareUnsigned(begin, upper) >= 0) {
                break;
            }
            if (!Arrays.equals(begin, replaced)) {
                probe.aimAtRange(begin, 0, begin.length);
                cache.remove(probe);
            }
        }
        probe.aimAtWhole();
    }

    /** Drops what is cached of the keys whose suffix begins with {@code suffix}. */
    private void dropKey(Slot.Prefix prefix, byte[] suffix) {
        int loaded = kinds.get();
        LineProbe probe = new LineProbe(table);
        byte[] above = Arrays.copyOf(suffix, suffix.length + 1);
        above[suffix.length] = KeyEncoder.ABOVE;
        for (int kind = 0; kind < LineTable.MAX_KINDS; kind++) {
            LineKey entry = (loaded & (1 << kind)) == 0 ? null : cache.peek(probe.aim(prefix, kind));
            if (entry instanceof Ranges ranges) {
                dropRanges(ranges, probe, suffix, above, null);
            } else if (entry != null) {
                cache.remove(probe);
            }
        }
    }

    /**
     * Drops what is cached at a prefix. The bounds of ranges stay: they say where to look, not what is there.
     *
     * @param patch takes the lines; null: nobody does
     */
    private void drop(Slot.Prefix prefix, @Nullable Patch patch) {
        int seen = kinds.get();
        if (seen == 0) {
            return;
        }
        LineProbe probe = new LineProbe(table);
        for (int kind = 0; kind < LineTable.MAX_KINDS; kind++) {
            if ((seen & (1 << kind)) == 0) {
                continue;
            }
            if (patch != null && cache.peek(probe.aim(prefix, kind)) instanceof Line line) {
                // Before it goes: then it has no epoch any more.
                patch.take(line, line.epoch());
            }
            if (cache.remove(probe.aim(prefix, kind)) instanceof Ranges ranges
                    && ranges.tableEpoch() == table.epoch()) {
                Ranges renewed = ranges.renewed();
                cache.put(renewed, 0, renewed.weight());
            }
        }
    }

    /** Tells all, whatever one of them does. */
    private static void tell(List<Load.Waiter> waiters, Consumer<Load.Waiter> message) {
        RuntimeException thrown = null;
        for (Load.Waiter waiter : waiters) {
            try {
                message.accept(waiter);
            } catch (RuntimeException e) {
                if (thrown == null) {
                    thrown = e;
                } else {
                    thrown.addSuppressed(e);
                }
            }
        }
        if (thrown != null) {
            throw thrown;
        }
    }
}
