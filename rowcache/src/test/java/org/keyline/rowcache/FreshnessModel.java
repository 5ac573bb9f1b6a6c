package org.keyline.rowcache;

import static org.keyline.rowcache.FreshnessState.ASKING;
import static org.keyline.rowcache.FreshnessState.CLOSED;
import static org.keyline.rowcache.FreshnessState.FORWARDING;
import static org.keyline.rowcache.FreshnessState.IDLE;
import static org.keyline.rowcache.FreshnessState.KEY;
import static org.keyline.rowcache.FreshnessState.LEFT;
import static org.keyline.rowcache.FreshnessState.LOOKING;
import static org.keyline.rowcache.FreshnessState.OPENED;
import static org.keyline.rowcache.FreshnessState.OUTSIDE_LEFT;
import static org.keyline.rowcache.FreshnessState.STARTED;
import static org.keyline.rowcache.FreshnessState.STEP;
import static org.keyline.rowcache.FreshnessState.TIME;
import static org.keyline.rowcache.FreshnessState.WRITTEN;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rules of lines, loads and fences as a state machine, and the search through all its states.
 * Writers, readers, loads, the clock and writes past the gateway take their steps in every order. A
 * read must not answer less than was acknowledged, or answered to any reader, before it began.
 * Writes past the gateway may be missing for a ttl, which is one tick here. See
 * {@code docs/model.md}.
 */
final class FreshnessModel {
    /** A rule that is left out, which the search must notice. */
    enum Flaw {
        NONE,
        NO_FENCE,
        FENCE_OPENED_BEFORE_THE_STORE_REPLIED,
        LOAD_PUBLISHED_AFTER_A_WRITE,
        ABSENCE_KEPT_ON_INSERT,
        EXPIRY_FROM_THE_END_OF_THE_LOAD,
        OLD_LOAD_JOINED
    }

    /**
     * The size of a model.
     *
     * @param writes of each writer
     * @param reads of each reader
     * @param outside writes past the gateway
     */
    record Shape(int keys, int writers, int writes, int readers, int reads, int loads, int outside, int ticks) {}

    /** The kind of a step. */
    enum Kind {
        CLOSE,
        WRITE,
        OPEN,
        ACKNOWLEDGE,
        BEGIN,
        LOOK,
        ASK,
        FORWARD,
        FETCH,
        FINISH,
        TICK,
        OUTSIDE
    }

    /**
     * One step.
     *
     * @param actor number of the writer, reader or load
     * @param table whether a writer fences the whole table
     */
    record Move(Kind kind, int actor, int key, boolean table) {}

    /** Receives every possible step of every state. */
    interface Visitor {
        void step(FreshnessState from, Move move, FreshnessState to);
    }

    /** @param violation the shortest way to a wrong answer; null if there is none */
    record Result(int states, long steps, @Nullable String violation) {}

    private final Shape shape;
    private final Flaw flaw;

    FreshnessModel(Shape shape, Flaw flaw) {
        this.shape = shape;
        this.flaw = flaw;
    }

    /** Visits every reachable state, or stops at the first wrong answer. */
    Result explore(Visitor visitor) {
        int cells = new FreshnessState(shape, new byte[0], null, null).load(shape.loads);
        FreshnessState first = new FreshnessState(shape, new byte[cells], null, null);
        first.cells[OUTSIDE_LEFT] = (byte) shape.outside;
        for (int writer = 0; writer < shape.writers; writer++) {
            first.cells[first.writer(writer) + LEFT] = (byte) shape.writes;
        }
        for (int reader = 0; reader < shape.readers; reader++) {
            first.cells[first.reader(reader) + LEFT] = (byte) shape.reads;
        }
        Set<FreshnessState> seen = new HashSet<>(Set.of(first));
        ArrayDeque<FreshnessState> open = new ArrayDeque<>(seen);
        long steps = 0;
        for (FreshnessState from = open.poll(); from != null; from = open.poll()) {
            for (Move move : moves(from)) {
                FreshnessState to = new FreshnessChange(from, move, flaw).made();
                steps++;
                if (to.wrong != null) {
                    return new Result(seen.size(), steps, to.wrong + " after " + to.path());
                }
                visitor.step(from, move, to);
                if (seen.add(to)) {
                    open.add(to);
                }
            }
        }
        return new Result(seen.size(), steps, null);
    }

    private List<Move> moves(FreshnessState state) {
        byte[] cells = state.cells;
        List<Move> moves = new ArrayList<>();
        for (int writer = 0; writer < shape.writers; writer++) {
            int key = cells[state.writer(writer) + KEY];
            switch (cells[state.writer(writer) + STEP]) {
                case IDLE -> {
                    for (int k = 0; k < shape.keys && cells[state.writer(writer) + LEFT] > 0; k++) {
                        moves.add(new Move(Kind.CLOSE, writer, k, false));
                        moves.add(new Move(Kind.CLOSE, writer, k, true));
                    }
                }
                case CLOSED -> moves.add(new Move(early() ? Kind.OPEN : Kind.WRITE, writer, key, false));
                case WRITTEN -> moves.add(new Move(early() ? Kind.WRITE : Kind.OPEN, writer, key, false));
                case OPENED -> moves.add(new Move(Kind.ACKNOWLEDGE, writer, key, false));
                default -> throw new IllegalStateException("step of a writer");
            }
        }
        for (int reader = 0; reader < shape.readers; reader++) {
            int key = cells[state.reader(reader) + KEY];
            switch (cells[state.reader(reader) + STEP]) {
                case IDLE -> {
                    for (int k = 0; k < shape.keys && cells[state.reader(reader) + LEFT] > 0; k++) {
                        moves.add(new Move(Kind.BEGIN, reader, k, false));
                    }
                }
                case LOOKING -> moves.add(new Move(Kind.LOOK, reader, key, false));
                case ASKING -> moves.add(new Move(Kind.ASK, reader, key, false));
                case FORWARDING -> moves.add(new Move(Kind.FORWARD, reader, key, false));
                default -> {}
            }
        }
        for (int load = 0; load < shape.loads; load++) {
            int step = cells[state.load(load) + STEP];
            if (step != IDLE) {
                Kind next = step == STARTED ? Kind.FETCH : Kind.FINISH;
                moves.add(new Move(next, load, cells[state.load(load) + KEY], false));
            }
        }
        if (cells[TIME] < shape.ticks) {
            moves.add(new Move(Kind.TICK, 0, 0, false));
        }
        for (int k = 0; k < shape.keys && cells[OUTSIDE_LEFT] > 0; k++) {
            moves.add(new Move(Kind.OUTSIDE, 0, k, false));
        }
        return moves;
    }

    private boolean early() {
        return flaw == Flaw.FENCE_OPENED_BEFORE_THE_STORE_REPLIED;
    }
}
