package org.keyline.gateway.tier;

import static org.keyline.gateway.tier.TierState.AWAITING;
import static org.keyline.gateway.tier.TierState.BEATING;
import static org.keyline.gateway.tier.TierState.BEATS_LEFT;
import static org.keyline.gateway.tier.TierState.CLOSED;
import static org.keyline.gateway.tier.TierState.CLOSED_AND_TOLD;
import static org.keyline.gateway.tier.TierState.FORWARDING;
import static org.keyline.gateway.tier.TierState.IDLE;
import static org.keyline.gateway.tier.TierState.LEFT;
import static org.keyline.gateway.tier.TierState.LINE;
import static org.keyline.gateway.tier.TierState.NUMBER;
import static org.keyline.gateway.tier.TierState.OUTSIDE_LEFT;
import static org.keyline.gateway.tier.TierState.RESTARTS_LEFT;
import static org.keyline.gateway.tier.TierState.STARTED;
import static org.keyline.gateway.tier.TierState.STEP;
import static org.keyline.gateway.tier.TierState.WRITER;
import static org.keyline.gateway.tier.TierState.WRITES_LEFT;
import static org.keyline.gateway.tier.TierState.WRITTEN;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The rules of several gateways in front of one store, with the worst possible tier, as a state
 * machine, and the search through all its states. There is one row. The tier loses, delays, repeats
 * and reorders the gateways' messages, and returns any value that was ever put into it, even a
 * removed one. See {@code docs/tier.md}.
 */
final class TierModel {
    /** A rule that is left out, which the search must notice. */
    enum Flaw {
        NONE,
        TOLD_BEFORE_THE_WRITE_ONLY,
        TOLD_AFTER_THE_ACKNOWLEDGEMENT,
        HEARD_IS_NOTED_WHEN_THE_LINE_IS_PUT,
        VOUCHED_WITHOUT_ALL_MEMBERS,
        VOUCHED_AS_OF_THE_ARRIVAL,
        NOTED_AFTER_THE_NUMBER_WAS_TAKEN,
        AGE_NOT_CARRIED,
        GAP_OVERLOOKED,
        RESTART_OVERLOOKED,
        OWN_WRITE_LEAVES_THE_FLOOR,
        TOLD_DROP_LEAVES_THE_FLOOR,
        GAP_LEAVES_THE_FLOOR,
        TOLD_DROP_LEAVES_LOADS,
        JUDGED_WHEN_IT_WAS_READ,
        OLD_LOAD_JOINED,
        ANY_SIGN_OF_LIFE_TAKEN_FOR_AN_ECHO,
        ACKNOWLEDGED_WITHOUT_ALL_MEMBERS,
        STRANGER_OVERLOOKED
    }

    /**
     * The size of a model.
     *
     * @param writing the number of gateways that write, the first ones
     * @param writes of each of them
     * @param ownReads of each reader at the first gateway
     * @param reads of each reader at any other one
     * @param readers at each gateway
     * @param loads at a time, at each
     * @param values ever in the tier
     * @param ownBeats heartbeats of the first gateway
     * @param beats of any other one
     * @param restarts of the first gateway
     * @param outside writes past the gateways
     * @param ttl in ticks, of which there may be any number
     * @param greeted whether all have just received a first heartbeat of each other one
     * @param strict whether a write is acknowledged only when no other gateway may miss it
     * @param joining whether the second gateway does not know the first one, whose entries the
     *     third one has received; only the second one reads
     */
    record Shape(
            int gateways,
            int writing,
            int writes,
            int ownReads,
            int reads,
            int readers,
            int loads,
            int values,
            int ownBeats,
            int beats,
            int restarts,
            int outside,
            int ttl,
            boolean greeted,
            boolean strict,
            boolean joining) {
        /** Returns whether a gateway's configuration lists another one. */
        boolean lists(int gateway, int other) {
            return !joining || gateway != 1 || other != 0;
        }

        /**
         * Returns whether a peer's entries make a difference to a gateway. They do not if none of
         * its readers reads, and no gateway receives entries from it.
         */
        boolean hears(int gateway, int peer) {
            return !joining || gateway == 1 || (gateway == 2 && peer == 1);
        }

        /** Returns the number of reads of each reader of a gateway. */
        int readsAt(int gateway) {
            return gateway == 0 ? ownReads : joining && gateway > 1 ? 0 : reads;
        }

        int versions() {
            return writing * writes + outside;
        }

        /** Returns for how long a read may miss a write that another gateway has acknowledged. */
        int bound() {
            return strict ? -1 : TierState.STALENESS;
        }

        /** Returns the maximum number of numbers that a gateway takes. */
        int numbers() {
            return Math.max(beats, ownBeats) + writes + restarts + (greeted ? 1 : 0);
        }
    }

    /** The kind of a step. */
    enum Kind {
        CLOSE,
        TELL,
        WRITE,
        END,
        ACKNOWLEDGE,
        NUMBER,
        BEAT,
        HEAR,
        READ,
        FORWARD,
        TIER,
        FETCH,
        FINISH,
        EVICT,
        RESTART,
        TICK,
        OUTSIDE
    }

    /**
     * One step.
     *
     * @param actor number of the reader or load at the gateway, or of the peer whose entry is
     *     received
     * @param number the received number, or that of the value in the tier
     */
    record Move(Kind kind, int gateway, int actor, int number) {
        @Override
        public String toString() {
            return kind + " " + gateway + "/" + actor + (number == 0 ? "" : " #" + number);
        }
    }

    /** @param violation the shortest way to a wrong answer; null if there is none */
    record Result(int states, long steps, @Nullable String violation) {}

    private final Shape shape;
    private final Flaw flaw;

    TierModel(Shape shape, Flaw flaw) {
        this.shape = shape;
        this.flaw = flaw;
    }

    /** Visits every reachable state, or stops at the first wrong answer. */
    Result explore() {
        return explore(to -> {});
    }

    /**
     * Explores likewise, and passes every possible step of each state to the visitor: its target
     * and its origin.
     */
    Result explore(Consumer<TierState> visitor) {
        TierState first = first();
        Set<TierState> seen = new HashSet<>(Set.of(first));
        ArrayDeque<TierState> open = new ArrayDeque<>(seen);
        long steps = 0;
        for (TierState from = open.poll(); from != null; from = open.poll()) {
            for (Move move : moves(from)) {
                TierState to = new TierStep(from, move, flaw).made();
                steps++;
                if (to.wrong != null) {
                    return new Result(seen.size(), steps, to.wrong + " after " + to.path());
                }
                visitor.accept(to);
                if (seen.add(to)) {
                    open.add(to);
                }
            }
        }
        return new Result(seen.size(), steps, null);
    }

    private TierState first() {
        int size = new TierState(shape, new byte[0], null, null).gateway(shape.gateways);
        TierState first = new TierState(shape, new byte[size], null, null);
        first.cells[OUTSIDE_LEFT] = (byte) shape.outside;
        first.cells[first.gateway(0) + RESTARTS_LEFT] = (byte) shape.restarts;
        for (int g = 0; g < shape.gateways; g++) {
            first.cells[first.gateway(g) + BEATS_LEFT] = (byte) (g == 0 ? shape.ownBeats : shape.beats);
            first.cells[first.gateway(g) + WRITES_LEFT] = (byte) (g < shape.writing ? shape.writes : 0);
            if (shape.greeted) {
                first.cells[first.gateway(g) + NUMBER] = 1;
                first.cells[first.sent(g, 1)] = 1;
            }
            for (int peer = 0; peer < shape.gateways; peer++) {
                boolean known = shape.greeted && peer != g && shape.lists(g, peer);
                first.cells[first.heard(g, peer)] = (byte) (known ? 2 : 0);
            }
            for (int reader = 0; reader < shape.readers; reader++) {
                first.cells[first.reader(g, reader) + LEFT] = (byte) shape.readsAt(g);
            }
        }
        return first;
    }

    private List<Move> moves(TierState state) {
        byte[] cells = state.cells;
        List<Move> moves = new ArrayList<>();
        if (!state.isRead()) {
            return moves;
        }
        for (int g = 0; g < shape.gateways; g++) {
            int gateway = state.gateway(g);
            Kind write = write(state, g);
            if (write != null) {
                moves.add(new Move(write, g, 0, 0));
            }
            boolean inTwo = flaw == Flaw.NOTED_AFTER_THE_NUMBER_WAS_TAKEN;
            if (cells[gateway + BEATING] != 0) {
                moves.add(new Move(Kind.BEAT, g, 0, 0));
            } else if (cells[gateway + BEATS_LEFT] > 0) {
                moves.add(new Move(inTwo ? Kind.NUMBER : Kind.BEAT, g, 0, 0));
            }
            receive(state, g, moves);
            read(state, g, moves);
            load(state, g, moves);
            if (cells[gateway + LINE] != 0) {
                moves.add(new Move(Kind.EVICT, g, 0, 0));
            }
            if (cells[gateway + RESTARTS_LEFT] > 0) {
                moves.add(new Move(Kind.RESTART, g, 0, 0));
            }
        }
        moves.add(new Move(Kind.TICK, 0, 0, 0));
        if (cells[OUTSIDE_LEFT] > 0) {
            moves.add(new Move(Kind.OUTSIDE, 0, 0, 0));
        }
        return moves;
    }

    private @Nullable Kind write(TierState state, int g) {
        int gateway = state.gateway(g);
        return switch (state.cells[gateway + WRITER]) {
            case IDLE -> state.cells[gateway + WRITES_LEFT] == 0 ? null : Kind.CLOSE;
            case CLOSED -> flaw == Flaw.TOLD_BEFORE_THE_WRITE_ONLY ? Kind.TELL : Kind.WRITE;
            case CLOSED_AND_TOLD -> Kind.WRITE;
            case WRITTEN -> Kind.END;
            case AWAITING -> state.isSeenByAll(g, flaw) ? Kind.ACKNOWLEDGE : null;
            default -> Kind.TELL;
        };
    }

    private void receive(TierState state, int gateway, List<Move> moves) {
        for (int peer = 0; peer < shape.gateways; peer++) {
            // A gateway does not receive again an entry that it has received, or that a later one
            // has replaced. The received number is stored plus one, so this is the next.
            int next = Math.max(1, state.cells[state.heard(gateway, peer)]);
            for (int number = next;
                    peer != gateway && shape.hears(gateway, peer) && number <= shape.numbers();
                    number++) {
                if (state.cells[state.entry(peer, number)] != 0) {
                    moves.add(new Move(Kind.HEAR, gateway, peer, number));
                }
            }
        }
    }

    private void read(TierState state, int gateway, List<Move> moves) {
        for (int reader = 0; reader < shape.readers; reader++) {
            switch (state.cells[state.reader(gateway, reader) + STEP]) {
                case IDLE -> {
                    if (state.cells[state.reader(gateway, reader) + LEFT] > 0) {
                        moves.add(new Move(Kind.READ, gateway, reader, 0));
                    }
                }
                case FORWARDING -> moves.add(new Move(Kind.FORWARD, gateway, reader, 0));
                default -> {}
            }
        }
    }

    private void load(TierState state, int gateway, List<Move> moves) {
        for (int load = 0; load < shape.loads; load++) {
            int step = state.cells[state.load(gateway, load) + STEP];
            if (step == STARTED) {
                moves.add(new Move(Kind.FETCH, gateway, load, 0));
                for (int value = 0; value < shape.values; value++) {
                    if (TierStep.accepts(state, gateway, value, flaw)) {
                        moves.add(new Move(Kind.TIER, gateway, load, value));
                    }
                }
            } else if (step != IDLE) {
                moves.add(new Move(Kind.FINISH, gateway, load, 0));
            }
        }
    }
}
