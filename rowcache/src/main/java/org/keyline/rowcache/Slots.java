package org.keyline.rowcache;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The {@link Slot}s of one table, for its prefixes with loads or closed fences. Thread-safe. */
final class Slots {
    /*
     * Every change to the state of a prefix happens within the compute of its slot: the steps of a
     * load, the closing and opening of a fence, the drop of a line. A load is publishable while it
     * is attached to the slot. Closing a fence detaches it in the same step that removes the lines.
     * A detached load continues for its waiting reads, and another load may begin after the fence
     * opens.
     *
     * Loaders and listeners are called only outside of the slot. Caffeine's maintenance may run
     * within it, and needs no slot.
     */
    private static final int MAX_RANGES_PER_TABLE = 1 << 16;

    private final LineTable table;
    private final RowCache cache;
    private final ConcurrentHashMap<Slot.Prefix, Slot> slots = new ConcurrentHashMap<>();
    /** Bit k: lines of kind k may exist. Bits are set only within the compute of a slot. */
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
                // The waiting reads were notified of the failure, but the error may also have to
                // stop the process.
                throw e;
            }
        }
    }

    /**
     * @param whole whether the line has all rows of the prefix
     * @param lower the lower bound of a line that is a range
     * @param upper the upper bound of a line that is a range
     */
    void succeeded(Load load, byte[] bytes, boolean whole, byte[] lower, byte @Nullable [] upper, int rows) {
        Line[] made = new Line[1];
        boolean[] cached = new boolean[1];
        List<Load.Waiter> waiters = end(load, attached -> {
            boolean publishable = attached && load.isUndisturbed(lower, upper);
            Line line = whole ? table.line(load, bytes) : range(load, bytes, lower, upper, publishable);
            made[0] = line;
            cached[0] = publishable && whole;
            if (publishable) {
                cache.put(line, 1, line.weight());
            } else {
                line.drop();
                table.stats().loadUnpublished();
            }
        });
        if (waiters != null) {
            table.stats().loaded(rows, bytes.length);
            watched(load, rows, whole);
            notifyWaiters(waiters, waiter -> waiter.deliver(made[0]));
            load.notifyEnd(cached[0] ? made[0] : null);
        }
    }

    private void watched(Load load, int rows, boolean whole) {
        Ghosts watching = table.ghosts();
        if (watching != null) {
            long took = cache.ticker().read() - load.beganNanos();
            watching.loaded(table.options().prefixCells(), rows, took, whole);
        }
    }

    /**
     * Completes a load with the array of a line that another process loaded. Returns false if a
     * condition of {@link Load#succeedAsOf} is not met.
     *
     * @param beganNanos the ticker's time, not after the other process began its load
     */
    boolean adopted(Load load, byte[] bytes, int rows, long beganNanos, BooleanSupplier admitted) {
        // The watermark must be read first. The rows may lack changes that other caches report from
        // now on, and a later watermark would include these changes.
        long othersNanos = cache.others().freshUpToNanos();
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
                cache.put(line, 1, line.weight());
                waiters.addAll(load.waiters);
            }
            return slot == null || slot.idle() ? null : slot;
        });
        if (adopted[0]) {
            release(load);
            table.stats().loaded(rows, bytes.length);
            notifyWaiters(waiters, waiter -> waiter.listener().adopted(line));
        }
        return adopted[0];
    }

    /**
     * Returns whether the line may replace the cached line. The line's load must have begun later
     * than that of the cached line, and no write may have closed or dropped the prefix since then.
     */
    private boolean isCurrent(Load load, Line line) {
        long beganNanos = line.loadBeganNanos();
        return table.isCurrent(load.epoch())
                && beganNanos - load.epoch().beganNanos() > 0
                && !cache.lastDrops().isBefore(load.slot(), beganNanos)
                && !(cache.peek(line) instanceof Line present
                        && present.epoch() == load.epoch()
                        && present.loadBeganNanos() - beganNanos >= 0);
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
            notifyWaiters(waiters, waiter -> waiter.listener().failed(cause));
            load.notifyEnd(null);
        }
    }

    /** @param reason why the reads are declined; {@code UNCACHEABLE} also marks a whole prefix */
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
                watched(load, load.maxRows(), false);
            }
            notifyWaiters(waiters, waiter -> {
                table.stats().declined(reason);
                waiter.listener().declined(reason);
            });
            load.notifyEnd(null);
        }
    }

    void close(Slot.Prefix prefix) {
        slots.compute(prefix, (at, slot) -> {
            Slot closed = slot == null ? new Slot() : slot;
            closed.closers++;
            closed.loads.clear();
            drop(at);
            return closed;
        });
    }

    void open(Slot.Prefix prefix) {
        slots.compute(prefix, (at, slot) -> {
            if (slot == null || slot.closers == 0) {
                throw new IllegalStateException("a fence was opened more often than closed");
            }
            slot.closers--;
            cache.lastDrops().dropped(at, cache.ticker().read());
            return slot.idle() ? null : slot;
        });
    }

    /**
     * Closes the keys whose suffix begins with {@code suffix}. In a split prefix, other ranges
     * remain. A load in progress may still be published for other keys.
     */
    void closeKey(Slot.Prefix prefix, byte[] suffix) {
        slots.compute(prefix, (at, slot) -> {
            Slot closed = slot == null ? new Slot() : slot;
            closed.closeKey(suffix);
            closed.loads.removeIf(load -> !load.disturb(suffix));
            dropKey(at, suffix);
            return closed;
        });
    }

    void openKey(Slot.Prefix prefix, byte[] suffix) {
        slots.compute(prefix, (at, slot) -> {
            if (slot == null) {
                throw new IllegalStateException("a fence was opened more often than closed");
            }
            slot.openKey(suffix);
            cache.lastDrops().dropped(at, cache.ticker().read());
            return slot.idle() ? null : slot;
        });
    }

    void flushKey(Slot.Prefix prefix, byte[] suffix) {
        slots.compute(prefix, (at, slot) -> {
            cache.lastDrops().dropped(at, cache.ticker().read());
            dropKey(at, suffix);
            if (slot == null) {
                return null;
            }
            slot.loads.removeIf(load -> !load.disturb(suffix));
            return slot.idle() ? null : slot;
        });
    }

    void flush(Slot.Prefix prefix) {
        slots.compute(prefix, (at, slot) -> {
            cache.lastDrops().dropped(at, cache.ticker().read());
            drop(at);
            if (slot == null) {
                return null;
            }
            slot.loads.clear();
            return slot.idle() ? null : slot;
        });
    }

    /**
     * Drops an entry whose lifetime is over. Returns false if the lifetime is not over, or if
     * another entry replaced this entry.
     */
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

    int size() {
        return slots.size();
    }

    void loads(byte kind) {
        if ((kinds.get() & (1 << kind)) == 0) {
            kinds.accumulateAndGet(1 << kind, (seen, one) -> seen | one);
        }
    }

    private boolean isOver(LineKey entry, long nowNanos) {
        if (entry instanceof Line line) {
            boolean ended = line.shape() == LineKey.WHOLE && !table.isCurrent(line.epoch());
            return ended || !table.isFresh(line, nowNanos) || table.isOvertaken(line);
        }
        return entry instanceof Ranges ranges && !table.isCurrent(ranges.tableEpoch());
    }

    private interface Ending {
        void at(boolean publishable);
    }

    /** Ends a load. Returns the reads to notify, or null if the load had already ended. */
    private @Nullable List<Load.Waiter> end(Load load, Ending ending) {
        List<Load.Waiter> waiters = new ArrayList<>();
        boolean[] ends = new boolean[1];
        slots.compute(load.slot(), (at, slot) -> {
            if (load.end()) {
                ends[0] = true;
                boolean attached = slot != null && slot.loads.remove(load);
                ending.at(attached && table.isCurrent(load.epoch()));
                waiters.addAll(load.waiters);
            }
            return slot == null || slot.idle() ? null : slot;
        });
        if (!ends[0]) {
            return null;
        }
        release(load);
        return waiters;
    }

    /** Counts the end of a load. Must be called outside of the slot. */
    private void release(Load load) {
        cache.returnLoad();
        table.stats().loadEnded(cache.ticker().read() - load.beganNanos());
    }

    /**
     * Returns the line of a range. If it is publishable, records the range in the entry of the
     * whole prefix.
     */
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
            // A fence over a key drops only one line. If another line overlapped with it, reads
            // could find outdated rows in that line.
            dropRanges(known, probe, lower, upper, lower);
            if (!ranges.is(known)) {
                cache.put(ranges, 0, ranges.weight());
            }
        }
        int hash = table.rangeHash(load.hash(), lower, 0, lower.length);
        return new Line(bytes, hash, publishable ? ranges.epoch() : load.epoch(), load.beganNanos());
    }

    /**
     * Drops the lines of ranges that overlap {@code lower..upper}. Retains the ranges' bounds.
     *
     * @param replaced the lower bound of a range whose line will be replaced; null if none will be
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

    /** Drops the lines of a prefix. Retains the bounds of ranges, which only locate lines. */
    private void drop(Slot.Prefix prefix) {
        int seen = kinds.get();
        if (seen == 0) {
            return;
        }
        LineProbe probe = new LineProbe(table);
        for (int kind = 0; kind < LineTable.MAX_KINDS; kind++) {
            if ((seen & (1 << kind)) == 0) {
                continue;
            }
            if (cache.remove(probe.aim(prefix, kind)) instanceof Ranges ranges
                    && table.isCurrent(ranges.tableEpoch())) {
                Ranges renewed = ranges.renewed();
                cache.put(renewed, 0, renewed.weight());
            }
        }
    }

    /** Notifies all reads even if some of them throw. */
    private static void notifyWaiters(List<Load.Waiter> waiters, Consumer<Load.Waiter> message) {
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
