package org.keyline.gateway.tier;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.tier.TierModel.Flaw;
import org.keyline.gateway.tier.TierModel.Move;
import org.keyline.gateway.tier.TierModel.Result;
import org.keyline.gateway.tier.TierModel.Shape;
import org.keyline.planner.TableName;

/**
 * The real bookkeeping of gateways takes every step of the model, in every state that the model can
 * reach. It must decide the same: when lines are dropped, whether the others confirm freshness, and
 * which values of the tier may be used.
 */
final class PeersConformanceTest {
    private static final TableName TABLE = new TableName("db", "t");
    private static final byte[] KEY = {1};
    private static final Drop ROW = new Drop.Rows(TABLE, 1, KEY);

    /** Gateways that take the model's steps, all with one clock. */
    private static final class Real {
        private final Shape shape;
        private final Peers[] gateways;
        private final Map<List<Integer>, PeerEntry> entries = new HashMap<>();
        private final Map<List<Integer>, VersionVector> loads = new HashMap<>();
        private final @Nullable VersionVector[] values;
        private long nowNanos;
        private long processes;
        /** Whether the last step dropped lines at its gateway. */
        private boolean dropped;

        Real(Shape shape) {
            this.shape = shape;
            gateways = new Peers[shape.gateways()];
            values = new @Nullable VersionVector[shape.values()];
            for (int g = 0; g < gateways.length; g++) {
                gateways[g] = start(g);
            }
            nowNanos++;
            if (shape.greeted()) {
                for (int g = 0; g < gateways.length; g++) {
                    entries.put(List.of(g, 1), gateways[g].next(List::of));
                }
                // Dated before the start, although they are taken after it, because the model has
                // no lower bound from the start.
                nowNanos--;
                entries.forEach((at, entry) -> {
                    for (int g = 0; g < gateways.length; g++) {
                        if (shape.lists(g, at.get(0))) {
                            gateways[g].receive(entry);
                        }
                    }
                });
                nowNanos++;
            }
        }

        private Peers start(int g) {
            Set<String> listed = IntStream.range(0, shape.gateways())
                    .filter(other -> shape.lists(g, other))
                    .mapToObj(other -> "g" + other)
                    .collect(Collectors.toSet());
            return new Peers(
                    "g" + g, listed, ++processes, new Peers.Sizes(16, 1), () -> nowNanos, new Peers.Listener() {
                        @Override
                        public void drop(Drop drop) {
                            dropped = true;
                        }

                        @Override
                        public void freshUpTo(long asOfNanos) {}
                    });
        }

        void take(TierState to) {
            TierState from = requireNonNull(to.before);
            Move move = requireNonNull(to.move);
            int g = move.gateway();
            dropped = false;
            switch (move.kind()) {
                case END -> {
                    gateways[g].wrote(ROW);
                    sent(to, g, gateways[g].next(() -> List.of(ROW)));
                }
                case BEAT -> sent(to, g, gateways[g].next(List::of));
                case HEAR -> gateways[g].receive(requireNonNull(entries.get(List.of(move.actor(), move.number()))));
                case READ -> {
                    for (int load = 0; load < shape.loads(); load++) {
                        if (step(from, g, load) == TierState.IDLE && step(to, g, load) != TierState.IDLE) {
                            loads.put(List.of(g, load), gateways[g].seen());
                        }
                    }
                }
                case FINISH -> {
                    for (int value = 0; value < shape.values(); value++) {
                        if (from.cells[from.value(value)] == 0 && to.cells[to.value(value)] != 0) {
                            values[value] = loads.get(List.of(g, move.actor()));
                        }
                    }
                }
                case RESTART -> gateways[g] = start(g);
                case TICK -> nowNanos += 10;
                default -> {}
            }
        }

        private static int step(TierState state, int g, int load) {
            return state.cells[state.load(g, load) + TierState.STEP];
        }

        private void sent(TierState to, int g, PeerEntry entry) {
            entries.put(List.of(g, (int) to.cells[to.gateway(g) + TierState.NUMBER]), entry);
        }

        boolean isVouchedFor(int g) {
            OptionalLong vouched = gateways[g].freshUpToNanos();
            return vouched.isPresent() && nowNanos - vouched.getAsLong() <= TierState.STALENESS * 10L;
        }

        boolean accepts(int g, int value) {
            VersionVector noted = values[value];
            OptionalLong began = noted == null ? OptionalLong.empty() : gateways[g].beganNanos(noted);
            if (began.isEmpty() || !gateways[g].mayUse(TABLE, KEY, began.getAsLong())) {
                return false;
            }
            long age = nowNanos - began.getAsLong();
            return age <= TierState.STALENESS * 10L || (age <= shape.ttl() * 10L && isVouchedFor(g));
        }
    }

    private long compared;

    @Test
    void peers_thatKnowEachOther_sayWhatTheModelSays() {
        compare(new Shape(2, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 0, 2, true, false, false));
    }

    @Test
    void peers_thatHaveJustBeenStarted_sayWhatTheModelSays() {
        compare(new Shape(2, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 0, 2, false, false, false));
    }

    @Test
    void peers_ofWhomOneIsKilledAndStartedAgain_sayWhatTheModelSays() {
        compare(new Shape(2, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 2, true, false, false));
    }

    @Test
    void peers_ofThree_sayWhatTheModelSays() {
        compare(new Shape(3, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 2, true, false, false));
    }

    @Test
    void peers_ofWhomOneIsUnknownToAnother_sayWhatTheModelSays() {
        compare(new Shape(3, 1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 0, 2, true, false, true));
    }

    private void compare(Shape shape) {
        Result result = new TierModel(shape, Flaw.NONE).explore(to -> compare(shape, to));
        System.out.printf("%s: %d states, %d steps compared%n", shape, result.states(), result.steps());
        assertThat(result.violation()).isNull();
        assertThat(compared).isEqualTo(result.steps()).isGreaterThan(10_000);
    }

    private void compare(Shape shape, TierState to) {
        compared++;
        Real real = new Real(shape);
        Deque<TierState> path = new ArrayDeque<>();
        for (TierState at = to; at.before != null; at = at.before) {
            path.addFirst(at);
        }
        path.forEach(real::take);
        TierState from = requireNonNull(to.before);
        Move move = requireNonNull(to.move);
        int line = from.gateway(move.gateway()) + TierState.LINE;
        if (move.kind() == TierModel.Kind.HEAR && from.cells[line] != 0) {
            check(real.dropped, to.cells[line] == 0, "dropped at " + move.gateway(), to);
        }
        for (int g = 0; g < shape.gateways(); g++) {
            check(real.isVouchedFor(g), to.isVouchedFor(g, true), "vouched for at " + g, to);
            for (int value = 0; value < shape.values(); value++) {
                boolean accepted = to.cells[to.value(value)] != 0 && TierStep.accepts(to, g, value, Flaw.NONE);
                if (to.cells[to.value(value)] != 0) {
                    check(real.accepts(g, value), accepted, "value " + value + " at " + g, to);
                }
            }
        }
    }

    private static void check(boolean actual, boolean expected, String what, TierState at) {
        if (actual != expected) {
            throw new AssertionError(what + ": " + actual + " (expected: " + expected + ") after " + at.path());
        }
    }
}
