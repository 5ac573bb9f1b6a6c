package org.keyline.gateway.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether the history of one object is linearizable: whether each call can be assigned a
 * moment between its begin and its end, so that the steps are possible in the order of these
 * moments. Confined to one thread.
 *
 * @see <a href="https://doi.org/10.1006/jpdc.1993.1015">Wing, Gong: Testing and verifying
 *     concurrent objects</a>
 * @see <a href="https://doi.org/10.1002/cpe.3928">Lowe: Testing for linearizability</a>
 */
final class Linearizability {
    /*
     * Lowe's just-in-time linearization. The begins and ends of all calls are processed in the
     * order of time, with the set of all configurations that explain the history so far. A
     * configuration is a state, and the set of running calls that have already taken effect. A call
     * takes effect as late as possible. When it ends, every configuration in which it has not taken
     * effect is replaced by those that any order of the running calls leads to. If none is left,
     * nothing explains the history. Equal configurations are merged, which is the memoisation.
     *
     * A pure read takes effect as soon as possible: it changes nothing for the others, so waiting
     * cannot help.
     *
     * The cost grows with the number of overlapping calls, not with the length of the history. A
     * call without a reply runs until the end of the history.
     */
    private static final int MAX_UNDER_WAY = Long.SIZE;
    private static final int MAX_CONFIGURATIONS = 2_000_000;
    private static final int SHOWN = 12;

    /** @param done bit s: the call in slot s has taken effect */
    private record Configuration(long state, long done) {}

    private record Event(long nanos, boolean end, Call call) {}

    private final @Nullable Call[] underWay = new @Nullable Call[MAX_UNDER_WAY];
    private Set<Configuration> configurations = new HashSet<>();

    private Linearizability(long initial) {
        configurations.add(new Configuration(initial, 0));
    }

    /** Returns a readable description of a violation; null if the history is linearizable. */
    static @Nullable String violation(List<Call> history, long initial) {
        List<Event> events = new ArrayList<>(2 * history.size());
        for (Call call : history) {
            events.add(new Event(call.beganNanos(), false, call));
            if (!call.isUnknown()) {
                events.add(new Event(call.endedNanos(), true, call));
            }
        }
        // At the same moment, begins come first, so that calls overlap in case of doubt.
        events.sort(Comparator.comparingLong(Event::nanos).thenComparing(Event::end));
        Linearizability search = new Linearizability(initial);
        for (Event event : events) {
            Set<Configuration> before = search.configurations;
            if (!event.end) {
                search.begin(event.call);
            } else if (!search.end(event.call)) {
                return describe(history, event.call, before);
            }
        }
        return null;
    }

    private void begin(Call call) {
        int place = 0;
        while (underWay[place] != null) {
            if (++place == MAX_UNDER_WAY) {
                throw new IllegalArgumentException("calls under way: more than " + MAX_UNDER_WAY);
            }
        }
        underWay[place] = call;
        if (call.step().reads()) {
            Set<Configuration> next = new HashSet<>();
            for (Configuration each : configurations) {
                next.add(withReads(each.state, each.done));
            }
            configurations = next;
        }
    }

    private boolean end(Call call) {
        int place = 0;
        while (!call.equals(underWay[place])) {
            place++;
        }
        long bit = 1L << place;
        Set<Configuration> next = new HashSet<>();
        Set<Configuration> seen = new HashSet<>();
        ArrayDeque<Configuration> open = new ArrayDeque<>();
        for (Configuration each : configurations) {
            sort(each, bit, next, seen, open);
        }
        for (Configuration from = open.poll(); from != null; from = open.poll()) {
            for (int other = 0; other < MAX_UNDER_WAY; other++) {
                Call step = underWay[other];
                if (step == null || (from.done & (1L << other)) != 0) {
                    continue;
                }
                long state = step.step().after(from.state);
                if (state != Step.REFUSED) {
                    sort(withReads(state, from.done | (1L << other)), bit, next, seen, open);
                }
            }
            if (seen.size() > MAX_CONFIGURATIONS) {
                throw new IllegalStateException("more than " + MAX_CONFIGURATIONS + " configurations");
            }
        }
        underWay[place] = null;
        configurations = next;
        return !next.isEmpty();
    }

    /**
     * A configuration in which the ending call took effect continues without it. Any other one is
     * explored once.
     */
    private static void sort(
            Configuration found,
            long bit,
            Set<Configuration> next,
            Set<Configuration> seen,
            ArrayDeque<Configuration> open) {
        if ((found.done & bit) != 0) {
            next.add(new Configuration(found.state, found.done & ~bit));
        } else if (seen.add(found)) {
            open.add(found);
        }
    }

    private Configuration withReads(long state, long done) {
        long all = done;
        for (int place = 0; place < MAX_UNDER_WAY; place++) {
            Call call = underWay[place];
            if (call != null
                    && (all & (1L << place)) == 0
                    && call.step().reads()
                    && call.step().after(state) != Step.REFUSED) {
                all |= 1L << place;
            }
        }
        return new Configuration(state, all);
    }

    private static String describe(List<Call> history, Call culprit, Set<Configuration> before) {
        StringBuilder text = new StringBuilder("nothing explains ").append(culprit.step());
        text.append("\n  states possible before its end: ");
        before.stream()
                .mapToLong(Configuration::state)
                .distinct()
                .limit(SHOWN)
                .forEach(state -> text.append(state >>> Integer.SIZE)
                        .append('/')
                        .append((int) state)
                        .append(' '));
        text.append("\n  calls around it, in microseconds from its begin:");
        List<Call> around = new ArrayList<>(history);
        around.removeIf(call -> call.beganNanos() > culprit.endedNanos());
        around.sort(Comparator.comparingLong(Call::endedNanos));
        // Shows only the last reads, and more of the writes, because the last relevant write may be
        // long ago.
        List<Call> shown = new ArrayList<>(last(around, true));
        shown.addAll(last(around, false));
        shown.sort(Comparator.comparingLong(Call::beganNanos));
        for (Call call : shown) {
            text.append("\n    ").append(micros(call.beganNanos(), culprit)).append("..");
            text.append(call.isUnknown() ? "?" : micros(call.endedNanos(), culprit));
            text.append(' ').append(call.step()).append(call.equals(culprit) ? "  <--" : "");
        }
        return text.toString();
    }

    private static List<Call> last(List<Call> calls, boolean reads) {
        List<Call> some =
                calls.stream().filter(call -> call.step().reads() == reads).toList();
        return some.subList(Math.max(0, some.size() - SHOWN), some.size());
    }

    private static long micros(long nanos, Call culprit) {
        return (nanos - culprit.beganNanos()) / 1_000;
    }
}
