package org.keyline.gateway.simulator;

import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The clock of a history, its future events, and its random choices: one seed determines all three.
 * Confined to one thread.
 */
final class World {
    static final long MILLI = 1_000_000;
    /** A history with more steps than this does not end. */
    private static final long MAX_STEPS = 100_000;

    private record Event(long at, long order, String what, long whose, Runnable action) {}

    private final MockTicker clock = Ticker.newMockTicker();
    private final SplittableRandom random;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
    private final List<SimulatedLoop> loops = new ArrayList<>();
    private final List<Runnable> afterEach = new ArrayList<>();
    private final @Nullable StringBuilder trace;
    private @Nullable SimulatedLoop running;
    private long order;
    private long step;
    private long hash;

    private final long seed;

    World(long seed, boolean traced) {
        this.seed = seed;
        random = new SplittableRandom(seed);
        trace = traced ? new StringBuilder() : null;
        clock.advance(1, TimeUnit.HOURS);
    }

    Ticker ticker() {
        return clock;
    }

    long now() {
        return clock.nanoTime();
    }

    /** Counts events, which orders those of the same time. */
    long step() {
        return step;
    }

    // ---------------------------------------------------------------- chances

    int below(int bound) {
        return random.nextInt(bound);
    }

    /**
     * Returns whether the history is one of this many, independent of its random choices. So a
     * later kind of history does not change the others.
     */
    boolean isOneOf(int many) {
        return seed % many == 0;
    }

    /** Returns whether its seed is this one or a later one. */
    boolean isFrom(long first) {
        return seed >= first;
    }

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    /** Returns a time between two numbers of microseconds, in nanoseconds. */
    long micros(int from, int to) {
        return TimeUnit.MICROSECONDS.toNanos(random.nextInt(from, to));
    }

    <T> T anyOf(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    // ---------------------------------------------------------------- events

    /** Schedules an event for later, between other events. */
    void after(long nanos, String what, long whose, Runnable action) {
        events.add(new Event(now() + nanos, order++, what, whose, action));
    }

    /** Runs a check after each event. */
    void afterEach(Runnable look) {
        afterEach.add(look);
    }

    SimulatedLoop newLoop() {
        SimulatedLoop loop = new SimulatedLoop(this);
        loops.add(loop);
        return loop;
    }

    @Nullable
    SimulatedLoop running() {
        return running;
    }

    /** Runs a task as an event loop does. */
    void on(SimulatedLoop loop, Runnable task) {
        SimulatedLoop before = running;
        running = loop;
        try {
            task.run();
        } finally {
            running = before;
        }
    }

    /** Runs all events until none is left. */
    void run() {
        while (next()) {
            if (++step > MAX_STEPS) {
                throw new Violation("the world does not come to rest");
            }
            for (int i = 0; i < afterEach.size(); i++) {
                afterEach.get(i).run();
            }
        }
    }

    private boolean next() {
        Event event = events.peek();
        SimulatedLoop timed = null;
        long at = event == null ? Long.MAX_VALUE : event.at();
        for (SimulatedLoop loop : loops) {
            if (loop.timerAt() < at) {
                at = loop.timerAt();
                timed = loop;
            }
        }
        if (at == Long.MAX_VALUE) {
            return false;
        }
        clock.advance(Math.max(0, at - now()), TimeUnit.NANOSECONDS);
        if (timed != null) {
            note("timer", loops.indexOf(timed));
            timed.runTimer();
        } else {
            Event due = events.remove();
            note(due.what(), due.whose());
            due.action().run();
        }
        return true;
    }

    // ---------------------------------------------------------------- the trace

    /** Adds an event to the trace and its hash. */
    void note(String what, long whose) {
        hash = 31 * (31 * (31 * hash + now()) + what.hashCode()) + whose;
        hash ^= hash >>> 29;
        if (trace != null) {
            trace.append(
                    String.format("%10.3f ms  #%-5d %3d %s%n", (now() - 3_600_000 * MILLI) / 1e6, step, whose, what));
        }
    }

    /** Returns a hash of all events and their times. */
    long hash() {
        return hash;
    }

    String trace() {
        return trace == null ? "" : trace.toString();
    }
}
